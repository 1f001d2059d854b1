# whole: a call that is refused has changed nothing, over all commands, tools and layouts.
# shellcheck shell=bash disable=SC2034,SC2154

# The list of every row, in each layout:
#   1 pending, 2 waits for 1, 3 waits for 2, 4 in progress with bob, 5 completed, 6, 7 pending,
#   8 pending, given to bob
whole_native() {
	local id=$1 status=$2 blocks=$3 by=$4 owner=${5:+,\"owner\":\"$5\"}
	printf '{"id":"%s","subject":"T%s","description":"d","status":"%s","blocks":[%s],"blockedBy":[%s]%s}' \
	    "$id" "$id" "$status" "$blocks" "$by" "$owner" >"$dir/$id.json"
}

whole_list() {
	local layout=$1 text='' one
	dir=$PWD/$layout
	[ "$layout" != folder ] || dir=$PWD/folder/.tasks
	rm -rf "$dir" "$CLAUDE_CONFIG_DIR/task-hooks"
	mkdir -p "$dir"
	whole_native 1 pending '"2"' ''
	whole_native 2 pending '"3"' '"1"'
	whole_native 3 pending '' '"2"'
	whole_native 4 in_progress '' '' bob
	whole_native 5 completed '' ''
	whole_native 6 pending '' ''
	whole_native 7 pending '' ''
	whole_native 8 pending '' '' bob
	if [ "$layout" = document ]; then
		for one in 1 2 3 4 5 6 7 8; do
			text=$text${text:+,}$(sed 's/"blocks":\[[^]]*\],"blockedBy"/"dependencies"/' "$dir/$one.json")
			rm "$dir/$one.json"
		done
		printf '{"tasks":[%s],"version":2,"last_updated":"2026-02-06T11:00:00Z"}' "$text" >"$dir/tasks.json"
	fi
	tasks --dir "$dir" update 7,8 --subject Begun # whose locks and journal are there from now on
	[ "$rc" = 0 ] || fail "$layout: the list" "$err"
}

# every byte and every name of the list, the claims, and when each file was written
whole_bytes() {
	(cd "$dir" && find . ! -name . -printf '%p %m %T@\n' | sort && find . -type f | sort | xargs cat)
	cat "$CLAUDE_CONFIG_DIR"/task-hooks/*/claims.json 2>/dev/null
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
		fail "$name: status $status" "$rc: $out$err"
	elif [ "$before" != "$after" ]; then
		fail "$name: nothing has changed" "$(diff <(echo "$before") <(echo "$after"))"
	else
		ok "$name"
	fi
}

whole_circle='[{"id":"21","subject":"A","status":"pending","priority":"low","dependencies":["23"],"blockedBy":[]},
{"id":"22","subject":"B","status":"pending","priority":"low","dependencies":["21"],"blockedBy":[]},
{"id":"23","subject":"C","status":"pending","priority":"low","dependencies":["22"],"blockedBy":[]}]'
echo "$whole_circle" >circle.json
# Waits for the list's own task 3, which waits for 1, which would wait for it.
cat >outward.json <<'END'
[{"id":"30","subject":"Fine","description":"d","status":"pending","blocks":[],"blockedBy":[]},
{"id":"31","subject":"Out","description":"d","status":"pending","blocks":["1"],"blockedBy":["3"]}]
END
gates='{"durability":"off","gates":[{"name":"never","run":["false"]}]}'

for layout in native document folder; do
	whole_list $layout
	echo "$gates" >"$CLAUDE_CONFIG_DIR/task-hooks.json"

	# Commands.  Each row would change a task that comes before the one that is refused.
	while IFS='|' read -r number status what arguments; do
		[ -n "$number" ] || continue
		# shellcheck disable=SC2086
		refused "$number: $layout: ${arguments%% *}: $what" "$status" $arguments
	done <<'END'
0.37|10|the last id is unknown|update 6 99 --subject X
0.37|21|the last blocker is unknown|update 6 --subject X --blocked-by 1,99
0.37|21|the last blocked task is unknown|update 6 --subject X --blocks 1,99
0.38|21|a circle|update 6,1 --subject X --blocked-by 3
0.38|21|itself|update 6 --subject X --blocked-by 1,6
0.39|13|the last one is blocked|update 6 2 --status in_progress --subject X
0.39|13|a blocker comes with it|update 6 --status in_progress --blocked-by 1
0.39|11|the last one is taken|update 6 8 --status in_progress
0.39|12|the last one is completed|update 6 5 --status in_progress --subject X
0.39|20|a gate fails|update 6 1 --status completed --subject X
0.37|21|the last blocker is unknown|depend 6 --on 1,99
0.38|21|the last one closes a circle|depend 1 --on 6,3
0.38|21|itself|depend 6 --on 1,6
0.37|10|no such task|depend 99 --on 1
0.38|21|one that is dropped, one that is refused|depend 2 --drop 1 --on 3
0.37|10|the last id is unknown|release 4 99
0.37|21|the last one is completed|release 4 5
0.37|10|the last id is unknown|delete 6 99
0.37|21|the last blocker is unknown|create New --blocked-by 1,99
0.38|21|a circle|create New --blocked-by 3 --blocks 1
0.39|13|blocked|claim 2
0.39|11|taken|claim 4
0.39|12|completed|claim 5
0.39|10|no such task|claim 99
0.39|14|the agent is busy|claim 6 --one --agent bob
0.39|20|a gate fails|complete 6
0.39|13|blocked|complete 2
0.39|12|completed already|complete 5
0.30|21|a circle|import circle.json
0.37|10|one that the journal does not know|restore 98 99
END
	[ "$layout" = document ] || refused "0.37: $layout: an impossible value" 21 update 6 --subject X --status blocked
	[ "$layout" != native ] || refused '0.30: native: import: a circle through the list' 21 import outward.json

	# Tools, by their names and inputs.
	while IFS='|' read -r number status what tool input; do
		[ -n "$number" ] || continue
		refused "$number: $layout: $tool: $what" "$status" call "$tool"
	done <<'END'
0.37|21|an unknown dependency|TaskCreate|{"subject":"New","dependencies":["1","99"]}
0.37|21|an unknown blocker|TaskUpdate|{"taskId":"6","subject":"X","addBlockedBy":["1","99"]}
0.37|21|an unknown blocked task|TaskUpdate|{"taskId":"6","subject":"X","addBlocks":["1","99"]}
0.38|21|a circle|TaskUpdate|{"taskId":"1","subject":"X","addBlocks":["6"],"addBlockedBy":["3"]}
0.38|21|itself|TaskUpdate|{"taskId":"6","subject":"X","addBlockedBy":["6"]}
0.38|21|starts, and a circle|TaskUpdate|{"taskId":"1","status":"in_progress","addBlockedBy":["3"]}
0.39|13|blocked|TaskUpdate|{"taskId":"2","subject":"X","status":"in_progress","addBlocks":["6"]}
0.39|13|a blocker comes with it|TaskUpdate|{"taskId":"6","subject":"X","status":"in_progress","addBlockedBy":["1"]}
0.39|11|taken|TaskUpdate|{"taskId":"8","subject":"X","status":"in_progress","owner":"eve"}
0.39|12|completed|TaskUpdate|{"taskId":"5","subject":"X","status":"in_progress"}
0.39|20|a gate fails|TaskUpdate|{"taskId":"6","subject":"X","status":"completed","addBlocks":["7"]}
0.39|13|completed, and a blocker comes with it|TaskUpdate|{"taskId":"6","subject":"X","status":"completed","addBlockedBy":["1"]}
0.37|10|no such task|TaskUpdate|{"taskId":"99","subject":"X"}
0.37|21|new, an unknown dependency|TodoWrite|{"id":"task-c","description":"C","dependencies":["1","nope"]}
0.37|21|new without an id, an unknown dependency|TodoWrite|{"description":"C","dependencies":["nope"]}
0.37|21|an unknown dependency|TodoWrite|{"id":"6","description":"X","dependencies":["1","nope"]}
0.38|21|a circle|TodoWrite|{"id":"1","description":"CHANGED","assignee":"eve","dependencies":["3"]}
0.38|21|itself|TodoWrite|{"id":"6","description":"CHANGED","dependencies":["6"]}
0.38|21|new, itself|TodoWrite|{"id":"task-c","description":"C","dependencies":["task-c"]}
0.39|13|new and started, blocked|TodoWrite|{"id":"x1","description":"X","status":"in_progress","dependencies":["1"]}
0.39|13|started, blocked|TodoWrite|{"id":"2","description":"X","status":"in_progress"}
0.39|11|started, taken|TodoWrite|{"id":"8","description":"X","status":"in_progress","assignee":"eve"}
0.39|12|started, completed|TodoWrite|{"id":"5","description":"X","status":"in_progress"}
0.39|20|completed, a gate fails|TodoWrite|{"id":"6","description":"X","status":"completed","dependencies":["5"]}
0.39|20|new and completed, a gate fails|TodoWrite|{"id":"x2","description":"X","status":"completed"}
0.39|20|new without an id, completed, a gate fails|TodoWrite|{"description":"X","status":"completed"}
0.39|13|new and completed, blocked|TodoWrite|{"id":"x3","description":"X","status":"completed","dependencies":["1"]}
0.37|21|an unknown blocker|create_task|{"subject":"New","blockedBy":["1","99"]}
0.39|13|blocked|claim_task|{"task_id":"2","owner":"eve"}
0.39|11|taken|claim_task|{"task_id":"4","owner":"eve"}
0.39|20|a gate fails|complete_task|{"task_id":"6"}
0.39|13|blocked|complete_task|{"task_id":"2"}
END

	input=
	echo '{"durability":"off"}' >"$CLAUDE_CONFIG_DIR/task-hooks.json"
	# The way to a refusal of undo: a batch whose second task was changed since.
	tasks --dir "$dir" update 6 7 --subject Both
	tasks --dir "$dir" update 6 --subject Other
	tasks --dir "$dir" undo
	is "0.38: $layout: undo takes back the last command" "undid a change of #6" "${out%% (*}"
	# Now 6 and 7 are as the batch left them; change 7 by hand, without a line in the journal.
	sed -i 's/Both/By hand/2;/"id": *"7"/s/Both/By hand/' "$dir"/*.json
	before=$(whole_bytes)
	tasks --dir "$dir" undo
	is "0.38: $layout: undo of two, one was changed since: nothing is undone" "21 $before" "$rc $(whole_bytes)"
done

# ---- what is not refused ----

whole_field() { # FILE-OR-DOCUMENT id key
	if [ -e "$dir/tasks.json" ]; then
		node -e 'const d=JSON.parse(require("fs").readFileSync(process.argv[1]));
			console.log(JSON.stringify(d.tasks.find(t => t.id === process.argv[2])?.[process.argv[3]]))' "$dir/tasks.json" "$1" "$2"
	else
		node -e 'console.log(JSON.stringify(JSON.parse(require("fs").readFileSync(process.argv[1]))[process.argv[2]]))' "$dir/$1.json" "$2"
	fi
}

for layout in native document folder; do
	whole_list $layout
	key=blockedBy owner=owner
	[ $layout != document ] || key=dependencies owner=assignee

	tasks --dir "$dir" call TodoWrite <<<'{"id":"n1","description":"First line\nand more"}'
	is "0.32: $layout: TodoWrite creates a task" '0 "First line\nand more"' "$rc $(whole_field n1 description)"
	tasks --dir "$dir" call TodoWrite <<<'{"description":"Without an id"}'
	is "0.32: $layout: TodoWrite creates a task without an id" '0 yes' \
	    "$rc $(tasks --dir "$dir" list; case $out in *'Without an id'*) echo yes ;; esac)"
	[ $layout = folder ] || {
		tasks --dir "$dir" call TodoWrite <<<'{"id":"n2","description":"All of it","status":"in_progress","assignee":"eve","dependencies":["5"],"parent_id":"1","metadata":{"k":1}}'
		is "0.32: $layout: TodoWrite creates and starts a task" "0 \"in_progress\" \"eve\" [\"5\"]" \
		    "$rc $(whole_field n2 status) $(whole_field n2 $owner) $(whole_field n2 $key)"
	}
	tasks --dir "$dir" call TodoWrite <<<'{"id":"n3","description":"Done at once","status":"completed"}'
	is "0.32: $layout: TodoWrite creates a completed task" '0 "completed"' "$rc $(whole_field n3 status)"
	answer=$(printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}' \
	    '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
	    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"TodoWrite","arguments":{"id":"n4","description":"By MCP"}}}' |
	    "$cli" --dir "$dir" mcp --tools todo 2>&1 | tail -n 1)
	is "0.32: $layout: TodoWrite creates a task, by MCP" '"By MCP"' "$(whole_field n4 description)"
	has "0.32: $layout: and says so" 'Created task n4: By MCP' "$answer"

	# What the same call removes does not stop it, and what it writes counts.
	tasks --dir "$dir" call TodoWrite <<<'{"id":"2","description":"Free now","status":"in_progress","dependencies":[]}'
	is "0.39: $layout: TodoWrite drops the blocker and starts the task" "0 \"in_progress\" []" \
	    "$rc $(whole_field 2 status) $(whole_field 2 $key)"
	tasks --dir "$dir" call TodoWrite <<<'{"id":"3","description":"Free now","status":"completed","dependencies":[]}'
	is "0.39: $layout: TodoWrite drops the blocker and completes the task" "0 \"completed\" []" \
	    "$rc $(whole_field 3 status) $(whole_field 3 $key)"

	tasks --dir "$dir" update 6 7 --owner ada --blocked-by 1
	is "0.38: $layout: update of two" "0 \"ada\" [\"1\"]" "$rc $(whole_field 7 $owner) $(whole_field 6 $key)"
	tasks --dir "$dir" undo
	is "0.38: $layout: undone together" 'undid a change of #7 undid a change of #6' "$(sed 's/ (.*//' <<<"$out" | tr '\n' ' ' | sed 's/ $//')"
	is "0.38: $layout: both sides" "[]" "$(whole_field 6 $key)"

	tasks --dir "$dir" delete 1 6 7
	is "0.38: $layout: delete of three" "0 deleted #1 T1" "$rc ${out%%
*}"
	tasks --dir "$dir" undo
	is "0.38: $layout: and they are back" '0 3' "$rc $(grep -c 'undid the deletion' <<<"$out")"
	tasks --dir "$dir" import circle.json
	has "0.30: $layout: the circle is named" 'circle: #21 -> #23 -> #22 -> #21' "$err"
	tasks --dir "$dir" import circle.json --dry-run
	is "0.30: $layout: a dry run says it too" 21 "$rc"
	sed 's/"23"\]/]/;s/\["22"\]/["22","1"]/' circle.json >straight.json
	tasks --dir "$dir" import straight.json
	is "0.30: $layout: without it they are imported, blockers first" '0 imported 3 tasks' "$rc $out"
	[ $layout != native ] || has "0.30: $layout: and linked with the list" '"23"' "$(whole_field 1 blocks)"
done

# ---- a list that is not there yet ----
place whole-new
echo "$whole_circle" >circle.json
while IFS='|' read -r arguments input; do
	# shellcheck disable=SC2086
	tasks -l new $arguments <<<"$input"
	is "0.37: a new list, $arguments: refused, and not begun" "21 no" "$rc $([ -e "$CLAUDE_CONFIG_DIR/tasks/new" ] && echo yes || echo no)"
done <<'END'
create New --blocked-by 1
call TaskCreate|{"subject":"N","dependencies":["1"]}
call TodoWrite|{"description":"N","dependencies":["1"]}
call TodoWrite|{"id":"n","description":"N","dependencies":["n"]}
import circle.json
END
input=

# ---- clear ----
for layout in native document folder; do
	place "whole-clear-$layout"
	whole_list $layout
	if [ $layout = document ]; then
		sed -i 's/}\],"version"/},{"id":"9","description":"internal","status":"pending","metadata":{"_internal":true}},{"not":"a task"}],"version"/' "$dir/tasks.json"
	else
		printf '{"id":"9","subject":"I","description":"d","status":"pending","blocks":[],"blockedBy":[],"metadata":{"_internal":true}}' >"$dir/9.json"
		echo 'not a task' >"$dir/12.json"
	fi
	tasks --dir "$dir" clear --yes
	is "1.34: $layout: clear removes every task" "0 deleted 10 tasks (to restore: claude-tasks undo)" "$rc $out"
	if [ $layout = document ]; then
		has "1.34: $layout: the array is empty" '"tasks":[]' "$(tr -d ' \n' <"$dir/tasks.json")"
	else
		is "1.34: $layout: no N.json is left" '' "$(cd "$dir" && ls ./*.json 2>/dev/null)"
		is "1.34: $layout: .lock stays" yes "$([ -e "$dir/.lock" ] && echo yes)"
	fi
	[ $layout != native ] || {
		is '1.34: native: the mark is raised' 12 "$(cat "$dir/.highwatermark")"
		tasks --dir "$dir" create Next
		is '1.34: native: no number comes again' 'created #13 Next' "$out"
		tasks --dir "$dir" undo
	}
	tasks --dir "$dir" undo
	is "1.34: $layout: undo brings the tasks back" '0 9' "$rc $(grep -c 'undid the deletion' <<<"$out")"
	is "1.34: $layout: with their dependencies" yes "$(tasks --dir "$dir" get 2 --json; case $out in *'"1"'*) echo yes ;; esac)"
	has "1.34: $layout: what was not a task is in the journal" 'not' "$(grep -h '"event":"remove"' "$CLAUDE_CONFIG_DIR"/task-hooks/*/journal.jsonl)"
done

# A lock that another holds: nothing of the batch is written (the client's lock, as it makes it).
place whole-busy
whole_list native
mkdir "$dir/6.json.lock"
refused '0.37: native: update: the lock of the last task is held' 15 update 1 6 --subject X
rmdir "$dir/6.json.lock"

# More than one portion: what needs no rule is checked as a whole, what needs one is not begun.
place whole-many
whole_list native
many=$(seq -s, 1001 1202)
for id in ${many//,/ }; do whole_native "$id" pending '' ''; done
refused '0.39: native: update: more tasks than can be started at once' 21 update "$many" --status in_progress
refused '0.37: native: update: the last of many is unknown' 10 update "$many,99" --subject X
tasks --dir "$dir" update "$many" --subject X
is '0.37: native: update of many' '0 202' "$rc $(grep -l '"subject":"X"' "$dir"/*.json | wc -l)"
