# refused.sh: a call that is refused has changed nothing: every command and tool, in every layout.
#
# shellcheck shell=bash disable=SC2034,SC2154

# ---- the list of every case ----
#
#   1 pending, 2 waits for 1, 3 waits for 2, 4 in progress by bob, 5 completed, 6 and 7 pending,
#   8 pending, with the owner bob

# whole_task ID STATUS BLOCKS BLOCKED-BY [OWNER]: a file of the list
whole_task() {
	local owner=${5:+,\"owner\":\"$5\"}
	printf '{"id":"%s","subject":"T%s","description":"d","status":"%s","blocks":[%s],"blockedBy":[%s]%s}' \
	    "$1" "$1" "$2" "$3" "$4" "$owner" >"$dir/$1.json"
}

# whole_list LAYOUT: the list, in $dir
whole_list() {
	local layout=$1
	dir=$PWD/$layout
	[ "$layout" != folder ] || dir=$PWD/folder/.tasks
	rm -rf "$dir" "$CLAUDE_CONFIG_DIR/task-hooks"
	mkdir -p "$dir"
	whole_task 1 pending '"2"' ''
	whole_task 2 pending '"3"' '"1"'
	whole_task 3 pending '' '"2"'
	whole_task 4 in_progress '' '' bob
	whole_task 5 completed '' ''
	whole_task 6 pending '' ''
	whole_task 7 pending '' ''
	whole_task 8 pending '' '' bob
	if [ "$layout" = document ]; then
		jq -sc '{tasks: map(.dependencies = .blockedBy | del(.blocks, .blockedBy)), version: 2,
			last_updated: "2026-02-06T11:00:00Z"}' "$dir"/[1-8].json >"$dir/tasks.json"
		rm "$dir"/[1-8].json
	fi
	# From here on the list has its lock and its journal.
	tasks --dir "$dir" update 7,8 --subject Begun
	[ "$rc" = 0 ] || fail "the $layout list of these cases can be changed" "$err"
}

# whole_bytes: every name and byte of the list, when each file was written, and the claims
whole_bytes() {
	(cd "$dir" && find . ! -name . -printf '%p %m %T@\n' | sort && find . -type f | sort | xargs cat)
	cat "$CLAUDE_CONFIG_DIR"/task-hooks/*/claims.json 2>/dev/null
}

# whole_field ID KEY: a field of a task, as JSON
whole_field() {
	if [ -e "$dir/tasks.json" ]; then
		jq -c --arg id "$1" --arg key "$2" '.tasks[] | select(.id == $id)[$key]' "$dir/tasks.json"
	else
		jq -c --arg key "$2" '.[$key]' "$dir/$1.json"
	fi
}

# refused NAME STATUS ARGUMENT...: the command has this exit status and changes nothing; $input: its input
input=
refused() {
	local name=$1 status=$2 before after
	shift 2
	before=$(whole_bytes)
	tasks --dir "$dir" "$@" <<<"$input"
	after=$(whole_bytes)
	if [ "$rc" != "$status" ]; then
		fail "$name" "exit status $rc, not $status: $out$err"
	elif [ "$before" != "$after" ]; then
		fail "$name" "$(diff <(echo "$before") <(echo "$after"))"
	else
		ok "$name"
	fi
}

# by_mcp NAME TOOL: the server refuses the call as `call` did, with the same words, and changes nothing
by_mcp() {
	local before answer first='split("\n")[0] | gsub("#(task_[0-9]+_[0-9a-f]+|[0-9a-f-]{36})"; "#NEW")'
	before=$(whole_bytes)
	jq -nc --arg t "$2" --argjson i "$input" '{jsonrpc: "2.0", id: 1, method: "tools/call", params: {name: $t, arguments: $i}}' >&"${server[1]}"
	IFS= read -r -t 60 answer <&"${server[0]}"
	is "$1" "true $(jq -r ".error // .message | $first" <<<"$out")
$before" "$(jq -r ".result.isError, (.result.content[0].text | $first)" <<<"$answer" | paste -sd' ')
$(whole_bytes)"
}

whole_cycle='[{"id":"21","subject":"A","status":"pending","priority":"low","dependencies":["23"],"blockedBy":[]},
{"id":"22","subject":"B","status":"pending","priority":"low","dependencies":["21"],"blockedBy":[]},
{"id":"23","subject":"C","status":"pending","priority":"low","dependencies":["22"],"blockedBy":[]}]'
echo "$whole_cycle" >cycle.json
jq '.[1].dependencies = [] | .[2].priority = "top"' cycle.json >priority.json
# 31 would wait for 3 of the list, and 1, for which 3 waits, would wait for 31.
cat >outward.json <<'END'
[{"id":"30","subject":"Fine","description":"d","status":"pending","blocks":[],"blockedBy":[]},
{"id":"31","subject":"Out","description":"d","status":"pending","blocks":["1"],"blockedBy":["3"]}]
END

for layout in native document folder; do
	whole_list $layout
	echo '{"durability":"off","gates":[{"name":"never","run":["false"]}]}' >"$CLAUDE_CONFIG_DIR/task-hooks.json"

	# Commands: most rows could change a task before they reach what is refused.
	while IFS='|' read -r number status why arguments; do
		# shellcheck disable=SC2086
		refused "$number: $layout: '$arguments' changes nothing, because $why" "$status" $arguments
	done <<'END'
0.37|10|there is no task 99|update 6 99 --subject X
0.37|21|there is no task 99 to wait for|update 6 --subject X --blocked-by 1,99
0.37|21|there is no task 99 that could wait|update 6 --subject X --blocks 1,99
0.38|21|1 would wait for itself through 3|update 6,1 --subject X --blocked-by 3
0.38|21|6 would wait for itself|update 6 --subject X --blocked-by 1,6
0.39|13|2 is blocked|update 6 2 --status in_progress --subject X
0.39|13|6 would be started and blocked|update 6 --status in_progress --blocked-by 1
0.39|11|bob owns 8|update 6 8 --status in_progress
0.39|12|5 is completed|update 6 5 --status in_progress --subject X
0.39|11|bob works on 4|update 6 4 --status in_progress --subject X
0.39|64|a task needs a subject|update 6 --status cancelled --subject=
0.39|20|a gate fails|update 6 1 --status completed --subject X
3.4|21|5 is completed and cannot be cancelled|update 6 5 --status cancelled --subject X
3.4|10|there is no task 99|update 6 99 --status cancelled
3.11|10|there is no task 99|update 6 99 --status blocked
0.37|64|the priority must be low, medium or high|update 6 --subject X --set priority=top
0.37|21|there is no task 99 to wait for|depend 6 --on 1,99
0.38|21|3 waits for 1 through 2|depend 1 --on 6,3
0.38|21|6 would wait for itself|depend 6 --on 1,6
0.37|10|there is no task 99|depend 99 --on 1
0.38|21|3 waits for 2|depend 2 --drop 1 --on 3
0.37|10|there is no task 99|release 4 99
0.37|10|there is no task 99|release 1 99
0.37|21|5 is completed|release 4 5
0.37|10|there is no task 99|delete 6 99
0.37|21|there is no task 99 to wait for|create New --blocked-by 1,99
0.38|21|3 waits for 1 through 2|create New --blocked-by 3 --blocks 1
0.37|21|there is no parent 99|create New --kind phase --parent 99
0.37|21|there is no parent 99|create New --parent 99
0.37|21|there is no parent 99|update 1 --subject New --parent 99
0.37|21|there is no task 99 to wait for|create New --kind mission --blocked-by 1,99
0.39|13|2 is blocked|claim 2
0.39|11|bob works on 4|claim 4
0.39|12|5 is completed|claim 5
0.39|10|there is no task 99|claim 99
0.39|14|bob works on 4 and wants one task at a time|claim 6 --one --agent bob
0.39|20|a gate fails|complete 6
0.39|13|2 is blocked|complete 2
0.39|12|5 is completed|complete 5
0.30|21|its tasks wait for each other in a cycle|import cycle.json
0.37|21|one of its priorities is not low, medium or high|import priority.json
0.37|10|the journal has neither of the tasks|restore 98 99
0.37|21|task 8 exists|restore 8
END
	case $layout in
	native)
		refused "0.30: native: 'import' changes nothing, if the tasks close a cycle with those of the list" \
		    21 import outward.json
		refused "3.11: native: 'update' changes nothing, if it sets the status in the metadata" \
		    21 update 6 --subject X --set original_status=blocked ;;
	folder)
		refused "0.37: folder: 'update' changes nothing, if the folder cannot hold one of the fields" \
		    21 update 6 --subject X --active-form Y ;;
	esac

	# Tools: the name and the input.
	coproc server { "$cli" --dir "$dir" mcp --tools all 2>/dev/null; }
	while IFS='|' read -r number status why tool input; do
		refused "$number: $layout: $tool $input changes nothing, because $why" "$status" call "$tool"
		by_mcp "$number: $layout: $tool $input over MCP changes nothing, because $why" "$tool"
	done <<'END'
0.37|21|there is no task 99 to wait for|TaskCreate|{"subject":"New","dependencies":["1","99"]}
0.37|21|there is no task 99 to wait for|TaskUpdate|{"taskId":"6","subject":"X","addBlockedBy":["1","99"]}
0.37|21|there is no task 99 that could wait|TaskUpdate|{"taskId":"6","subject":"X","addBlocks":["1","99"]}
0.38|21|1 would wait for itself through 3|TaskUpdate|{"taskId":"1","subject":"X","addBlocks":["6"],"addBlockedBy":["3"]}
0.38|21|6 would wait for itself|TaskUpdate|{"taskId":"6","subject":"X","addBlockedBy":["6"]}
0.38|21|1 would wait for itself through 3|TaskUpdate|{"taskId":"1","status":"in_progress","addBlockedBy":["3"]}
0.39|13|2 is blocked|TaskUpdate|{"taskId":"2","subject":"X","status":"in_progress","addBlocks":["6"]}
0.39|13|6 would be started and blocked|TaskUpdate|{"taskId":"6","subject":"X","status":"in_progress","addBlockedBy":["1"]}
0.39|11|bob owns 8|TaskUpdate|{"taskId":"8","subject":"X","status":"in_progress","owner":"eve"}
0.39|12|5 is completed|TaskUpdate|{"taskId":"5","subject":"X","status":"in_progress"}
0.39|20|a gate fails|TaskUpdate|{"taskId":"6","subject":"X","status":"completed","addBlocks":["7"]}
0.39|13|6 would be completed and blocked|TaskUpdate|{"taskId":"6","subject":"X","status":"completed","addBlockedBy":["1"]}
3.4|21|5 is completed and cannot be cancelled|TaskUpdate|{"taskId":"5","subject":"X","status":"cancelled","addBlocks":["6"]}
3.11|21|there is no task 99 to wait for|TaskUpdate|{"taskId":"6","subject":"X","status":"blocked","addBlockedBy":["99"]}
0.37|10|there is no task 99|TaskUpdate|{"taskId":"99","subject":"X"}
0.39|64|a task needs a subject|TaskUpdate|{"taskId":"6","status":"cancelled","subject":""}
0.37|21|there is no task nope to wait for|TodoWrite|{"id":"task-c","description":"C","dependencies":["1","nope"]}
0.37|21|there is no task nope to wait for|TodoWrite|{"description":"C","dependencies":["nope"]}
0.37|21|there is no task nope to wait for|TodoWrite|{"id":"6","description":"X","dependencies":["1","nope"]}
0.38|21|1 would wait for itself through 3|TodoWrite|{"id":"1","description":"CHANGED","assignee":"eve","dependencies":["3"]}
0.38|21|6 would wait for itself|TodoWrite|{"id":"6","description":"CHANGED","dependencies":["6"]}
0.38|21|task-c would wait for itself|TodoWrite|{"id":"task-c","description":"C","dependencies":["task-c"]}
0.39|13|x1 would be started and blocked|TodoWrite|{"id":"x1","description":"X","status":"in_progress","dependencies":["1"]}
0.39|13|2 is blocked|TodoWrite|{"id":"2","description":"X","status":"in_progress"}
0.39|11|bob owns 8|TodoWrite|{"id":"8","description":"X","status":"in_progress","assignee":"eve"}
0.39|12|5 is completed|TodoWrite|{"id":"5","description":"X","status":"in_progress"}
0.39|20|a gate fails|TodoWrite|{"id":"6","description":"X","status":"completed","dependencies":["5"]}
0.39|20|a gate fails|TodoWrite|{"id":"x2","description":"X","status":"completed"}
0.39|20|a gate fails|TodoWrite|{"description":"X","status":"completed"}
0.39|13|x3 would be completed and blocked|TodoWrite|{"id":"x3","description":"X","status":"completed","dependencies":["1"]}
3.4|21|5 is completed and cannot be cancelled|TodoWrite|{"id":"5","description":"X","status":"cancelled","dependencies":["6"]}
3.11|21|there is no task nope to wait for|TodoWrite|{"id":"x4","description":"X","status":"blocked","dependencies":["nope"]}
0.37|21|there is no task 99 to wait for|create_task|{"subject":"New","blockedBy":["1","99"]}
0.39|13|2 is blocked|claim_task|{"task_id":"2","owner":"eve"}
0.39|11|bob works on 4|claim_task|{"task_id":"4","owner":"eve"}
0.39|20|a gate fails|complete_task|{"task_id":"6"}
0.39|13|2 is blocked|complete_task|{"task_id":"2"}
END
	input=
	eval "exec ${server[1]}>&-"
	wait "$server_PID"
	echo '{"durability":"off"}' >"$CLAUDE_CONFIG_DIR/task-hooks.json"

	refused "0.39: $layout: 'update 6 2 --status completed' changes nothing, because 2 is blocked" \
	    13 update 6 2 --status completed
	is "0.39: $layout: the journal has no receipt of a task that was not completed" 0 \
	    "$(cat "$CLAUDE_CONFIG_DIR"/task-hooks/*/journal.jsonl | grep -c '"event":"receipt"')"
	tasks --dir "$dir" delete 4
	refused "0.37: $layout: 'depend 6 --on 1,4' changes nothing, because there is no task 4" 21 depend 6 --on 1,4

	tasks --dir "$dir" update 6 7 --subject Both
	tasks --dir "$dir" update 6 --subject Other
	tasks --dir "$dir" undo
	is "0.38: $layout: 'undo' undoes the last command alone" 'undid a change of #6' "${out%% (*}"
	# 6 and 7 are as the command with two tasks left them; 7 is changed without a line in the journal.
	sed -i 's/Both/By hand/2;/"id": *"7"/s/Both/By hand/' "$dir"/*.json
	before=$(whole_bytes)
	tasks --dir "$dir" undo
	is "0.38: $layout: 'undo' of a command changes nothing, if one of its two tasks was changed since" \
	    "21 $before" "$rc $(whole_bytes)"
done

# ---- what is not refused ----

for layout in native document folder; do
	whole_list $layout
	key=blockedBy owner=owner
	[ $layout != document ] || key=dependencies owner=assignee

	tasks --dir "$dir" call TodoWrite <<<'{"id":"n1","description":"First line\nand more"}'
	is "0.32: $layout: TodoWrite creates a task with the id of the call" '0 "First line\nand more"' \
	    "$rc $(whole_field n1 description)"
	tasks --dir "$dir" call TodoWrite <<<'{"description":"Without an id"}'
	made=$(jq -r .task.id <<<"$out")
	is "0.32: $layout: TodoWrite creates a task without an id" '0 "Without an id"' "$rc $(whole_field "$made" description)"
	[ $layout = folder ] || {
		tasks --dir "$dir" call TodoWrite <<<'{"id":"n2","description":"All of it","status":"in_progress","assignee":"eve","dependencies":["5"],"parent_id":"1","metadata":{"k":1}}'
		is "0.32: $layout: TodoWrite creates and starts a task with all fields" '0 "in_progress" "eve" ["5"]' \
		    "$rc $(whole_field n2 status) $(whole_field n2 $owner) $(whole_field n2 $key)"
	}
	tasks --dir "$dir" call TodoWrite <<<'{"id":"n3","description":"Done at once","status":"completed"}'
	is "0.32: $layout: TodoWrite creates a completed task" '0 "completed"' "$rc $(whole_field n3 status)"
	answer=$(printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}' \
	    '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
	    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"TodoWrite","arguments":{"id":"n4","description":"By MCP"}}}' |
	    "$cli" --dir "$dir" mcp --tools todo 2>&1 | tail -n 1)
	is "0.32: $layout: TodoWrite creates a task over MCP" '"By MCP"' "$(whole_field n4 description)"
	has "0.32: $layout: the answer over MCP names the created task" 'Created task n4: By MCP' "$answer"
	[ $layout = folder ] || {
		tasks --dir "$dir" call TodoWrite <<<'{"id":"n5","description":"Held","status":"blocked"}'
		tasks --dir "$dir" get n5 --json
		is "3.11: $layout: TodoWrite creates a blocked task" '0 blocked' "$rc $(jq -r .summary.status <<<"$out")"
	}
	tasks --dir "$dir" call TodoWrite <<<'{"id":"n6","description":"Waits","status":"blocked","dependencies":["1"]}'
	tasks --dir "$dir" depend n6 --drop 1
	tasks --dir "$dir" get n6 --json
	is "3.11: $layout: a task that its dependencies block becomes pending without them" '0 pending' \
	    "$rc $(jq -r .summary.status <<<"$out")"

	# The dependencies that the call leaves count, and all its fields are written.
	tasks --dir "$dir" call TodoWrite <<<'{"id":"2","description":"Free now","status":"in_progress","dependencies":[]}'
	is "0.39: $layout: TodoWrite removes the dependency and starts the task in one call" '0 "in_progress" []' \
	    "$rc $(whole_field 2 status) $(whole_field 2 $key)"
	tasks --dir "$dir" call TodoWrite <<<'{"id":"3","description":"Free now","status":"completed","dependencies":[]}'
	is "0.39: $layout: TodoWrite removes the dependency and completes the task in one call" '0 "completed" []' \
	    "$rc $(whole_field 3 status) $(whole_field 3 $key)"

	tasks --dir "$dir" update 6 7 --owner ada --blocked-by 1
	is "0.38: $layout: 'update' changes all tasks that it names" '0 "ada" ["1"]' \
	    "$rc $(whole_field 7 $owner) $(whole_field 6 $key)"
	tasks --dir "$dir" undo
	is "0.38: $layout: 'undo' undoes all changes of a command" 'undid a change of #7 undid a change of #6 ' \
	    "$(sed 's/ (.*//' <<<"$out" | tr '\n' ' ')"
	is "0.38: $layout: 'undo' removes the dependencies that the command added" '[] []' \
	    "$(whole_field 6 $key) $(whole_field 7 $key)"
	tasks --dir "$dir" depend 7 --on 6
	tasks --dir "$dir" update 7 6 --status completed
	is "0.39: $layout: one command completes a task and the one that waits for it" '0 "completed" "completed"' \
	    "$rc $(whole_field 6 status) $(whole_field 7 status)"
	tasks --dir "$dir" undo
	is "0.39: $layout: 'undo' reopens both" '0 true true' \
	    "$rc $(whole_field 6 status | jq '. != "completed"') $(whole_field 7 status | jq '. != "completed"')"

	tasks --dir "$dir" delete 1 6 '#6,7'
	is "0.38: $layout: 'delete' deletes each task once, also one that is named twice" '0 3' \
	    "$rc $(grep -c '^deleted' <<<"$out")"
	tasks --dir "$dir" undo
	is "0.38: $layout: 'undo' creates all deleted tasks again" '0 3 ["6"]' \
	    "$rc $(grep -c 'undid the deletion' <<<"$out") $(whole_field 7 $key)"

	tasks --dir "$dir" update 7 --blocks 8
	is "0.38: $layout: 'update --blocks' adds the dependency to the other task" '0 ["7"]' "$rc $(whole_field 8 $key)"
	tasks --dir "$dir" undo
	is "0.38: $layout: 'undo' of 'update --blocks' removes the dependency from the other task" '0 [] "7"' \
	    "$rc $(whole_field 8 $key) $(whole_field 7 id)"
	tasks --dir "$dir" depend 8 --on 7
	tasks --dir "$dir" delete 7
	tasks --dir "$dir" undo
	is "0.38: $layout: 'undo' of 'delete' restores the dependency of the task that waited" '0 ["7"]' \
	    "$rc $(whole_field 8 $key)"
	tasks --dir "$dir" undo
	is "0.38: $layout: the next 'undo' undoes the command before, which added the dependency" '0 []' \
	    "$rc $(whole_field 8 $key)"
	tasks --dir "$dir" create Later --blocks 8 --json
	later=$(jq -r '.task.id // .id' <<<"$out")
	tasks --dir "$dir" undo
	is "0.38: $layout: 'undo' of 'create --blocks' deletes the task and the dependency on it" '0 [] ' \
	    "$rc $(whole_field 8 $key) $(whole_field "$later" id 2>/dev/null)"
	[ $layout = folder ] || for to in completed pending cancelled; do
		tasks --dir "$dir" update 8 --status blocked
		tasks --dir "$dir" update 8 --status $to
		tasks --dir "$dir" undo
		done=$rc
		tasks --dir "$dir" get 8 --json
		is "0.38: $layout: 'undo' makes a blocked task that became $to blocked again" '0 blocked' \
		    "$done $(jq -r .summary.status <<<"$out")"
		tasks --dir "$dir" undo
		tasks --dir "$dir" get 8 --json
		is "0.38: $layout: the next 'undo' makes it pending again" '0 pending' "$rc $(jq -r .summary.status <<<"$out")"
	done

	tasks --dir "$dir" import cycle.json
	has "0.30: $layout: the refusal of an import names the cycle" 'cycle: #21 -> #23 -> #22 -> #21' "$err"
	tasks --dir "$dir" import cycle.json --dry-run
	is "0.30: $layout: 'import --dry-run' refuses a cycle, too" 21 "$rc"
	jq '.[0].dependencies = [] | .[2].dependencies = ["22", "1"]' cycle.json >straight.json
	tasks --dir "$dir" import straight.json
	is "0.30: $layout: 'import' imports the same tasks without the cycle" '0 imported 3 tasks' "$rc $out"
	[ $layout != native ] ||
	    has '0.30: native: an imported task that waits for one of the list is among what that one blocks' \
		'"23"' "$(whole_field 1 blocks)"
done

# ---- ids of a document that are not plain numbers ----
place whole-ids
mkdir document && dir=$PWD/document
jq -n '{tasks: ["a b", "#c", "d,e"] | map({id: ., description: "d", status: "pending", dependencies: []}),
	version: 2, last_updated: "2026-02-06T11:00:00Z"}' >"$dir/tasks.json"
refused "0.37: document: 'update' of tasks with any ids changes nothing, because there is no task nope" \
    10 update 'a b' '#c' 'd,e' nope --description D
refused "0.38: document: 'depend' of a task with any id changes nothing, because it would wait for itself" \
    21 depend 'd,e' --on '#c' --on 'd,e'
tasks --dir "$dir" update 'a b' '#c' 'd,e' '#c' --description D
is "0.37: document: 'update' changes each of the tasks with such ids once" '0 3 DDD' \
    "$rc $(grep -c '^updated' <<<"$out") $(jq -j '.tasks[].description' "$dir/tasks.json")"

# ---- a list that does not exist yet ----
place whole-new
echo "$whole_cycle" >cycle.json
while IFS='|' read -r arguments input; do
	# shellcheck disable=SC2086
	tasks -l new $arguments <<<"$input"
	is "0.37: a refused '$arguments${input:+ $input}' does not create the list" '21 no' \
	    "$rc $([ -e "$CLAUDE_CONFIG_DIR/tasks/new" ] && echo yes || echo no)"
done <<'END'
create New --blocked-by 1
call TaskCreate|{"subject":"N","dependencies":["1"]}
call TodoWrite|{"description":"N","dependencies":["1"]}
call TodoWrite|{"id":"n","description":"N","dependencies":["n"]}
import cycle.json
END
input=
tasks -l new create New --kind phase --parent 1
is "0.37: a refused 'create --kind phase --parent 1' does not create the list" '21 no' \
    "$rc $([ -e "$CLAUDE_CONFIG_DIR/tasks/new" ] && echo yes || echo no)"

# ---- other lists ----
place whole-moved
for name in from to; do
	dir=$CLAUDE_CONFIG_DIR/tasks/$name
	mkdir -p "$dir"
	tasks --dir "$dir" create Fine
done
dir=$CLAUDE_CONFIG_DIR/tasks/from
whole_task 2 pending '"3"' '"3"'
whole_task 3 pending '"2"' '"2"'
dir=$CLAUDE_CONFIG_DIR/tasks
before=$(whole_bytes)
tasks rehome from to
is "0.30: 'rehome' changes neither list, if tasks wait for each other in a cycle" "21 $before" "$rc $(whole_bytes)"
rm "$dir"/from/[23].json
changed_late() { tasks -l from update 1 --subject Late; }
number=$(first_lock '' rehome from dry)
tasks undo -l from
tasks undo -l dry
at_lock "$number" changed_late '' rehome from to
is "0.37: 'rehome' moves a task as it is, if it is changed right before the lock" '0 Late 0' \
    "$rc $(jq -rs 'map(.subject | select(. != "Fine"))[0]' "$dir"/to/*.json) $(find "$dir/from" -name '*.json' | wc -l)"
tasks -l from create Held
tasks -l to export
before=$out
held=$(basename "$dir"/from/*.json)
mkdir "$dir/from/$held.lock"
tasks rehome from to # it waits for less time than it takes until a lock counts as left behind
is "0.37: 'rehome' copies nothing, if the tasks cannot be deleted from their list" "15 $before" "$rc $(
	tasks -l to export
	echo "$out"
)"
rmdir "$dir/from/$held.lock"
whole_task 2 pending '"3"' '"3"' && mv "$dir/2.json" "$dir/from"
whole_task 3 pending '"2"' '"2"' && mv "$dir/3.json" "$dir/from"
tasks -l from export --to native exported
is "0.30: a refused 'export' does not create the directory" '21 no' "$rc $([ -e exported ] && echo yes || echo no)"

# ---- clear ----
for layout in native document folder; do
	place "whole-clear-$layout"
	whole_list $layout
	if [ $layout = document ]; then
		jq '.tasks += [{id: "9", description: "internal", status: "pending", metadata: {_internal: true}},
			{not: "a task"}]' "$dir/tasks.json" >tasks.json
		cat tasks.json >"$dir/tasks.json"
	else
		printf '{"id":"9","subject":"I","description":"d","status":"pending","blocks":[],"blockedBy":[],"metadata":{"_internal":true}}' >"$dir/9.json"
		echo 'not a task' >"$dir/12.json"
	fi
	tasks --dir "$dir" clear --yes
	is "1.34: $layout: 'clear' deletes every task, also those that the client does not show" \
	    '0 deleted 10 tasks (to restore: claude-tasks undo)' "$rc $out"
	if [ $layout = document ]; then
		is "1.34: $layout: 'clear' leaves an empty array of tasks" '[]' "$(jq -c .tasks "$dir/tasks.json")"
	else
		is "1.34: $layout: 'clear' leaves no file of a task" '' "$(cd "$dir" && ls ./*.json 2>/dev/null)"
		is "1.34: $layout: 'clear' leaves the file .lock" yes "$([ -e "$dir/.lock" ] && echo yes)"
	fi
	[ $layout != native ] || {
		is "1.34: native: 'clear' raises .highwatermark to the highest number" 12 "$(<"$dir/.highwatermark")"
		tasks --dir "$dir" create Next
		is "1.34: native: a task that is created after 'clear' gets a new number" 'created #13 Next' "$out"
		tasks --dir "$dir" undo
	}
	tasks --dir "$dir" undo
	is "1.34: $layout: 'undo' creates the tasks again that 'clear' deleted" '0 9' \
	    "$rc $(grep -c 'undid the deletion' <<<"$out")"
	key=blockedBy
	[ $layout != document ] || key=dependencies
	is "1.34: $layout: 'undo' of 'clear' restores the dependencies" '["1"]' "$(whole_field 2 $key)"
	has "1.34: $layout: the journal keeps the text of what was not a task" 'not' \
	    "$(grep -h '"event":"remove"' "$CLAUDE_CONFIG_DIR"/task-hooks/*/journal.jsonl)"
done

# ---- locks, and many tasks ----
place whole-busy
whole_list native
mkdir "$dir/6.json.lock" # as the client makes it
refused "0.37: native: 'update 1 6' changes nothing, because the client holds the lock of 6" 15 update 1 6 --subject X
rmdir "$dir/6.json.lock"

# A completion that could not be written leaves no proof of it.
while read -r layout arguments; do
	whole_list "$layout"
	file=$dir/7.json
	[ "$layout" != document ] || file=$dir/tasks.json
	if [ "$layout" = document ]; then exec 8<"$file" && flock 8; else mkdir "$file.lock"; fi
	# shellcheck disable=SC2086
	tasks --dir "$dir" $arguments <<<'{"taskId":"7","status":"completed"}'
	if [ "$layout" = document ]; then exec 8<&-; else rmdir "$file.lock"; fi
	is "0.37: $layout: a refused '$arguments' leaves no receipt" '15 0' \
	    "$rc $(cat "$CLAUDE_CONFIG_DIR"/task-hooks/*/journal.jsonl | grep -cE '"event":"(receipt|forced)"')"
	if [ "$layout" = document ]; then
		jq 'del(.tasks[] | select(.id == "7"))' "$file" >left.json && cat left.json >"$file"
	else
		rm "$file"
	fi
	tasks --dir "$dir" restore 7
	is "0.37: $layout: 'restore' does not complete it after '$arguments'" '0 "pending"' "$rc $(whole_field 7 status)"
done <<'END'
native complete 7
native complete 7 --force --reason X
document call TaskUpdate
folder update 7 --status completed
END

place whole-many
whole_list native
many=$(seq -s, 1001 1202)
for id in ${many//,/ }; do whole_task "$id" pending '' ''; done
refused "0.39: native: 'update' starts none of more tasks than are written at once" 21 update "$many" --status in_progress
refused "0.37: native: 'update' changes none of many tasks, because there is no task 99" 10 update "$many,99" --subject X
tasks --dir "$dir" update "$many" --subject X
is "0.37: native: 'update' changes all of many tasks" '0 202' "$rc $(grep -l '"subject":"X"' "$dir"/*.json | wc -l)"
echo '{"durability":"off"}' >"$CLAUDE_CONFIG_DIR/task-hooks.json"
refused "0.39: native: 'update' completes none of more tasks than are written at once" 21 update "$(seq -s, 1001 1051)" --status completed
has "0.39: native: 'update' says how many tasks it can complete" 'one call can complete at most 50 tasks: name fewer' "$err"
tasks --dir "$dir" update "$(seq -s, 1001 1050)" --status completed
is "0.39: native: 'update' completes 50 tasks" '0 50' "$rc $(cat "$dir"/1???.json | grep -o '"completed"' | wc -l)"

# ---- many tasks, one of which another program deletes meanwhile ----
delete_late() { rm "$dir/1180.json"; }
at_lock 100 delete_late '' --dir "$dir" update "$many" --subject Y
is "0.37: native: 'update' that wrote only the first of many tasks has a status of its own" '16 150' \
    "$rc $(grep -l '"subject":"Y"' "$dir"/*.json | wc -l)"
has "0.37: native: it says how many are written and how to take them back" \
    '150 of 202 tasks are written, the others not' "$err"
tasks --dir "$dir" undo
is "0.37: native: 'undo' takes back what was written" '0 0' "$rc $(cat "$dir"/*.json | grep -c '"subject":"Y"')"

# ---- all of a command is undone ----

# whole_claims: the claims, as TASK:NAME
whole_claims() {
	cat "$CLAUDE_CONFIG_DIR"/task-hooks/*/claims.json 2>/dev/null | jq -r '.claims[] | "\(.task):\(.name)"' | sort | tr '\n' ' '
}

for layout in native document folder; do
	place "whole-undo-$layout"
	whole_list $layout
	key=blockedBy owner=owner
	[ $layout != document ] || key=dependencies owner=assignee

	for release in '6 7' '--agent q'; do
		tasks --dir "$dir" claim 6 --agent q
		tasks --dir "$dir" claim 7 --agent q
		# shellcheck disable=SC2086
		tasks --dir "$dir" release $release
		is "0.38: $layout: 'release $release' gives two tasks back, with their claims" '0 "pending" "pending" ' \
		    "$rc $(whole_field 6 status) $(whole_field 7 status) $(whole_claims)"
		tasks --dir "$dir" undo
		is "0.38: $layout: 'undo' of 'release $release' undoes both" \
		    '0 "in_progress" "in_progress" "q" "q" 6:q 7:q ' \
		    "$rc $(whole_field 6 status) $(whole_field 7 status) $(whole_field 6 $owner) $(whole_field 7 $owner) $(whole_claims)"
		tasks --dir "$dir" release 6 7
	done
	tasks --dir "$dir" release 4
	tasks --dir "$dir" undo
	is "0.38: $layout: 'undo' of the release of a task without a claim says that it has none" '0 "in_progress" ' \
	    "$rc $(whole_field 4 status) $(whole_claims)"
	has "0.38: $layout: it is said which task has no claim" "#4 has no claim" "$out$err"
	tasks --dir "$dir" release 8
	tasks --dir "$dir" undo
	is "0.38: $layout: nothing is said about the claim of a task that was not begun" '0 ' "$rc $err"
	bash -c 'CLAUDE_PID=$$ "$@" >/dev/null; exit' - "$cli" --dir "$dir" claim 6 --agent gone
	tasks --dir "$dir" release 6
	tasks --dir "$dir" undo
	is "0.38: $layout: 'undo' of a release records no claim of an agent that is gone" '0 "in_progress" ' \
	    "$rc $(whole_field 6 status) $(whole_claims)"
	has "0.38: $layout: it is said that the agent is gone" "#6 has no claim: its agent is unknown or gone" "$out$err"

	# More tasks wait for the deleted one than are written at once.
	tasks --dir "$dir" create X --json
	x=$(jq -r .id <<<"$out")
	for i in $(seq 60); do
		printf '{"id":"d%s","subject":"d","description":"d","status":"pending","dependencies":["%s"]}' "$i" "$x"
	done | jq -sc . >waiting.json
	tasks --dir "$dir" import waiting.json
	mapfile -t waiting < <("$cli" --dir "$dir" list --all --json | jq -r '.tasks[] | select(.subject == "d" or .description == "d" and (.id | startswith("d"))).id')
	tasks --dir "$dir" delete "$x"
	tasks --dir "$dir" undo
	is "0.38: $layout: 'undo' of 'delete' restores the dependencies of 60 tasks" "0 60" \
	    "$rc $(for i in "${waiting[@]}"; do whole_field "$i" $key; done | grep -cxF "[\"$x\"]")"
	tasks --dir "$dir" delete "$x"
	tasks --dir "$dir" restore "$x"
	is "0.38: $layout: 'restore' restores the dependencies of 60 tasks" "0 60" \
	    "$rc $(for i in "${waiting[@]}"; do whole_field "$i" $key; done | grep -cxF "[\"$x\"]")"
	tasks --dir "$dir" undo
	is "0.38: $layout: 'undo' of 'restore' removes them again" "0 60" \
	    "$rc $(for i in "${waiting[@]}"; do whole_field "$i" $key; done | grep -cxF "[]")"

	tasks --dir "$dir" delete 1
	tasks --dir "$dir" restore 1
	is "0.38: $layout: 'restore' restores the dependency of the task that waited" '0 ["1"]' "$rc $(whole_field 2 $key)"
	tasks --dir "$dir" delete 1
	tasks --dir "$dir" delete 2
	tasks --dir "$dir" restore 1 2
	is "0.38: $layout: 'restore' restores the dependency between two tasks" '0 ["1"]' "$rc $(whole_field 2 $key)"
	[ $layout != document ] || {
		tasks --dir "$dir" delete 1
		tasks --dir "$dir" depend 2 --on 7
		tasks --dir "$dir" restore 1
		is "0.38: document: 'restore' keeps dependencies that were changed since" '0 ["7"]' "$rc $(whole_field 2 $key)"
	}
done

# The six fields of seed 004.
place whole-six
dir=$PWD/.tasks
mkdir "$dir"
echo '{"id":"1","subject":"A","description":"d","status":"pending","owner":null,"blockedBy":[]}' >"$dir/1.json"
echo '{"id":"2","subject":"B","description":"d","status":"pending","owner":null,"blockedBy":["1"]}' >"$dir/2.json"
before=$(command jq -c . "$dir"/[12].json)
tasks --dir "$dir" delete 1
tasks --dir "$dir" restore 1
is "4.4: 'restore' restores the dependency in files of six fields" "0 $before" "$rc $(command jq -c . "$dir"/[12].json)"

# ---- a tasks.json that is not a document, and tasks that the client does not show ----
place whole-foreign
dir=$PWD/foreign
mkdir "$dir"
for text in '[]' null '{"tasks":null}' '{"version":2}'; do
	echo "$text" >"$dir/tasks.json"
	refused "0.50: a tasks.json with $text is never taken for an empty list" 1 create New
done
for layout in native document folder; do
	whole_list $layout
	if [ $layout = document ]; then
		jq '.tasks += [{id: "9", description: "internal", status: "pending", metadata: {_internal: true}}]' \
		    "$dir/tasks.json" >tasks.json
		cat tasks.json >"$dir/tasks.json"
	else
		printf '{"id":"9","subject":"I","description":"d","status":"pending","blocks":[],"blockedBy":[],"metadata":{"_internal":true}}' >"$dir/9.json"
	fi
	refused "1.56: $layout: 'claim' does not start a task that the client does not show" 10 claim 9
	input='{"task_id":"9"}'
	refused "1.56: $layout: nor does claim_task" 10 call claim_task
	input=
done
