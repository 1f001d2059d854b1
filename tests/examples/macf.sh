# macf.sh: the examples of macf.md.  Sourced by check-examples.
# shellcheck shell=bash disable=SC2154

session=77270981-bd9d-4d0f-ad09-3702f5b0d1cb
# path ID TASK: the printed path or command, for this session and task
path() { example "$1" | sed "s,{session_uuid},$session,; s,{task_id},$2,; s,^~,$HOME,"; }
# native LIST ID [MEMBERS]: a task file of the client
native() {
	mkdir -p "$lists/$1"
	jq -n --arg id "$2" "{id: \$id, subject: \"Task \\(\$id)\", description: \"d\", status: \"pending\", blocks: [], blockedBy: []} + {${3-}}" \
	    >"$lists/$1/$2.json"
}

## the path, the schema
file=$(path macf.1 7)
mkdir -p "$(dirname "$file")"
instance macf.2 'id="7"' 'status="pending"' >"$file"
tasks --list $session get 7 --json
is 'macf.1, macf.2: a task with the members of the schema, at the printed path, is read' 'string string pending' \
    "$(field '"\(.summary.subject) \(.summary.activeForm) \(.summary.status)"')"
out=$(CLAUDE_CODE_SESSION_ID=$session "$cli" list --json)
is 'macf.1: the session finds it by its own id' "$session 1" "$(field '"\(.list) \(.tasks | length)"')"
mkdir -p "$lists/schema"
example macf.2 >"$lists/schema/1.json"
tasks --list schema doctor --no-selftest
has 'macf.2: as printed, with comments, it is reported as what it is' '1.json: invalid JSON: byte 30: a comment, which JSON does not have' "$out"
tasks --list schema list
has 'macf.2: list says that there is a file that it cannot read' 'claude-tasks doctor --list schema' "$out$err"
tasks --list schema get 1
has 'macf.2: get says why the task of that name is not shown' 'invalid JSON: byte 30: a comment' "$err"
example macf.2 >schema.json
tasks --list schema-import import schema.json
is 'macf.2: import of it fails' 1 $rc
has 'macf.2: the refusal of import says where it is not JSON' 'byte 30: a comment, which JSON does not have' "$err"
tasks --list schema-import import - <schema.json
has 'macf.2: the refusal of import from standard input says so too' 'byte 30: a comment, which JSON does not have' "$err"

## the wrong and the correct form
for id in macf.3 macf.4; do
	list=${id/./-}
	mkdir -p "$lists/$list"
	example $id >"$lists/$list/88.json"
	tasks --list $list list
	has "$id: list says that there is a file that the client does not show" "claude-tasks doctor --list $list" "$err"
done
tasks --list macf-3 get 88
has 'macf.3: get says what is wrong with an id that is a number' '88.json'"'"': id is a number, not a string' "$err"
tasks --list macf-4 get 88
has 'macf.4: get says what the measured client needs besides' '88.json'"'"': blocks is missing' "$err"
for list in macf-3 macf-4; do
	tasks --list $list doctor --no-selftest
	has "${list/-/.}: doctor says how to make it visible" "claude-tasks --list $list doctor --fix" "$out"
	tasks --list $list doctor --no-selftest --fix
	tasks --list $list get 88 --json
	is "${list/-/.}: doctor --fix makes it a task of the client, with the printed fields" '88 My Task ... pending' \
	    "$(field '"\(.task.id) \(.task.subject) \(.task.description) \(.task.status)"')"
done
is 'macf.4: doctor --fix keeps the active form' 'Working on My Task' "$(field .task.activeForm)"
example macf.3 >wrong.json
tasks --list macf-3-import import wrong.json
has 'macf.3: import says what is wrong with it' 'entry 1: id is a number, not a string' "$err"
example macf.4 >correct.json
tasks --list macf-4-import import correct.json
tasks --list macf-4-import get 88 --json
is 'macf.4: import takes the correct form' 'My Task Working on My Task' "$(field '"\(.summary.subject) \(.summary.activeForm)"')"

## what the client showed, before and after
# before: `#67. [in_progress] SUBJECT`
while IFS= read -r line; do
	[[ $line =~ ^#([0-9]+)\.\ \[([a-z_]+)\]\ (.*)$ ]] || continue
	native shown "${BASH_REMATCH[1]}" "status: \"${BASH_REMATCH[2]}\", subject: \"${BASH_REMATCH[3]}\""
done <<<"$(example macf.5)"
tasks --list shown list
is 'macf.5: list shows the number, the status and the subject of each task' "$(example macf.5 | sed 's/^\(#[0-9]*\)\./\1/')" "$out"
tasks --list shown get 68 --json
is 'macf.5: the parent in the subject is the parent of the task' 67 "$(field '.summary.parent // .parent.id')"
# after: the subject alone; the signs are those of the client's terminal
out=$("$cli" --list shown list)
is 'macf.6: list shows every subject that the newer client shows, with its number' '' \
    "$(example macf.6 | sed 's/^ *[^ ]* //' | while IFS= read -r subject; do grep -qF -- "] $subject" <<<"$out" || echo "$subject"; done)"

## subjects
format=$(example macf.7)
tasks --list kinds create --kind mission 'Task CLI'
tasks --list kinds create --kind phase --parent 1 'Phase 4'
printed=$(sed 's/{task_id}/2/; s/{parent_id}/1/; s/{emoji}/📋/; s/{title}/Phase 4/' <<<"$format")
is 'macf.7: the subject of a phase has the printed format' "$printed" "$("$cli" --list kinds get 2 --json | jq -r .summary.subject)"
stored=$(printf '%b' "$(example macf.s3)")
native codes 89
jq --arg s "$stored" '.subject = $s' "$lists/codes/89.json" >"$T/new" && cp "$T/new" "$lists/codes/89.json"
rest=$(example macf.s5)
tasks --list codes list
is 'macf.s3, macf.s4, macf.s5: a subject with the printed codes is shown without them' "#89 [pending] #89 $(example macf.s4) $rest" "$out"
for command in 'list --ascii' 'tree --ascii' 'get 89'; do
	out=$(COLUMNS=100 TERM=xterm script -qec "$cli --list codes $command" /dev/null </dev/null)
	has "macf.s3: on a terminal $command shows the printed parts dim" "${stored//$'\e[0m'/$'\e[22m'}" "$out"
done
for id in macf.s7 macf.s8; do
	subject=$(example $id)
	format=$(example macf.11)
	type=${subject#*:} type=${type%%]*}
	is "macf.11, $id: the example has the printed format" "$subject" "$(sed "s/{agent_type}/$type/; s/{subject}/${subject#*] }/" <<<"$format")"
	tasks --list workers create "$subject"
	tasks --list workers list --for "$type"
	is "macf.11, $id: list --for finds the task of a type" "${subject#*] } (for $type)" "${out#*] }"
done

## deletion
rm "$file"
for n in 1 2 3; do "$cli" --list $session create "Task $n" >/dev/null; done
"$cli" --list $session depend 3 --on 2 >/dev/null
bash -c "$(path macf.8 2)"
tasks --list $session list --json
is 'macf.8: a task whose file was removed by the printed command is gone' '["1","3"]' "$(field '[.tasks[].id] | tojson')"
tasks --list $session get 2
is 'macf.8: get says that there is no such task' 10 $rc
tasks --list $session doctor --no-selftest
has 'macf.8: doctor names the task that waits for it, and how to get it back' "claude-tasks --list $session restore 2" "$out"
tasks --list $session restore 2
is 'macf.8: restore brings it back' 'Task 2' "$(jq -r .subject "$lists/$session/2.json")"
tasks --list $session rm 2
is 'macf.8: rm of claude-tasks removes the file and what names it' '[] ' "$(jq -c .blockedBy "$lists/$session/3.json") $(ls "$lists/$session" | grep -x 2.json)"
tasks --list $session create Next
sum=$(example macf.s6 | sed 's/max(existing_file_IDs)/3/')
is 'macf.s1, macf.s6: the next task has the highest number of a file, plus one' $((sum)) "$(jq -r .id "$lists/$session/$(example macf.s1 | sed "s/{id}/$((sum))/")")"

## metadata
mkdir -p "$lists/custom"
example macf.9 >"$lists/custom/1.json"
tasks --list custom doctor --no-selftest
has 'macf.9: as printed, with a comment, it is reported as what it is' '1.json: invalid JSON: byte 41: a comment' "$out"
custom=$(example macf.9 | sed 's, *//.*,,; s/"\.\.\.",/"..."/')
native custom 1
jq --argjson c "$custom" '. + $c' "$lists/custom/1.json" >"$T/new" && cp "$T/new" "$lists/custom/1.json"
tasks --list custom update 1 --owner me
is 'macf.9: a member that the client would drop survives our writes' "$(jq -r .custom_field <<<"$custom") me" "$(jq -r '"\(.custom_field) \(.owner)"' "$lists/custom/1.json")"
native block 1 "description: $(example macf.10 | jq -Rs .)"
tasks --list block get 1
has 'macf.10: get shows the block of the description apart' 'macf metadata:
  creation_breadcrumb: s_.../c_.../g_.../p_.../t_...
  created_cycle: 42
  created_by: PA
description:
Task description text.' "$out"
tasks --list block update 1 -d 'Another text.'
is 'macf.10: it stays with a new description' "$(example macf.10 | sed '1s/.*/Another text./')" "$(jq -r .description "$lists/block/1.json")"

## commands: `macf_tools task create KIND [--parent N] "Title" [--OPTION]...`
prefix=$(example macf.s9)
read -r -a short <<<"$(example macf.s2)"
n=0
while IFS= read -r line; do
	[[ $line == "$prefix "* ]] || continue
	n=$((n + 1))
	line=${line#"$prefix "}
	line=${line//[][]/} # optional words, with values
	line=${line/--repo/--repo MacEff} line=${line/--version/--version 0.4.0} line=${line/ N / 1 }
	eval "words=($line)"
	kind=${words[0]}
	tasks --list commands "${short[@]}" "${words[@]}"
	needed=
	[[ $line != *--parent* ]] || needed=' --parent N'
	is "macf.12, macf.s2: the message for '${short[*]} $kind' says what to write" \
	    "64 claude-tasks: unknown command 'task'; write: claude-tasks create --kind $kind$needed TITLE (try: claude-tasks help)" "$rc $err"
	# shellcheck disable=SC2086
	tasks --list commands $prefix "${words[@]}"
	has "macf.12, macf.s9: the message for '$prefix $kind' says what to write" "claude-tasks create --kind $kind" "$err"
	tasks --list commands create --kind "${words[@]}" --json
	title=$(grep -o '"[^"]*"' <<<"$line" | tr -d '"')
	wanted="id: $n kind: $kind activeForm: Working on $title title: $title"
	for at in "${!words[@]}"; do
		case ${words[at]} in
		--parent) wanted+=" parent: ${words[at + 1]} subject: [^#${words[at + 1]}]" ;;
		--repo) wanted+=" repo: ${words[at + 1]}" ;;
		--version) wanted+=" target_version: ${words[at + 1]}" ;;
		esac
	done
	tasks --list commands get "$n" --json
	is "macf.12: create --kind $kind makes the task with every printed part" "$wanted" "$(field '.task as $t | "id: \($t.id) kind: \($t.metadata.kind) activeForm: \($t.activeForm) title: \($t.subject | sub(".* "; ""))" +
	    if $t.metadata.parent_id then " parent: \($t.metadata.parent_id) subject: \(.summary.subject | match("\\[\\^#[0-9]+\\]").string)" else "" end +
	    ([$t.description | match("\n((repo|target_version): .*)"; "g").captures[0].string] | map(" \(.)") | join(""))')"
	tasks --list words create "${words[@]}"
	has "macf.12: the kind as a word gets a message that names the option" "--kind $kind" "$err"
done <<<"$(example macf.12)"
is 'macf.12: all four commands were run' 4 $n
