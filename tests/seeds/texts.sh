# texts.sh: what a change of a subject or description leaves, on every layout; undo gives it back.
#
# shellcheck shell=bash disable=SC2034,SC2154

dir=$PWD/lists
list="--dir $dir"
esc=$'\e'

# on LAYOUT: a new, empty list of this layout
on() {
	layout=$1
	rm -rf "$dir" "$CLAUDE_CONFIG_DIR/task-hooks"
	list="--dir $dir"
	case $layout in
	native) mkdir -p "$dir" ;;
	document) document "$dir" ;;
	folder) mkdir -p "$dir/.tasks" && list="--dir $dir/.tasks" ;;
	esac
}

# t ARGUMENT...: claude-tasks on that list
t() {
	# shellcheck disable=SC2086
	tasks $list "$@"
}

# call TOOL INPUT: a tool on that list
call() {
	# shellcheck disable=SC2086
	out=$("$cli" $list call "$1" <<<"$2" 2>"$T/err")
	rc=$?
}

# make ARGUMENT...: a new task; its id is in $id
make() {
	t create "$@" --json
	id=$(jq -r .id <<<"$out")
}

# all: every task, as JSON, without the times of its last change and what is empty
all() {
	find "$dir" -name '*.json' | sort | xargs cat |
	    jq -cS '(.tasks // [.])[] | del(.updated_at) | if .metadata == {} then del(.metadata) else . end | if .activeForm == "" then del(.activeForm) else . end'
}

# bytes: every byte of the tasks
bytes() { find "$dir" -name '*.json' | sort | xargs cat; }

# member ID JQ: of a task as it is stored
member() {
	# shellcheck disable=SC2086
	"$cli" $list get "$1" --json | jq -r ".task | $2"
}

block='<macf_task_metadata version=\"1.0\">\ntask_type: BUG\n</macf_task_metadata>'
text=$'T\n\nB\nC'

## undo of a change of each field
for layout in native document folder; do
	on $layout
	make Second && second=$id
	if [ $layout = document ]; then
		call TodoWrite '{"id":"a","description":"T\n\nB\nC"}'
		id=a
	else
		make T -d "$text"
	fi
	before=$(all)
	while read -r only command; do
		[[ $only = all || $only = *$layout* ]] || continue
		eval "$command"
		is "0.53: $layout: $command" 0 $rc
		deny "0.53: $layout: $command changes the task" test "$before" = "$(all)"
		t undo
		is "0.53: $layout: undo of: $command" "0 $before" "$rc $(all)"
	done <<-'END'
		all t update $id -d D
		all t update $id -d $'D\n\nE'
		all t update $id --subject S
		all t update $id --subject S -d $'D\n\nE'
		all t update $id --status blocked
		all t update $id --owner eve
		all t update $id --blocked-by $second
		all t update $id --subject S --owner eve --status in_progress
		native,document t update $id --active-form F
		native,document t update $id --set priority=high
		native,document t update $id --parent $second
		all t update $id -d "$(printf "D\n\n$block")"
		all call TaskUpdate "{\"taskId\":\"$id\",\"subject\":\"S\"}"
		all call TaskUpdate "{\"taskId\":\"$id\",\"description\":\"D\\n\\n$block\"}"
		all call TaskUpdate "{\"taskId\":\"$id\",\"subject\":\"S\",\"description\":\"D\"}"
		all call TodoWrite "{\"id\":\"$id\",\"description\":\"D\\nE\\nF\"}"
	END
	t update "$id" -d D
	t update "$id" --subject S
	t update "$id" -d $'E\nF'
	t undo
	t undo
	t undo
	is "0.53: $layout: three changes are undone one after another" "0 $before" "$rc $(all)"
done

## what a tool has read can be written back
for layout in native document folder; do
	for row in 'T -d B' 'T -d T' $'T -d T\nB' 'T' $'\e[2m#1\e[0m\ T -d B' '--kind mission M' '--kind mission M -d B'; do
		on $layout
		eval "make ${row//$'\n'/$'\'\\n\''}"
		before=$(bytes)
		call TaskGet "{\"taskId\":\"$id\"}"
		call TaskUpdate "$(jq -c '.task | {taskId: .id, subject, description}' <<<"$out")"
		is "0.53: $layout: ${row@Q}: TaskUpdate with the texts of TaskGet changes nothing" "0 [] $before" "$rc $(jq -c .updatedFields <<<"$out") $(bytes)"
	done
done
on document
call TodoWrite '{"id":"a","description":"T\n\nB"}'
before=$(bytes)
call TaskGet '{"taskId":"a"}'
call TaskUpdate "$(jq -c '.task | {taskId: .id, subject, description}' <<<"$out")"
is '0.53: TaskUpdate with the texts of TaskGet does not repeat the first line of a tasks.json task' "$before" "$(bytes)"
for row in 'S|T\n\nB|S\n\nB' 'T|T\n\nD|T\n\nD' 'S|S\n\nD|S\n\nD' 'S|D|S\n\nD' 'S|T|S'; do
	IFS='|' read -r subject description want <<<"$row"
	call TodoWrite '{"id":"a","description":"T\n\nB"}'
	call TaskUpdate "{\"taskId\":\"a\",\"subject\":\"$subject\",\"description\":\"$description\"}"
	is "0.53: TaskUpdate with subject $subject, description $description" "$(printf "$want")" "$(member a .description)"
done

## 2.12: the marks in a new subject
# dim TEXT: with the codes of the client in it
dim() { printf '%s' "$1" | sed -E "s/^(#[^ ]+) /${esc}[2m\1${esc}[0m /; s/(\[\^#[^]]*\])/${esc}[2m\1${esc}[0m/"; }
# retitle ID TITLE SUBJECT: update --subject gives this subject, and keeps the parent
retitle() {
	local parent=${parents[$1]-null} name
	name=${2//$esc/^}
	t update "$1" --subject "$2"
	is "2.12: $layout: update --subject '$name' of #$number" "0 $3" "$rc $(member "$1" '.subject // (.description | split("\n")[0])')"
	# shellcheck disable=SC2086
	is "2.12: $layout: update --subject '$name' does not change the parent" "$parent" "$("$cli" $list get "$1" --json | jq -r .summary.parent)"
}
layout=native number=2
on native
t create --kind mission M
t create --kind phase --parent 1 P
t create --kind bug --parent 2 '[SA:X] B'
t create Plain
task='{"id":"5","subject":"[^#1] \ud83d\udccb Theirs","description":"","status":"pending","blocks":[],"blockedBy":[]}'
echo "$task" >"$dir/5.json"
echo "${task//5/6}" | jq '.subject = "Theirs [^#1]"' >"$dir/6.json"
echo "${task//5/7}" | jq '.subject = "[SA:X] Theirs"' >"$dir/7.json"
declare -A parents=([2]=1 [3]=2 [5]=1 [6]=1)
while IFS='|' read -r number title want; do
	[ "$number" -gt 3 ] || want=$(dim "$want")
	retitle "$number" "$(printf "$title")" "$want"
done <<'END'
2|#2 [^#1] 📋 P two|#2 [^#1] 📋 P two
2|[^#1] 📋 X|#2 [^#1] 📋 X
2|📋 Y|#2 [^#1] 📋 Y
2|#2 Z|#2 [^#1] 📋 Z
2|🐛 Y|#2 [^#1] 🐛 Y
2|📋 Y|#2 [^#1] 📋 Y
2|#42 is the answer|#2 [^#1] 📋 #42 is the answer
2|#21 is not its number|#2 [^#1] 📋 #21 is not its number
2|[^#8] W|#2 [^#1] 📋 W
2|\e[2m#9\e[0m \e[2m[^#8]\e[0m F|#2 [^#1] F
2|\e[2m#9\e[0m F|#2 [^#1] F
1|\e[2m#1\e[0m \e[2m[^#2]\e[0m F|#1 F
4|#4 Plain two|#4 Plain two
4|[^#1] P|P
4|P [^#1] Q|P Q
5|New|[^#1] 📋 New
5|[^#2] Newer|[^#1] 📋 Newer
6|New|[^#1] New
3|B two|#3 [^#2] 🐛 [SA:X] B two
3|#3 [^#2] 🐛 B three|#3 [^#2] 🐛 [SA:X] B three
3|[SA:Y] B|#3 [^#2] 🐛 [SA:Y] B
3|[SA:Y] 🐛 B|#3 [^#2] 🐛 [SA:Y] B
3|B [SA:X] C|#3 [^#2] 🐛 B [SA:X] C
3|D|#3 [^#2] 🐛 [SA:X] D
3|[SA:] B|#3 [^#2] 🐛 B
7|New|[SA:X] New
7|Not [SA:Y] that|Not [SA:Y] that
END
for tool in TaskUpdate TodoWrite; do
	for text in '#2 [^#1] F' '#2 [^#1] New' '#2 New'; do
		case $tool in
		TaskUpdate) call $tool "{\"taskId\":\"2\",\"subject\":\"$text\"}" ;;
		TodoWrite) call $tool "{\"id\":\"2\",\"description\":\"$text\"}" ;;
		esac
		is "2.12: $tool with the subject '$text', as it is shown, keeps the codes" "0 $(dim "${text/#"#2 N"/"#2 [^#1] N"}")" "$rc $(member 2 .subject)"
	done
done
call TaskUpdate '{"taskId":"2","subject":"Bare"}'
is '2.12: TaskUpdate with another subject replaces it whole, as the client does' 'Bare' "$(member 2 .subject)"
call TaskUpdate '{"taskId":"3","metadata":{"kind":"phase"}}'
is '2.28: the kind of a task cannot be changed in its metadata alone' '21 bug' "$rc $(member 3 .metadata.kind)"
t update 3 --set kind=phase
has '2.28: the refusal names create --kind' 'create --kind KIND' "$rc $err"
t update 3 --set kind=bug
is '2.28: the kind that it has is accepted' 0 $rc
t update 4 --set kind=phase
is '2.28: the metadata of another task may have a kind' '0 phase' "$rc $(member 4 .metadata.kind)"

parents=()
for layout in document folder; do
	on $layout
	make --kind mission M && mission=$id
	make --kind phase --parent "$mission" P && number=phase
	parents[$id]=$mission
	retitle "$id" '📋 X' '📋 X'
	retitle "$id" '#77 [^#9] fake' '📋 #77 [^#9] fake'
	retitle "$id" '[^#9] fake' '📋 fake'
	t get "$id"
	has "2.24: $layout: the block decides what the parent is" "parent: #$mission " "$out"
	t update "$mission" --subject 'Uses [^#9] x'
	is "2.12: $layout: a subject does not give a task a parent" '🗺️ Uses x' "$(member "$mission" '.subject // (.description | split("\n")[0])')"
done

## the active form that create --kind made
for layout in native document; do
	on $layout
	make --kind mission '[SA:TestEng] Old'
	[ $layout = native ] || t update "$id" --active-form 'Working on Old'
	form='.activeForm // .metadata.activeForm'
	is "2.28: $layout: the active form has no [SA:type]" 'Working on Old' "$(member "$id" "$form")"
	t update "$id" --subject New
	is "2.28: $layout: update --subject changes the active form" 'Working on New' "$(member "$id" "$form")"
	t undo
	is "2.28: $layout: undo of update --subject gives the active form back" 'Working on Old' "$(member "$id" "$form")"
	t update "$id" --active-form 'Working on [SA:TestEng] Old'
	t update "$id" --subject '[SA:Other] New'
	is "2.28: $layout: an active form with [SA:type] is changed too" 'Working on New' "$(member "$id" "$form")"
	t update "$id" --active-form Own
	t update "$id" --subject Newer
	is "2.28: $layout: another active form stays" Own "$(member "$id" "$form")"
	t update "$id" --subject Newest --active-form Given
	is "2.28: $layout: a passed active form counts" Given "$(member "$id" "$form")"
done
on native
t create --kind mission Old
t claim 1 --agent eve
t update 1 --subject New
has '2.28: the status line shows the new title' 'Working on New' "$("$cli" $list statusline </dev/null)"

## cancelled in the status field
on document
cat >"$dir/tasks.json" <<'END'
{"tasks": [
  {"id": "a", "description": "Dropped", "status": "cancelled", "extra": [1 ,2], "dependencies": [], TIMES},
  {"id": "b", "description": "Waits", "status": "blocked", "dependencies": ["a"], TIMES},
  {"id": "c", "description": "Other", "status": "pending", "dependencies": [], TIMES}
], "version": 2}
END
times='"created_at": "2026-02-06T20:41:00Z", "updated_at": "2026-02-06T20:45:12Z"'
sed -i "s/TIMES/$times/" "$dir/tasks.json"
cp "$dir/tasks.json" "$T/cancelled.json"
t list --all
has '3.4: a cancelled task of a tasks.json file is shown' '#a [cancelled] Dropped' "$out"
t list --status cancelled --json
is '3.4: list --status cancelled finds it' '["a"]' "$(jq -c '[.tasks[].id]' <<<"$out")"
t list --ready --json
is '3.4: what waits for it can start' '["b","c"]' "$(jq -c '[.tasks[].id] | sort' <<<"$out")"
t doctor --no-selftest --json
is '3.4: doctor finds nothing wrong with it' 0 "$(jq '[.findings[]|select(.check|startswith("store"))]|length' <<<"$out")"
t claim a
is '3.4: it cannot be started' 12 $rc
try '3.4: reading it writes nothing' cmp "$dir/tasks.json" "$T/cancelled.json"
t update c --owner eve
has '3.4: another change keeps its bytes' '{"id": "a", "description": "Dropped", "status": "cancelled", "extra": [1 ,2], "dependencies": [], '"$times" "$(<"$dir/tasks.json")"
t update a --set note=n
is '3.4: a change of its other fields keeps its status' 'cancelled null' "$(member a '"\(.status) \(.metadata.original_status)"')"
t update a --status pending
is '3.4: it can be set to pending' 'pending null' "$(member a '"\(.status) \(.metadata.original_status)"')"
t undo
is '3.4: undo makes it cancelled again' '0 cancelled' "$rc $("$cli" $list get a --json | jq -r .summary.status)"
# The same in files to import.
jq -c .tasks "$T/cancelled.json" >"$T/exported.json"
echo '[{"id":"a","subject":"Dropped","description":"","status":"cancelled","blocks":["b"],"blockedBy":[]},
    {"id":"b","subject":"Waits","description":"","status":"pending","blocks":[],"blockedBy":["a"]},
    {"id":"c","subject":"Other","description":"","status":"blocked","blocks":[],"blockedBy":[]}]' >"$T/native.json"
for layout in native document folder; do
	for form in cancelled exported native; do
		on $layout
		t import --strict "$T/$form.json"
		# shellcheck disable=SC2086
		is "3.4: import of a cancelled task, $form to $layout" '0 Dropped cancelled' \
		    "$rc $("$cli" $list list --all --json | jq -r '.tasks[] | select(.subject == "Dropped") | "\(.subject) \(.status)"')"
	done
	# shellcheck disable=SC2086
	is "3.4: import of a blocked task, native to $layout" 'blocked' "$("$cli" $list list --all --json | jq -r '.tasks[] | select(.subject == "Other").status')"
done
mkdir -p "$T/client"
jq -c '.[]' "$T/native.json" | while read -r line; do
	echo "$line" >"$T/client/$(jq -r .id <<<"$line").json"
done
on native
t import "$T/client"
is '3.4: import of a directory takes a cancelled task' '0 ["cancelled","blocked","pending"]' \
    "$rc $("$cli" $list list --all --json | jq -c '[.tasks | sort_by(.subject)[].status] | [.[0], .[1], .[2]]')"
