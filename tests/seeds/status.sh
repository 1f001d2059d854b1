# status.sh: blocked and cancelled, the exported form, checked metadata, parents.
#
# shellcheck shell=bash disable=SC2154

# on LAYOUT: a new, empty list of this layout; its options are in $list
on() {
	layout=$1
	rm -rf "$PWD/lists" "$CLAUDE_CONFIG_DIR/task-hooks"
	case $layout in
	native) mkdir -p "$PWD/lists/lab" && list="--dir $PWD/lists/lab" ;;
	document) document "$PWD/lists/doc" && list="--dir $PWD/lists/doc" ;;
	folder) mkdir -p "$PWD/lists/.tasks" && list="--dir $PWD/lists/.tasks" ;;
	esac
}

# t ARGUMENT...: claude-tasks on that list
t() {
	# shellcheck disable=SC2086
	tasks $list "$@"
}

# make SUBJECT [OPTION...]: a new task; its id is in $id
make_task() {
	t create "$@" --json
	id=$(jq -r .id <<<"$out")
}

# call TOOL INPUT: a tool on that list
call() {
	out=$("$cli" $list call "$1" <<<"$2" 2>"$T/err")
	rc=$?
}

# status_of ID: as the command shows it
status_of() {
	# shellcheck disable=SC2086
	"$cli" $list get "$1" --json | jq -r .summary.status
}

# hook PROGRAM: with the event on standard input
hook() {
	local program=$1
	shift
	# shellcheck disable=SC2086
	out=$("$BUILD/$program" $list "$@" 2>"$T/err")
	rc=$?
}

event() {
	printf '{"session_id":"0f1e2d3c-0000-4000-8000-000000000001","cwd":"%s",%s}' "$PWD" "$1"
}

# start ID, update ID MEMBERS: the client's call, seen by on-pretooluse-task
update() {
	event "\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"TaskUpdate\",\"tool_input\":{\"taskId\":\"$1\",$2},\"tool_use_id\":\"toolu_1\""
}

# The words of the client's files, as the client reads them: every task must be one it lists.
client_shows() {
	jq -se 'all(.status | IN("pending", "in_progress", "completed"))' "$PWD"/lists/lab/[0-9]*.json
}

## 3.4, 3.11: blocked and cancelled, on every layout
for layout in native document folder; do
	on $layout
	make_task First && first=$id
	make_task Second --blocked-by "$first" && second=$id
	make_task Third && third=$id

	t update "$first" --status cancelled
	is "3.11: $layout: update --status cancelled cancels a task" "0 cancelled" "$rc $(status_of "$first")"
	t list --all
	has "3.4: $layout: list --all shows a cancelled task" "#$first [cancelled] First" "$out"
	t list
	has "3.4: $layout: list counts the cancelled tasks that it leaves out" '+1 cancelled' "$out"
	t list --status cancelled --json
	is "3.4: $layout: list --status cancelled finds and counts the cancelled task" "[\"$first\"] 1" "$(jq -c '[.tasks[].id]' <<<"$out") $(jq .counts.cancelled <<<"$out")"
	t get "$first"
	has "3.4: $layout: get shows that a task is cancelled" '[cancelled]' "$out"
	t tree --all
	has "3.4: $layout: tree --all shows that a task is cancelled" "[cancelled] First" "$out"
	t statusline --ascii
	has "3.4: $layout: the status line counts the cancelled task" 'cancelled 1' "$out"
	call TodoRead '{"include_completed":true}'
	is "3.4: $layout: TodoRead shows and counts the cancelled task" "cancelled 1 0" "$(jq -r --arg i "$first" '"\(.tasks[]|select(.id==$i).status) \(.cancelled_count) \(.completed_count)"' <<<"$out")"
	t list --ready --json
	is "3.4: $layout: a task that waited for a cancelled one can start" true "$(jq --arg i "$second" 'any(.tasks[]; .id == $i)' <<<"$out")"
	t complete "$first"
	is "3.4: $layout: a cancelled task cannot be completed" 12 "$rc"
	t claim "$first"
	is "3.4: $layout: a cancelled task cannot be started" 12 "$rc"
	t update "$first" --status pending
	is "3.4: $layout: a cancelled task can be set to pending" '0 pending' "$rc $(status_of "$first")"
	t undo
	is "3.4: $layout: undo makes the task cancelled again" '0 cancelled' "$rc $(status_of "$first")"
	t undo
	is "3.4: $layout: undo of the cancellation makes it pending" '0 pending' "$rc $(status_of "$first")"

	t update "$third" --status blocked
	is "3.11: $layout: update --status blocked blocks a task" "0 blocked" "$rc $(status_of "$third")"
	t list --status blocked --json
	is "0.59: $layout: list --status blocked finds what was set to blocked and what waits for others" \
	    "$(printf '%s\n' "$second" "$third" | sort | xargs)" "$(jq -r '.tasks[].id' <<<"$out" | sort | xargs)"
	t list --ready --json
	is "3.11: $layout: a task that was set to blocked is not ready" false "$(jq --arg i "$third" 'any(.tasks[]; .id == $i)' <<<"$out")"
	t claim "$third"
	is "3.11: $layout: a task that was set to blocked cannot be started" 13 "$rc"
	has "3.11: $layout: the refusal of the start names the command that sets it to pending" "claude-tasks update $third --status pending" "$err"
	t update "$third" --owner bob
	is "3.11: $layout: another change leaves the task blocked" blocked "$(status_of "$third")"
	t release "$third"
	is "3.11: $layout: a release leaves the task blocked" blocked "$(status_of "$third")"
	t update "$second" --status blocked
	t export
	"$cli" --list "copy-$layout" import - <<<"$out" >/dev/null
	"$cli" --list "copy-$layout" update "$first" --status cancelled >/dev/null
	is "3.11: $layout: a copy of a task that waits and was set to blocked is still blocked when nothing blocks it" blocked "$("$cli" --list "copy-$layout" get "$second" --json | jq -r .summary.status)"
	t undo
	t update "$first" --status cancelled
	is "3.11: $layout: after undo only its dependencies block a task" 'pending' "$(status_of "$second")"
	t undo
	t update "$second" --status blocked
	t update "$first" --status cancelled
	t claim "$second"
	is "3.11: $layout: a task that was set to blocked while it waited cannot be started when nothing blocks it" '13 blocked' "$rc $(status_of "$second")"
	t update "$second" --status pending
	t list --ready --json
	is "3.11: $layout: when it is set to pending it is ready" true "$(jq --arg i "$second" 'any(.tasks[]; .id == $i)' <<<"$out")"
	t update "$third" --status pending
	t claim "$third"
	is "3.11: $layout: a task that was set to pending again can be started" 0 "$rc"
	t complete "$third"
	t update "$third" --status cancelled
	is "3.11: $layout: a completed task cannot be cancelled" '21 completed' "$rc $(status_of "$third")"
	has "3.11: $layout: the refusal of the cancellation names the command that reopens the task" "claude-tasks update $third --status pending" "$err"
done

## the tools
for layout in native document folder; do
	on $layout
	make_task One && one=$id
	make_task Two && two=$id
	call TaskUpdate "{\"id\":\"$one\",\"status\":\"blocked\"}"
	is "3.11: $layout: TaskUpdate sets a task to blocked" '{"from":"pending","to":"blocked"} blocked' "$(command jq -c .statusChange <<<"$out") $(status_of "$one")"
	call TaskUpdate "{\"taskId\":\"$two\",\"status\":\"cancelled\"}"
	is "3.11: $layout: TaskUpdate sets a task to cancelled" 'true cancelled' "$(jq .success <<<"$out") $(status_of "$two")"
	call TaskUpdate "{\"taskId\":\"$one\",\"status\":\"pending\"}"
	is "3.11: $layout: TaskUpdate sets a blocked task to pending" pending "$(status_of "$one")"
	call TodoWrite "{\"id\":\"$one\",\"description\":\"One\",\"status\":\"blocked\"}"
	is "3.11: $layout: TodoWrite sets a task to blocked" 'blocked blocked' "$(jq -r .task.status <<<"$out") $(status_of "$one")"
	call TodoRead '{"status":"blocked"}'
	is "3.11: $layout: TodoRead finds the blocked task by its status" "1 1" "$(jq -r '"\(.count) \(.blocked_count)"' <<<"$out")"
	call TodoWrite "{\"id\":\"$one\",\"description\":\"One\",\"status\":\"pending\"}"
	is "3.11: $layout: TodoWrite sets a blocked task to pending" pending "$(status_of "$one")"
	call TodoWrite "{\"id\":\"$one\",\"description\":\"One\",\"status\":\"cancelled\"}"
	is "3.11: $layout: TodoWrite sets a task to cancelled" cancelled "$(status_of "$one")"
	call TaskUpdate "{\"taskId\":\"$two\",\"status\":\"weird\"}"
	is "3.11: $layout: TaskUpdate refuses a status that does not exist" 64 "$rc"
done
on native
call TodoWrite '{"description":"New","status":"blocked"}'
is '3.11: TodoWrite makes a task that is blocked' 'blocked blocked' "$(jq -r .task.status <<<"$out") $(status_of 1)"
call TodoWrite '{"description":"Newer","status":"blocked","dependencies":["1"]}'
is '3.11: TodoWrite stores no mark for a task that its dependencies block' 'blocked null' "$(jq -r .task.status <<<"$out") $(jq .metadata lists/lab/2.json)"
call TodoWrite '{"description":"Newest","status":"cancelled"}'
is '3.11: TodoWrite makes a task that is cancelled' cancelled "$(status_of 3)"
on native
make_task Mine
t claim 1 --agent bob
out=$("$cli" $list call TaskUpdate --agent eve <<<'{"taskId":"1","status":"cancelled"}' 2>"$T/err")
is '3.11: an agent cannot cancel the task of another agent' '11 in_progress' "$? $(status_of 1)"

## the client's files
on native
make_task First
make_task Second
make_task Third --blocked-by 1
t update 1 --status cancelled
t update 2 --status blocked
try "3.4: every status in the client's files is one that the client knows" client_shows
is '3.4: a cancelled task is completed for the client, with a mark' 'completed cancelled' "$(jq -r '"\(.status) \(.metadata.original_status)"' lists/lab/1.json)"
is '3.11: a blocked task is pending for the client, with a mark' 'pending blocked' "$(jq -r '"\(.status) \(.metadata.original_status)"' lists/lab/2.json)"
t doctor --no-selftest --json
is '3.4: doctor finds nothing wrong with the marks' 0 "$(jq '[.findings[]|select(.check|startswith("store"))]|length' <<<"$out")"
printf '{"id":"9","subject":"s","description":"","status":"cancelled","blocks":[],"blockedBy":[]}' >lists/lab/9.json
t doctor --fix --no-selftest
is '3.4: doctor --fix keeps the meaning of a status that hides a task from the client' 'completed cancelled' "$(jq -r .status lists/lab/9.json) $(status_of 9)"
jq '.status="pending"' lists/lab/1.json >lists/x && cp lists/x lists/lab/1.json
is '3.4: the mark does not count beside another status' pending "$(status_of 1)"
t update 1 --status in_progress
is '3.4: our next change of the status removes the mark' null "$(jq -c '.metadata.original_status' lists/lab/1.json)"
t update 1 --set original_status=cancelled
is '3.4: update --set cannot set the mark alone' 21 "$rc"

on native
make_task First
make_task Second
t update 1 --status cancelled
t update 2 --status blocked
hook on-pretooluse-task <<<"$(update 2 '"status":"in_progress"')"
is '3.11: the hook refuses to start a task that was set to blocked' 2 "$rc"
has '3.11: that refusal names the command that sets it to pending' 'claude-tasks update 2 --status pending' "$(<"$T/err")"
hook on-pretooluse-task <<<"$(update 1 '"status":"completed"')"
is '3.4: the hook refuses to complete a cancelled task' 2 "$rc"
hook on-pretooluse-task <<<"$(update 1 '"metadata":{"original_status":null}')"
is '3.4: the hook refuses to remove the mark alone' 2 "$rc"
hook on-pretooluse-task <<<"$(update 2 '"status":"pending"')"
is '3.11: the hook removes the mark when the client sets a blocked task to pending' '{"original_status":null}' "$(command jq -c .hookSpecificOutput.updatedInput.metadata <<<"$out")"
hook on-pretooluse-task <<<"$(update 1 '"status":"pending","metadata":{"a":1}')"
is '3.4: the hook removes the mark when the client reopens a cancelled task, and keeps other metadata' '{"a":1,"original_status":null}' "$(command jq -c .hookSpecificOutput.updatedInput.metadata <<<"$out")"
t update 1 --status pending
hook on-pretooluse-task <<<"$(update 1 '"status":"cancelled"')"
is '3.11: the hook lets a call pass that cancels a free task' 0 "$rc"
t claim 1 --agent bob
hook on-pretooluse-task <<<"$(update 1 '"status":"cancelled"')"
is '3.11: the hook refuses to cancel the task of another agent' 2 "$rc"

## 3.19: reports
report() {
	event "\"agent_id\":\"a6b1d0c2f3e4a5b69\",\"agent_type\":\"general-purpose\",\"hook_event_name\":\"SubagentStop\",\"last_assistant_message\":\"{\\\"tasks_to_update\\\":[{\\\"task_id\\\":\\\"$1\\\",\\\"status\\\":\\\"$2\\\"}]}\""
}
for layout in native document folder; do
	on $layout
	make_task First && first=$id
	make_task Second --blocked-by "$first" && second=$id
	make_task Third && third=$id
	for status in blocked cancelled; do
		hook on-subagent-stop <<<"$(report "$third" $status)"
		is "3.19: $layout: a report with the status $status is applied" "[{\"task_id\":\"$third\",\"status\":\"$status\"}] null $status" \
		    "$(command jq -r '"\(.hookSpecificOutput.tasks_to_update) \(.systemMessage | tojson)"' <<<"$out") $(status_of "$third")"
	done
	t update "$third" --status pending
	t update "$third" --status blocked
	hook on-subagent-stop <<<"$(report "$third" in_progress)"
	has "3.19: $layout: a report cannot start a task that was set to blocked" "claude-tasks update $third --status pending" "$(jq -r .systemMessage <<<"$out")"
	make_task Fourth
	t update "$id" --status cancelled
	make_task Fifth
	t claim "$id" --agent bob
	# shellcheck disable=SC2086
	"$cli" $list export >"$T/array"
	hook on-subagent-stop <"$T/array"
	is "3.19: $layout: the list's own export as a report changes nothing, and gets no answer" '0 ' "$rc $out$(<"$T/err")"
	is "3.19: $layout: the export has the status of every task" "First pending,Second blocked,Third blocked,Fourth cancelled,Fifth in_progress" \
	    "$(jq -r '["First","Second","Third","Fourth","Fifth"] as $o | [$o[] as $n | .[] | select(.subject == $n) | "\(.subject) \(.status)"] | join(",")' "$T/array")"

	## and back
	for to in native document folder; do
		rm -rf "$PWD/back" && mkdir -p "$PWD/back"
		case $to in
		native) back=$PWD/back/lab && mkdir "$back" ;;
		document) back=$PWD/back/doc && document "$back" ;;
		folder) back=$PWD/back/.tasks && mkdir "$back" ;;
		esac
		tasks --dir "$back" import "$T/array"
		"$cli" --dir "$back" export >"$T/again"
		is "3.19: $layout: tasks that are exported, imported as $to and exported again are the same" \
		    "$(jq -c 'map({subject,status,owner,d:(.dependencies|length)})|sort_by(.subject)' "$T/array")" \
		    "$(jq -c 'map({subject,status,owner,d:(.dependencies|length)})|sort_by(.subject)' "$T/again")"
	done
done

## 3.8, 3.12, 3.16: the exported Task
shape='["blockedBy","dependencies","description","id","metadata","owner","priority","status","subject"]'
for layout in native document folder; do
	on $layout
	make_task First && first=$id
	if [ $layout = folder ]; then
		make_task Second --blocked-by "$first" --owner bob
	else
		make_task Second --blocked-by "$first" --owner bob --set priority=high
	fi
	second=$id
	t export
	is "3.8: $layout: every exported task has its times" true \
	    "$(jq 'all(.[].metadata | .created_at, .updated_at; test("^2[0-9]{3}-[0-9-]{5}T[0-9:]{8}Z$"))' <<<"$out")"
	# a .tasks folder has no place for a priority
	[ $layout != folder ] || shape=${shape/'"priority",'/}
	is "3.16: $layout: an exported task has the members of the document" "$shape" \
	    "$(jq -c --arg i "$second" '.[]|select(.id==$i)|keys' <<<"$out")"
	is "3.16: $layout: an exported task has the right values" "[[\"$first\"],[\"$first\"],\"blocked\",\"bob\",\"bob\"]" \
	    "$(jq -c --arg i "$second" '.[]|select(.id==$i)|[.dependencies,.blockedBy,.status,.owner,.metadata.subagent_id]' <<<"$out")"
	exported=$(command jq -c . <<<"$out")
	call TaskList '{"full":true}'
	is "3.12: $layout: TaskList with full gives the exported array" "$exported" "$(command jq -c . <<<"$out")"
	# shellcheck disable=SC2086
	out=$(printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"TaskList","arguments":{"full":true}}}' | "$cli" $list mcp)
	is "3.12: $layout: TaskList with full over MCP gives the exported array in an object, and as text" "$exported $exported" \
	    "$(command jq -c .result.structuredContent.tasks <<<"$out") $(jq -r '.result.content[0].text' <<<"$out" | command jq -c .)"
	call TaskList '{}'
	is "3.12: $layout: TaskList without full has the client's form" '["tasks"]' "$(jq -c keys <<<"$out")"
	call TodoRead '{}'
	is "3.8: $layout: TodoRead gives the same times" "$(jq -c '[.[].metadata|[.created_at,.updated_at]]|sort' <<<"$exported")" \
	    "$(jq -c '[.tasks[]|[.created_at,.updated_at]]|sort' <<<"$out")"
done
on native
make_task Seen
printf '{"id":"2","subject":"i","description":"","status":"pending","blocks":[],"blockedBy":[],"metadata":{"_internal":true}}' >lists/lab/2.json
t export
is "3.16: export leaves out the client's internal tasks" '["1"]' "$(jq -c '[.[].id]' <<<"$out")"
on native
echo '[{"id":"task_1","subject":"Old","description":"","status":"pending","dependencies":[],"blockedBy":[],
    "metadata":{"created_at":"2026-02-06T20:41:00Z","updated_at":"2026-02-06T20:45:12Z"}}]' >"$T/old"
t import "$T/old"
t export
is '3.8: export keeps the times that were imported' '2026-02-06T20:41:00Z 2026-02-06T20:45:12Z' "$(jq -r '.[0].metadata|"\(.created_at) \(.updated_at)"' <<<"$out")"
t update task_1 --owner me
t export
is '3.8: a change of the task changes updated_at only' '2026-02-06T20:41:00Z true' "$(jq -r '.[0].metadata|"\(.created_at) \(.updated_at > "2026-02-07")"' <<<"$out")"
out=$(printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"TaskList","arguments":{"full":true}}}' |
    "$cli" $list mcp)
is '3.12: TaskList with full over MCP gives the array in an object, and as text' 'Old Old' "$(jq -r '"\(.result.structuredContent.tasks[0].subject) \(.result.content[0].text|fromjson|.[0].subject)"' <<<"$out")"

## 0.22: metadata.priority
for layout in native document; do
	on $layout
	make_task One --set priority=low && one=$id
	t create Two --set priority=urgent
	is "0.22: $layout: create refuses a priority that does not exist" 64 "$rc"
	has "0.22: $layout: the refusal of create names the allowed priorities" 'low, medium or high' "$err"
	t update "$one" --metadata '{"priority":7}'
	is "0.22: $layout: update refuses a priority that is a number" 64 "$rc"
	call TaskCreate '{"subject":"Two","metadata":{"priority":"urgent"}}'
	is "0.22: $layout: TaskCreate refuses a priority that does not exist" 64 "$rc"
	has "0.22: $layout: the refusal of TaskCreate names the allowed priorities" 'low, medium, high' "$out"
	call TaskUpdate "{\"taskId\":\"$one\",\"metadata\":{\"priority\":\"P0\"}}"
	is "0.22: $layout: TaskUpdate refuses a priority that does not exist" 64 "$rc"
	call TodoWrite '{"description":"Two","metadata":{"priority":"urgent"}}'
	is "0.22: $layout: TodoWrite refuses a priority that does not exist" 64 "$rc"
	for text in '[{"id":"9","subject":"s","description":"","status":"pending","priority":"urgent","dependencies":[]}]' \
	    '{"tasks":[{"id":"9","description":"s","status":"pending","metadata":{"priority":"urgent"}}]}'; do
		echo "$text" >"$T/urgent"
		t import "$T/urgent"
		is "0.22: $layout: import refuses a priority that does not exist" 21 "$rc"
		has "0.22: $layout: the refusal of import names the allowed priorities" 'low, medium or high' "$err"
	done
	t list --all --json
	is "0.22: $layout: the refused calls wrote nothing" '1 low' "$(jq '.tasks|length' <<<"$out") $("$cli" $list get "$one" --json | jq -r .task.metadata.priority)"
	for value in medium high null; do
		call TaskUpdate "{\"taskId\":\"$one\",\"metadata\":{\"priority\":${value/#[mh]*/\"$value\"}}}"
		is "0.22: $layout: TaskUpdate takes the priority $value" "0 $value" "$rc $("$cli" $list get "$one" --json | jq -r .task.metadata.priority)"
	done
done
on native
make_task One
jq '.metadata={"priority":"P0"}' lists/lab/1.json >lists/x && cp lists/x lists/lab/1.json
t update 1 --set a=1
is '0.22: another priority that the client wrote survives our change' P0 "$(jq -r .metadata.priority lists/lab/1.json)"
hook on-pretooluse-task <<<"$(update 1 '"status":"in_progress","metadata":{"priority":"P1"}')"
is '0.22: the hook lets the client write any priority' 0 "$rc"

## 0.20: parents; a .tasks folder has no place for one
for layout in native document; do
	on $layout
	for input in '"1","description":"Parent"' '"2","description":"Child","parent_id":"1"' '"3","description":"Grandchild","parent_id":"2"' \
	    '"4","description":"Sibling","parent_id":"1","dependencies":["2"]' '"5","description":"Waits","dependencies":["2"]'; do
		call TodoWrite "{\"id\":$input}"
		[ "$rc" = 0 ] || fail "0.20: $layout: the tasks of these cases can be made" "$out"
	done
	waits=pending
	[ $layout = native ] || waits=blocked
	t get 2
	has "0.20: $layout: get names the parent of a subtask" 'parent: #1 [pending] Parent' "$out"
	has "0.20: $layout: get lists the subtasks of a task" 'subtasks: #3 [pending] Grandchild' "$out"
	t tree --ascii
	is "0.20: $layout: tree draws a subtask below its parent" "#1 [pending] Parent
|- #2 [pending] Child
|  |- #3 [pending] Grandchild
|  \`- #5 [$waits] Waits [blocked by #2]
\`- #4 [$waits] Sibling [blocked by #2]" "$out"
	t depend 1 --on 2
	t tree --ascii
	is "0.20: $layout: tree draws a parent that waits for its subtask above it" "#1 [$waits] Parent [blocked by #2]" "$(head -n 1 <<<"$out")"
	is "0.20: $layout: tree draws no cycle for a parent that waits for its subtask" '' "$(grep cycle <<<"$out")"
done

## 0.62: activeForm, metadata and notes
on document
call TaskCreate '{"subject":"Run","activeForm":"Running"}'
one=$(jq -r .task.id <<<"$out")
t get "$one" --json
is '0.62: TaskCreate on a tasks.json list keeps activeForm in the metadata' '0 Running Running' "$rc $(jq -r '"\(.summary.activeForm) \(.task.metadata.activeForm)"' <<<"$out")"
call TaskUpdate "{\"taskId\":\"$one\",\"activeForm\":\"Going\",\"notes\":\"n\"}"
is '0.62: TaskUpdate on a tasks.json list changes activeForm and adds notes' '["activeForm","metadata"]' "$(jq -c .updatedFields <<<"$out")"
t update "$one" --active-form Walking
is '0.62: update --active-form works on a tasks.json list' 0 "$rc"
t undo
t get "$one" --json
is '0.62: undo restores activeForm and leaves the notes' 'Going n' "$(jq -r '"\(.summary.activeForm) \(.task.metadata.notes)"' <<<"$out")"
t update "$one" --status in_progress
t statusline --ascii
has '0.62: the status line shows the activeForm of a tasks.json list' Going "$out"
on folder
make_task One && one=$id
call TaskUpdate "{\"taskId\":\"$one\",\"notes\":\"look here\"}"
is '0.62: TaskUpdate on a .tasks folder adds notes to the description' $'One\n\nNotes: look here' "$("$cli" $list get "$one" --json | jq -r .task.description)"
for what in '"activeForm":"A"' '"metadata":{"a":1}'; do
	call TaskUpdate "{\"taskId\":\"$one\",$what}"
	is "0.62: TaskUpdate on a .tasks folder refuses $what" 21 "$rc"
	has "0.62: the refusal of $what says what to do instead" 'claude-tasks --list NAME import DIR' "$out"
done
is '0.62: a file of a .tasks folder keeps its six fields' '["blockedBy","description","id","owner","status","subject"]' "$(jq -c keys lists/.tasks/"$one".json)"
call TaskCreate '{"subject":"Two","activeForm":"A"}'
is '0.62: a refused TaskCreate on a .tasks folder makes nothing' '21 1' "$rc $(find lists/.tasks -name 'task_*.json' | wc -l)"
