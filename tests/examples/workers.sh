# workers.sh: the examples of workers.md.  Sourced by check-examples.
# shellcheck shell=bash disable=SC2154

# printed COMMAND...: the program of the document, on .tasks of the working directory
printed() { python3 "$top/tests/examples/workers.py" "$blocks" "$@"; }
# tool TOOL JSON: a tool of claude-tasks, on the same folder
tool() {
	out=$("$cli" --dir .tasks call "$1" <<<"$2" 2>"$T/err")
	rc=$?
}
# begin NAME: an empty folder
begin() { mkdir -p "$T/workers/work/$1/.tasks" && cd "$T/workers/work/$1" || exit 1; }

uses workers.1 workers.2 workers.3 workers.4 workers.5 workers.6 workers.8
is 'workers.1, workers.2, workers.3, workers.4, workers.5, workers.6, workers.8: the program that is run has the printed words' \
    'workers.1 workers.2 workers.3 workers.4 workers.5 workers.6 workers.8' "$(printed same 2>&1)"

## the printed program writes, claude-tasks reads
begin theirs
printed all >"$T/theirs" 2>&1
is 'workers.8: the printed program runs to its end' '4 4 4' "$(for word in Created Claimed Completed; do grep -c "^$word" "$T/theirs"; done | paste -sd' ')"
tasks list --json
is 'workers.1, workers.8: claude-tasks shows its tasks, with owner and status' 'folder: create API endpoints completed agent, setup database schema completed agent, write docs completed agent, write tests completed agent' \
    "$("$cli" list --all --json 2>/dev/null | jq -r '"\(.layout): \([.tasks[] | "\(.subject) \(.status) \(.owner)"] | sort | join(", "))"')"
id=$(jq -r 'select(.subject == "write tests") | .id' .tasks/*.json)
tool get_task "{\"task_id\":\"$id\"}"
is 'workers.6: get_task gives the JSON that the printed function gives' "$(printed get_task "$id" | jq -c .)" "$(jq -c . <<<"$out")"
text=$(jq -nc --arg id "$id" '{jsonrpc: "2.0", id: 1, method: "tools/call", params: {name: "get_task", arguments: {task_id: $id}}}' | "$cli" --dir .tasks mcp | jq -r '.result.content[0].text')
is 'workers.6: over MCP the text is the same, byte for byte' "$(printed get_task "$id")" "$text"
"$cli" --dir .tasks update "$id" -d 'More words' --owner eve >/dev/null
is 'workers.1, workers.6: the printed program reads what claude-tasks changed' 'More words eve' "$(printed get_task "$id" | jq -r '"\(.description) \(.owner)"')"
"$cli" --dir .tasks create 'Made here' --blocked-by "$id" >/dev/null
made=$(jq -r 'select(.subject == "Made here") | .id' .tasks/*.json)
is 'workers.1, workers.2: it reads a task that claude-tasks made, and can start it' 'True' "$(printed can_start "$made" 2>&1 | tail -n 1)"
is "workers.s2: the new id has the printed form, $(example workers.s2)" 1 "$(grep -cE '^task_[0-9]{10}_[0-9a-f]{4}$' <<<"$made")"
is 'workers.s1: its file has the printed path' "$made" "$(jq -r .id "$(example workers.s1 | sed "s/{id}/$made/")")"

## each statement of the last block, by the tools of claude-tasks
begin ours
declare -A var=()
ran=0
while IFS= read -r line; do
	case $line in
	*' = create_task('*)
		name=${line%% =*} subject=${line#*\"} subject=${subject%%\"*}
		depends=$(grep -o '\[[a-z]*\.id\]' <<<"$line" | tr -d '[]' | sed 's/\.id//')
		tool create_task "$(jq -nc --arg s "$subject" --arg d "${depends:+${var[$depends]}}" '{subject: $s, blockedBy: (if $d == "" then null else [$d] end)}')"
		is "workers.2, workers.8: $name: the task is created as printed" "0 pending null [${depends:+\"${var[$depends]}\"}]" "$rc $(jq -r '"\(.status) \(.owner) \(.blockedBy)"' <<<"$out")"
		var[$name]=$(jq -r .id <<<"$out") ;;
	claim_task*)
		name=${line#*(} name=${name%%.*}
		tool claim_task "{\"task_id\":\"${var[$name]}\"}"
		is "workers.4, workers.8: $name: the claim succeeds with the printed message" "0 true Claimed ${var[$name]} ($(jq -r .subject ".tasks/${var[$name]}.json"))" \
		    "$rc $(jq -r '"\(.claimed) \(.message)"' <<<"$out")" ;;
	complete_task*)
		name=${line#*(} name=${name%%.*}
		unblocks=
		[[ $line != *unblocks* ]] || unblocks=$(sed 's/.*unblocks //; s/, /\n/g' <<<"$line" | while read -r n; do echo "${var[$n]}"; done | sort | paste -sd,)
		tool complete_task "{\"task_id\":\"${var[$name]}\"}"
		is "workers.5, workers.8: $name: the completion unblocks what the comment says" "0 true $unblocks" \
		    "$rc $(jq -r '"\(.completed) \(.unblocked | sort | join(","))"' <<<"$out")" ;;
	*) continue ;;
	esac
	ran=$((ran + 1))
done < <(sed -n '/^# workers.8$/,$p' "$top/tests/examples/workers-lines.py")
is 'workers.8: every statement was run' 12 $ran
has 'workers.5: the message begins as the printed one' "Completed ${var[tests]} (write tests)" "$(jq -r .message <<<"$out")"

## what the printed functions refuse
begin refused
printed create_task schema , create_task api >/dev/null
schema=$(jq -r 'select(.subject == "schema") | .id' .tasks/*.json) api=$(jq -r 'select(.subject == "api") | .id' .tasks/*.json)
jq --arg s "$schema" '.blockedBy = [$s, "task_missing"]' ".tasks/$api.json" >"$T/new" && cp "$T/new" ".tasks/$api.json"
is 'workers.3: the printed can_start says no' False "$(printed can_start "$api")"
is 'workers.3: claude-tasks does not offer a task that cannot start' "$schema" "$("$cli" --dir .tasks list --ready --json | jq -r '[.tasks[].id] | join(",")')"
tool claim_task "{\"task_id\":\"$api\"}"
is 'workers.4: a blocked task is not claimed' '13 false blocked' "$rc $(jq -r '"\(.claimed) \(.reason)"' <<<"$out")"
has 'workers.4: the refusal names what blocks it' "$schema" "$(jq -r .message <<<"$out")"
has 'workers.3: a missing dependency blocks too, and is named' task_missing "$(jq -r .message <<<"$out")"
printed claim_task "$schema" bob >/dev/null
tool claim_task "{\"task_id\":\"$schema\",\"owner\":\"eve\"}"
is 'workers.4: what the printed program claimed for one agent cannot be claimed by another' '11 false' "$rc $(jq -r .claimed <<<"$out")"
printed complete_task "$schema" >/dev/null
tool claim_task "{\"task_id\":\"$schema\",\"owner\":\"eve\"}"
is 'workers.4: what the printed program completed for one agent cannot be claimed by another' '11 false' "$rc $(jq -r .claimed <<<"$out")"
# The printed condition says of each status whether a claim is refused.
begin twice
for status in pending in_progress completed; do
	tool create_task '{"subject":"One"}'
	id=$(jq -r .id <<<"$out")
	jq --arg s $status '.status = $s' ".tasks/$id.json" >"$T/new" && cp "$T/new" ".tasks/$id.json"
	refused=$(jq ".$(example workers.s4)" ".tasks/$id.json")
	tool claim_task "{\"task_id\":\"$id\"}"
	is "workers.4, workers.s4: the claim of a task that is $status is refused if the printed condition is true" "$refused" "$(jq 'if .claimed then false else .reason | startswith("already_") end' <<<"$out")"
done
read -r from _ to <<<"$(example workers.s5)"
tool create_task '{"subject":"Back"}'
id=$(jq -r .id <<<"$out")
tool claim_task "{\"task_id\":\"$id\"}"
is "workers.s5: a task is $from" "$from agent" "$(jq -r '"\(.status) \(.owner)"' ".tasks/$id.json")"
"$cli" --dir .tasks release "$id" >/dev/null
is "workers.s5: release, which the program lacks, makes it $to" "$to null" "$(jq -r '"\(.status) \(.owner)"' ".tasks/$id.json")"

## the states
begin states
states=$(example workers.7)
is 'workers.7: the printed states and actions are the three and two that follow' 'pending claim in_progress complete completed' "$(tr -s '─→ ' '\n' <<<"$states" | grep '[a-z]' | paste -sd' ')"
tool create_task '{"subject":"One"}'
id=$(jq -r .id <<<"$out")
read -r -a words <<<"$(tr -s '─→ ' ' ' <<<"$states")"
is "workers.7: a new task is ${words[0]}" "${words[0]}" "$(jq -r .status ".tasks/$id.json")"
for at in 1 3; do
	tool "${words[at]}_task" "{\"task_id\":\"$id\"}"
	is "workers.7: ${words[at]}_task makes it ${words[at + 1]}" "0 ${words[at + 1]}" "$rc $(jq -r .status ".tasks/$id.json")"
done

## dependencies when a task is created
begin depends
tool create_task "$(example workers.s3 | sed 's/^\(.*\): /{"subject":"write API","\1":/; s/$/}/')"
is 'workers.s3: a dependency that does not exist is refused' '21 0' "$rc $(find .tasks -name '*.json' | wc -l)"
echo '{"id":"task_schema","subject":"schema","description":"","status":"pending","owner":null,"blockedBy":[]}' >.tasks/task_schema.json
tool create_task "$(example workers.s3 | sed 's/^\(.*\): /{"subject":"write API","\1":/; s/$/}/')"
is 'workers.s3, workers.s14: the printed dependency is taken' '0 ["task_schema"]' "$rc $(jq -c .blockedBy <<<"$out")"
is 'workers.s14: create_task has the printed parameter' array "$("$cli" call --json | jq -r --arg p "$(example workers.s14 | sed 's/.*(\(.*\)=.*/\1/')" '.[] | select(.name == "create_task") | .inputSchema.properties[$p].type[0]')"

## the printed program and claude-tasks at the same time
begin both
printed work theirs 20 >"$T/errors" 2>&1 &
for i in {1..20}; do
	"$cli" --dir .tasks create "ours $i" >/dev/null || echo "create $i"
done >>"$T/errors" 2>&1
wait
is 'workers.2, workers.4, workers.5: the printed program and claude-tasks in one folder fail in nothing' '' "$(cat "$T/errors")"
is 'workers.2, workers.4, workers.5: the printed program and claude-tasks in one folder lose no task and no change' '20 completed theirs, 20 pending null' \
    "$(jq -r '"\(.status) \(.owner)"' .tasks/*.json | sort | uniq -c | sed 's/^ *//' | paste -sd, | sed 's/,/, /')"

## the command: the file that it starts is not printed; here it runs the printed program
begin run
mkdir -p learn-claude-code/s12_task_system
printf 'import sys\nsys.argv = ["", "%s", "all"]\n__file__ = "%s"\nexec(open(__file__).read())\n' "$blocks" "$top/tests/examples/workers.py" >learn-claude-code/s12_task_system/code.py
out=$(bash -c "python() { python3 \"\$@\" >/dev/null; }; $(example workers.9 | sed 's/ python /\npython /')
    '$cli' list --all --json" 2>/dev/null)
is 'workers.9: claude-tasks after the printed commands, in the same shell, finds .tasks of that directory' "$PWD/learn-claude-code/.tasks 4" "$(field '"\(.dir) \(.tasks | length)"')"

## the prompts: a subject, or `subject (depends on the end of another)`
begin prompts
prompt=$(example workers.s6)
is 'workers.s6: the prompt creates tasks' 'Create tasks' "${prompt%%:*}"
declare -A waits=()
while IFS= read -r one; do
	[[ $one =~ ^(.*)\ \(depends\ on\ (.*)\)$ ]] && subject=${BASH_REMATCH[1]} on=${BASH_REMATCH[2]} || subject=$one on=
	waits[$subject]=
	for other in "${!waits[@]}"; do [ -z "$on" ] || [[ $other != *"$on" ]] || waits[$subject]=$other; done
	"$cli" --dir .tasks create "$subject" ${on:+--blocked-by "$(jq -r --arg w "${waits[$subject]}" 'select(.subject == $w) | .id' .tasks/*.json)"} >/dev/null
done < <(sed 's/^[^:]*: //; s/, /\n/g' <<<"$prompt")
# subjects PATTERN: the printed subjects that wait for a task whose subject matches
subjects() {
	local subject
	for subject in "${!waits[@]}"; do
		# shellcheck disable=SC2254
		case ${waits[$subject]} in $1) echo "$subject" ;; esac
	done | sort | paste -sd,
}
parts workers.s7 '^(List) (all) tasks and their (status)es$'
tasks --dir .tasks "${part[1],,}" "--${part[2]}" --json
is 'workers.s6, workers.s7: the tasks of the prompt are made and listed with their statuses and dependencies' \
    "$(for subject in "${!waits[@]}"; do echo "$subject pending ${waits[$subject]:+1}"; done | sort | paste -sd,)" \
    "$(jq -r --arg key "${part[3]}" '[.tasks[] | "\(.subject) \(.[$key]) \(if .blockedBy == [] then "" else .blockedBy | length end)"] | sort | join(",")' <<<"$out")"
parts workers.s8 '^(Claim) the first unblocked task and (complete) it$'
tasks --dir .tasks "${part[1],,}" --next --json
first=$(field .id)
is 'workers.s8: the first unblocked task is claimed' "$(subjects '') in_progress" "$(jq -r '"\(.subject) \(.status)"' ".tasks/$first.json")"
tasks --dir .tasks "${part[2]}" "$first" --json
is 'workers.s8: it is completed' completed "$(jq -r .status ".tasks/$first.json")"
parts workers.s9 '^(List) tasks again — which ones are now unblocked\?$'
tasks --dir .tasks "${part[1],,}" --ready --json
is 'workers.s9: list --ready says which are unblocked now' "$(subjects "$(jq -r .subject ".tasks/$first.json")")" "$(field '[.tasks[].subject] | sort | join(",")')"

## the client's files
mkdir -p "$lists/native"
native=$(example workers.s10 | sed "s,^~,$HOME,; s/{taskListId}/native/; s/{id}/1/")
"$cli" --list native create One >/dev/null
is 'workers.s10: a native task is one file at the printed path' One "$(jq -r .subject "$native")"
lock=$lists/native/$(example workers.s11 | sed 's/{taskId}/1/').lock
mkdir "$lock"
touch -d '1 minute ago' "$lock"
tasks --list native update 1 --owner me
is 'workers.s11: a change takes the lock of the task file, here an old one' '0 me' "$rc $(jq -r .owner "$native")$(ls -d "$lock" 2>/dev/null)"
