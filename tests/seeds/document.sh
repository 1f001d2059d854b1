# document.sh: the layout with one tasks.json (the rest of it is in tests/check-document).
# shellcheck shell=bash
list=$CLAUDE_CONFIG_DIR/tasks/example
file=$list/tasks.json
mkdir -p "$list"

# The complete example of the document that describes the format, byte for byte.
example() {
	cat >"$file" <<'END'
{
  "tasks": [
    {
      "id": "task-001",
      "description": "Set up project structure",
      "status": "completed",
      "created_at": "2025-02-06T10:00:00Z",
      "updated_at": "2025-02-06T10:30:00Z",
      "assignee": null,
      "dependencies": [],
      "metadata": {
        "priority": "high",
        "tags": ["setup", "infrastructure"]
      }
    },
    {
      "id": "task-002",
      "description": "Implement authentication module",
      "status": "in_progress",
      "created_at": "2025-02-06T10:05:00Z",
      "updated_at": "2025-02-06T11:00:00Z",
      "assignee": "agent-123",
      "dependencies": ["task-001"],
      "metadata": {
        "priority": "high",
        "tags": ["backend", "security"]
      }
    },
    {
      "id": "task-003",
      "description": "Create user dashboard",
      "status": "blocked",
      "created_at": "2025-02-06T10:10:00Z",
      "updated_at": "2025-02-06T10:10:00Z",
      "assignee": null,
      "dependencies": ["task-002"],
      "metadata": {
        "priority": "medium",
        "tags": ["frontend", "ui"]
      }
    }
  ],
  "version": 2,
  "last_updated": "2025-02-06T11:00:00Z"
}
END
	cp "$file" before
}

# What became of the lines: those that went, and those that came, times and new ids aside.
changed_lines() {
	diff before "$file" | grep '^[<>]' | sed -E 's/[0-9]{4}-[0-9-]+T[0-9:]+Z/TIME/; s/[0-9a-f]{8}-[0-9a-f-]{27}/UUID/'
}

example
tasks -l example create 'A new task' -d 'And more.' --blocked-by task-002 --set priority=low
is '0.53: a new task is printed with 2 spaces at its depth, and all else keeps its bytes' '>     },
>     {
>       "id": "UUID",
>       "description": "A new task\n\nAnd more.",
>       "status": "blocked",
>       "created_at": "TIME",
>       "updated_at": "TIME",
>       "assignee": null,
>       "dependencies": [
>         "task-002"
>       ],
>       "metadata": {
>         "priority": "low"
>       }
<   "last_updated": "TIME"
>   "last_updated": "TIME"' "$(changed_lines)"

example
tasks -l example update task-003 --owner me --set 'custom_fields={"a":[1]}'
is '0.53: an edited task has its new values at their depth, and keeps the other bytes' '<       "updated_at": "TIME",
<       "assignee": null,
>       "updated_at": "TIME",
>       "assignee": "me",
<         "tags": ["frontend", "ui"]
>         "tags": ["frontend", "ui"],
>         "custom_fields": {
>           "a": [
>             1
>           ]
>         }
<   "last_updated": "TIME"
>   "last_updated": "TIME"' "$(changed_lines)"

document "$list"
tasks -l example create 'The first task'
node -e 'const t = require("fs").readFileSync(process.argv[1], "utf8");
	console.log(t === JSON.stringify(JSON.parse(t), null, 2) ? "same" : t)' "$file" >form
is '0.53: a document of JSON.stringify keeps that form' same "$(<form)"

# Times that are missing.
cat >"$file" <<'END'
{
  "tasks": [
    {
      "id": "a",
      "description": "No times",
      "status": "pending"
    },
    {
      "id": "b",
      "description": "No time of its creation",
      "status": "pending",
      "created_at": null,
      "updated_at": "2025-02-06T10:00:00Z"
    },
    {
      "id": "c",
      "description": "Both",
      "status": "pending",
      "created_at": "2025-02-06T10:00:00Z",
      "updated_at": "2025-02-06T10:00:00Z"
    }
  ],
  "version": 2
}
END
cp "$file" before
tasks -l example list
is '0.25: a task without times is read' 3 "$(grep -c '^#\|^ *#' <<<"$out")"
tasks -l example doctor --no-selftest --json
times='[.findings[] | select(.check == "store.times")][0]'
has '0.25: doctor says that required fields are missing' '#a, #b' "$(jq -r "$times.what" <<<"$out")"
has '0.25: doctor says how to add required fields' 'doctor --fix' "$(jq -r "$times.fix" <<<"$out")"
try '0.25: doctor changes nothing by itself' cmp before "$file"

time_of() { jq -r --arg id "$1" '.tasks[] | select(.id == $id) | .created_at, .updated_at' "$file"; }
stamp='[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z'
tasks -l example update a -d 'Changed'
try '0.25: our next write of a task adds its times' grep -Eqx "$stamp $stamp" <<<"$(time_of a | paste -sd ' ')"
is '0.25: a task that is not written keeps what it has' '"created_at": null,' "$(grep -o '"created_at": null,' "$file")"
tasks -l example doctor --no-selftest --fix --json
has '0.25: doctor --fix adds the required fields' added "$(jq -r "$times.did" <<<"$out")"
is '0.25: doctor --fix sets created_at to the time of the last change' 2025-02-06T10:00:00Z "$(time_of b | head -n 1)"
tasks -l example doctor --no-selftest --json
is '0.25: after doctor --fix doctor finds nothing' 0 "$(jq '[.findings[] | select(.check == "store.times")] | length' <<<"$out")"

# A task in progress, and a dependency that is open.
status_of() { jq -r --arg id "$1" '.tasks[] | select(.id == $id) | "\(.status) \(.assignee)"' "$file"; }
three() {
	rm -rf "$CLAUDE_CONFIG_DIR/task-hooks"
	jq -n '{tasks: ["a", "b", "c"] | map({id: ., description: ., status: "pending", created_at: "2025-02-06T10:00:00Z",
		updated_at: "2025-02-06T10:00:00Z"}), version: 2}' >"$file"
	tasks -l example claim a --agent worker
}
three
is '0.27: a claimed task is in progress, with its assignee' 'in_progress worker' "$(status_of a)"
tasks -l example depend a --on b
is '0.27: a task in progress that gets an open dependency becomes blocked, and keeps its assignee' \
    'blocked worker' "$(status_of a)"
has '0.27: who adds the dependency is told that the task is blocked now' 'blocked' "$out"
tasks -l example claim a --agent other
is '0.27: another agent cannot claim the blocked task of an assignee' '11 blocked worker' "$rc $(status_of a)"
tasks -l example claim a --agent worker
is '0.27: the assignee cannot go on with the blocked task' '13 blocked worker' "$rc $(status_of a)"
tasks -l example complete b
is '0.27: when its dependencies are completed it is pending again, with its assignee' 'pending worker' "$(status_of a)"
tasks -l example claim a --agent worker
is '0.27: the assignee can start the task again when it is not blocked' '0 in_progress worker' "$rc $(status_of a)"
tasks -l example update b --status pending
is '0.27: a dependency that is opened again blocks it too' 'blocked worker' "$(status_of a)"
tasks -l example release --agent worker
is '0.27: an agent that gives back its tasks gives back this one' 'blocked null' "$(status_of a)"

three
tasks -l example depend a --on b
tasks -l example undo
is '0.27: undo takes back the dependency and the status' 'in_progress worker' "$(status_of a)"

three
tasks -l example depend a --on b
claims=$CLAUDE_CONFIG_DIR/task-hooks/example/claims.json
sh -c 'echo $$' >dead
jq --argjson pid "$(<dead)" '.claims[0] += {pid: $pid, pid_start: 1}' "$claims" >claims && cat claims >"$claims"
tasks -l example release --dead
is '0.27: the blocked task of an agent that is gone is given back' 'blocked null' "$(status_of a)"

# Ids of any characters.
long=$(printf 'long-%0300d' 7)
any_ids() {
	printf '%s\n' task:1 a,b '#hash' "../outside größe, it's" "\$(touch $PWD/pwned)" "$long"
}
with_ids() {
	rm -rf "$CLAUDE_CONFIG_DIR/task-hooks"
	any_ids | jq -R '{id: ., description: "Task", status: "pending", created_at: "2025-02-06T10:00:00Z",
		updated_at: "2025-02-06T10:00:00Z"}' | jq -s '{tasks: (. + [.[0] + {id: "a"}, .[0] + {id: "b"}]), version: 2}' >"$file"
}
field() { jq -r --arg id "$1" --arg field "$2" '.tasks[] | select(.id == $id) | .[$field]' "$file"; }
# each NAME COMMAND: the command, a function of the id, fails for none of them
each() {
	local name=$1 id bad=''
	shift
	with_ids
	while read -r id; do "$@" "$id" || bad+="$id: $rc $out$err"$'\n'; done < <(any_ids)
	is "0.12: ids of any characters work for $name" '' "$bad"
}
hook() { # EXECUTABLE, the event on standard input
	out=$(CLAUDE_CODE_TASK_LIST_ID=example "$BUILD/$1" 2>err)
	rc=$?
	err=$(<err)
}

run() {
	tasks -l example "$@"
	[ "$rc" = 0 ]
}
by_get() { run get "$1" --json && [ "$(jq -r .task.id <<<"$out")" = "$1" ]; }
by_claim() { run claim "$1" --agent me && [ "$(field "$1" status)" = in_progress ]; }
by_update() { run update "$1" --owner you && [ "$(field "$1" assignee)" = you ]; }
by_complete() { run complete "$1" && [ "$(field "$1" status)" = completed ]; }
by_depend() { run depend b --on "$1" && jq -e --arg id "$1" '.tasks[-1].dependencies | index($id)' "$file" >/dev/null; }
by_delete() { run delete "$1" && [ -z "$(field "$1" id)" ] && run undo "#$1" && [ "$(field "$1" id)" = "$1" ]; }
by_restore() {
	run delete "$1" && run restore "#$1" && [ "$(field "$1" id)" = "$1" ] &&
	    run delete "$1" && run restore "$1" && [ "$(field "$1" id)" = "$1" ]
}
by_release() { by_claim "$1" && run release "$1" && [ "$(field "$1" status)" = pending ]; }
by_reading() { run why "$1" && run tree "$1" && run log "$1" && run verify "$1" && run receipts "$1"; }
call() { # TOOL INPUT, of the id $id
	run call "$1" < <(jq -n --arg id "$id" "$2")
}
by_call() {
	call TaskGet '{taskId: $id}' && [ "$(jq -r .task.id <<<"$out")" = "$1" ] &&
	    call TaskUpdate '{taskId: $id, status: "in_progress"}' && [ "$(field "$1" status)" = in_progress ]
}
by_plain() { call claim_task '{taskId: $id}' && [ "$(field "$1" status)" = in_progress ]; }
by_todo() { call TodoWrite '{id: $id, description: "Other"}' && [ "$(field "$1" description)" = Other ]; }
by_mcp() {
	out=$(jq -nc --arg id "$1" '{jsonrpc: "2.0", id: 1, method: "tools/call",
		params: {name: "TaskUpdate", arguments: {taskId: $id, status: "in_progress"}}}' | "$BUILD/claude-tasks" -l example mcp 2>&1)
	[ "$(field "$1" status)" = in_progress ]
}
by_hook() {
	hook on-pretooluse-task < <(jq -n --arg id "$1" '{session_id: "s", hook_event_name: "PreToolUse", tool_name: "TaskUpdate",
		tool_use_id: "t", agent_id: "me", agent_type: "x", tool_input: {taskId: $id, status: "in_progress", metadata: {k: 1}}}')
	[ "$rc" = 0 ] && jq -e --arg id "$1" '.claims[] | select(.task == $id)' "$CLAUDE_CONFIG_DIR/task-hooks/example/claims.json" >/dev/null
}
by_report() {
	hook on-subagent-stop < <(jq -n --arg id "$1" '[{id: $id, status: "completed"}]')
	[ "$rc" = 0 ] && [ "$(field "$1" status)" = completed ]
}
by_event() {
	hook on-task-completed-verify < <(jq -n --arg id "$1" '{session_id: "s", hook_event_name: "TaskCompleted", task_id: $id,
		task_subject: "Task"}')
	[ "$rc" = 0 ] && [ -z "$out" ] && [ -e gated ] && [ "$(<gated)" = "$1" ]
}

each 'get' by_get
each 'claim' by_claim
each 'update' by_update
each 'complete' by_complete
each 'depend' by_depend
each 'delete and undo' by_delete
each 'restore' by_restore
each 'release' by_release
each 'why, tree, log, verify, receipts' by_reading
each 'call TaskGet, TaskUpdate' by_call
each 'call claim_task' by_plain
each 'call TodoWrite' by_todo
each 'a tool of the MCP server' by_mcp
each 'a TaskUpdate of the client' by_hook
is '0.12: such an id becomes no path' '' "$(find "$T/document" -name '*outside*' -o -name '*größe*' -o -name '*long-*' -o -name pwned)"
each 'a report of a subagent' by_report
jq -n --arg dir "$PWD" '{durability: "off", gates: [{name: "id", run: ["sh", "-c", "printf %s \"$CLAUDE_TASK_ID\" >gated"],
	pass: ["CLAUDE_TASK_ID"], cwd: $dir}]}' >"$CLAUDE_CONFIG_DIR/task-hooks.json"
each 'a TaskCompleted event, and its gate' by_event
echo '{"durability":"off"}' >"$CLAUDE_CONFIG_DIR/task-hooks.json"

with_ids
tasks -l example get a,b --json
is '0.12: get a,b shows the task whose id is a,b' a,b "$(jq -r .task.id <<<"$out")"
tasks -l example delete a,b
tasks -l example delete a,b
is '0.12: delete a,b deletes a and b if no task has the id a,b' '0  ' "$rc $(field a id) $(field b id)"
tasks -l example restore a,b
is '0.12: restore a,b restores the task whose id is a,b' '0 a,b  ' "$rc $(field a,b id) $(field a id) $(field b id)"
tasks -l example delete a,b
tasks -l example restore a b
tasks -l example delete a b
tasks -l example restore b,a
is '0.12: restore b,a restores two tasks, because there was none of that id' '0 a b' "$rc $(field a id) $(field b id)"
tasks -l example get '#task:1'
has '0.12: get #ID shows the task ID if no id begins with #' 'task:1' "$out"
with_ids
tasks -l example depend b --on "\$(touch $PWD/pwned)"
tasks -l example why b
has '0.12: a command that is offered has such an id in quotes' "claude-tasks claim '\$(touch" "$out"
jq --arg esc $'x\e[2Jy' '.tasks[0].id = $esc' "$file" >new && cat new >"$file"
tasks -l example list
deny '0.12: an id is shown without control characters' grep -q $'\e' <<<"$out"
jq '.tasks[0].id = "" | .tasks[1].id = ("x" * 1025) | .tasks[2].id = "nul"' "$file" | sed 's/"nul"/"n\\u0000l"/' >new && cat new >"$file"
tasks -l example doctor --no-selftest --json
is '0.12: an id that cannot be used is reported' 3 "$(jq '[.findings[] | select(.what | contains("its id is empty, longer than 1024 bytes or not valid text"))] | length' <<<"$out")"

rm -f "$file"
tasks -l example create 'Native'
tasks -l example get task:1
is '0.12: other layouts keep their rule: ids are names of files' 64 "$rc"

## 0.12: ids that are not words, entries that are not tasks
place ids
document ids
jq '.tasks = [{"id":"-v","description":"d","status":"blocked","metadata":{"original_status":"blocked"}},{"id":"bad","description":5,"status":"pending"}]' ids/tasks.json >"$T/ids.json" && cp "$T/ids.json" ids/tasks.json
tasks --dir ids claim -- -v
has '0.12: the command for an id that begins with - takes it as an id' "claude-tasks update '#-v' --status pending" "$err"
tasks --dir ids update '#-v' --status pending
is '0.12: that command works' "0 updated #-v d" "$rc $out"
tasks --dir ids get bad
has '0.12: get says why an entry is not shown' "task #bad cannot be read: '$PWD/ids/tasks.json': tasks[1]: description is a number" "$err"
is '0.12: an entry that is not shown is not found' 10 $rc
