# tasks-json.sh: the examples of tasks-json.md.  Sourced by check-examples.
# shellcheck shell=bash disable=SC2154

# path ID NAME: the printed path, with this name in its place
path() { example "$1" | sed "s,^~,$HOME,; s,{[a-z-]*},$2,"; }
# new_list NAME: the directory of a list with the complete example; $file is its tasks.json
new_list() {
	file=$lists/$1/tasks.json
	mkdir -p "$lists/$1"
	example tasks-json.4 >"$file"
}

## the path, and the complete example
file=$(path tasks-json.1 shared)
mkdir -p "$(dirname "$file")"
example tasks-json.4 >"$file"
tasks --list shared list --all
is 'tasks-json.1, tasks-json.4: the file at the printed path is the list, with every status, assignee and dependency' \
    '#task-002 [in_progress] Implement authentication module (agent-123)
#task-003 [blocked] Create user dashboard [blocked by #task-002]
#task-001 [completed] Set up project structure' "$out"
mkdir shop && cd shop && git init -q . && mkdir -p "$(dirname "$(path tasks-json.s1 shop)")"
example tasks-json.4 >"$(path tasks-json.s1 shop)"
tasks list --json
is 'tasks-json.s1: the list of a project is found by its name' "$(dirname "$(path tasks-json.s1 shop)") document" "$(field '"\(.dir) \(.layout)"')"
echo '{"name":"web"}' >package.json
mkdir -p "$(dirname "$(path tasks-json.s3 web)")"
example tasks-json.4 >"$(path tasks-json.s3 web)"
tasks list --json
is 'tasks-json.s3: the name in package.json comes first' web "$(field .list)"
command=$(example tasks-json.s2)
mkdir -p "$lists/shared-session"
example tasks-json.4 >"$lists/shared-session/tasks.json"
out=$(bash -c "${command% claude} '$cli' list --json")
is 'tasks-json.s2: the variable before a command names its list' 'shared-session 2' "$(field '"\(.list) \(.tasks | length)"')"
cd ..

tasks --list shared get task-002 --json
is 'tasks-json.4: get shows every field' "$(example tasks-json.4 | jq -S '.tasks[1]')" "$(field .task | jq -S .)"
tasks --list shared export
is 'tasks-json.4: export keeps status, dependencies, assignee, priority, tags and times' \
    '["task-001","completed",[],null,"high",["setup","infrastructure"],"2025-02-06T10:30:00Z"]
["task-002","in_progress",["task-001"],"agent-123","high",["backend","security"],"2025-02-06T11:00:00Z"]
["task-003","blocked",["task-002"],null,"medium",["frontend","ui"],"2025-02-06T10:10:00Z"]' \
    "$(jq -c 'sort_by(.id)[] | [.id, .status, .dependencies, .owner, .priority, .metadata.tags, .metadata.updated_at]' <<<"$out")"
call shared TodoRead '{"include_completed":true}'
is 'tasks-json.4: TodoRead gives the tasks as they are printed' \
    "$(example tasks-json.4 | jq -Sc '.tasks[] | del(.assignee | select(. == null))')" "$(field '.tasks | sort_by(.id)[]' | jq -Sc .)"
jq '.tasks[2].custom = {"kept": 1} | .extra = true' "$file" >"$T/new" && cp "$T/new" "$file"
tasks --list shared complete task-002
is 'tasks-json.4: completing a task unblocks the one that waits for it, and keeps unknown fields' 'completed pending 1 true 2' \
    "$(jq -r '"\(.tasks[1].status) \(.tasks[2].status) \(.tasks[2].custom.kept) \(.extra) \(.version)"' "$file")"
for form in native exported folder checklist document; do
	as=$PWD/as-$form
	[ $form != folder ] || as=$PWD/.tasks
	tasks --list shared export --to $form "$as"
	"$cli" --list "from-$form" import "$as" >/dev/null 2>&1
	rm -rf "$as"
	is "tasks-json.4: exported as $form and imported again, the three tasks are there" 'completed completed pending' \
	    "$("$cli" --list "from-$form" list --all --json | jq -r '.tasks | sort_by(.subject) | [.[2, 1, 0].status] | join(" ")')"
done

## the types of the root object and of a task
task() { instance tasks-json.3 'created_at="2025-02-06T10:00:00Z"' 'updated_at="2025-02-06T10:00:00Z"' "$@"; }
mkdir -p "$lists/typed"
for status in $(example tasks-json.3 | grep '"status"' | grep -o '"[a-z_]*"' | tr -d '"' | grep -v status); do
	dependencies=[]
	[ "$status" != blocked ] || dependencies='["other"]'
	typed=$(task "id=\"$status\"" "status=\"$status\"" "dependencies=$dependencies" 'parent_id="other"' 'tags=["a"]' \
	    'custom_fields={"n":1.50}')
	instance tasks-json.2 'last_updated="2025-02-06T10:00:00Z"' |
	    jq --argjson t "$typed" --argjson o "$(task 'id="other"' 'parent_id=')" '.tasks = [$o, $t]' >"$lists/typed/tasks.json"
	tasks --list typed get "$status" --json
	is "tasks-json.2, tasks-json.3: a task of the printed type is read, with status $status" \
	    "$(jq -c --arg s "$status" '[$s, .assignee, .description, .metadata.priority]' <<<"$typed")" \
	    "$(field '[.summary.status, .summary.owner, .summary.subject, .task.metadata.priority] | tojson')"
	tasks --list typed update "$status" --set more=yes
	is "tasks-json.3: a change of the metadata keeps the other members, with status $status" "$(jq -Sc 'del(.updated_at)' <<<"$typed")" \
	    "$(jq -Sc '.tasks[1] | del(.updated_at, .metadata.more)' "$lists/typed/tasks.json")"
done
tasks new --form document --list fresh
is 'tasks-json.2: a new document has the members of the printed root object' "$(instance tasks-json.2 | jq -c 'keys')" \
    "$(jq -c keys "$lists/fresh/tasks.json")"
tasks --list fresh create One
missing=$(example tasks-json.3 | "$top/tests/examples/instance" --members | grep ' required$' | cut -d' ' -f1 | grep -v metadata | while read -r name; do
	jq -e --arg name "$name" '.tasks[0] | has($name)' "$lists/fresh/tasks.json" >/dev/null || echo "$name"
done)
is 'tasks-json.3: a new task has every required member' '' "$missing"
is 'tasks-json.2: its times are ISO 8601 with Z' true "$(jq '[.last_updated, .tasks[0].created_at, .tasks[0].updated_at] | all(test("^20[0-9-]{8}T[0-9:]{8}Z$"))' "$lists/fresh/tasks.json")"

## a task with dependencies
mkdir -p "$lists/parts"
jq -n --argjson b "$(example tasks-json.5)" '{tasks: [{id: "task-a", description: "A", status: "completed"},
    {id: "task-c", description: "C", status: "pending"}, $b], version: 2}' >"$lists/parts/tasks.json"
tasks --list parts claim task-b
is 'tasks-json.5: the printed task cannot start while a dependency is open' 13 $rc
has 'tasks-json.5: the refusal names the open dependency' '#task-c "C"' "$err"
deny 'tasks-json.5: the refusal does not name the completed one' grep -q task-a <<<"$err"
tasks --list parts complete task-c
tasks --list parts claim task-b
is 'tasks-json.5: it can start when all are completed' 0 $rc
tasks --list parts depend task-c --on task-b
is 'tasks-json.5: a circular dependency is refused' 21 $rc
example tasks-json.5 >one.json
tasks --list one import one.json
has 'tasks-json.5: the printed task alone can be imported' 'imported 1 task' "$out"
mkdir -p "$lists/bare"
cp one.json "$lists/bare/tasks.json"
tasks --list bare doctor --no-selftest
has 'tasks-json.5: a tasks.json without the root object is reported with what to do' "claude-tasks --list bare import $lists/bare/tasks.json" "$out"
tasks --list bare list
has 'tasks-json.5: list says that there is a file that it cannot read' 'claude-tasks doctor --list bare' "$err"

## TodoWrite, TodoRead
schema() { "$cli" call --json | jq -r --arg t "$1" '.[] | select(.name == $t) | .inputSchema'; }
members() { example "$1" | "$top/tests/examples/instance" --members; }
for tool in TodoWrite:tasks-json.6 TodoRead:tasks-json.7; do
	is "${tool#*:}: ${tool%:*} takes the printed parameters with their types" '' "$(members "${tool#*:}" | while read -r name type _; do
		schema "${tool%:*}" | jq -r --arg n "$name" --arg t "$type" '
		    select(.properties[$n].type | [.] | flatten | index($t) | not) | $n'
	done)"
done
is 'tasks-json.6: the printed parameters need a description' description "$(members tasks-json.6 | sed -n 's/ .* required$//p')"
call todo TodoWrite "$(instance tasks-json.6 id= description= 'status="pending"')"
is 'tasks-json.6: a call without a description is refused' 64 "$rc"
call todo TodoWrite "$(instance tasks-json.6 id= 'status="pending"')"
is 'tasks-json.6: without an id a task is made, with the default status' '0 pending text' "$rc $(field '"\(.task.status) \(.task.assignee)"')"
call todo TodoWrite "$(instance tasks-json.6 id= status= dependencies=)"
is 'tasks-json.6: the default status is pending' pending "$(field .task.status)"
first=$(field .task.id)
call todo TodoWrite "$(instance tasks-json.6 "id=\"$first\"" 'description="Changed"' 'status="completed"' 'metadata={"a":1}')"
is 'tasks-json.6: with an id that exists the task is updated' "$first Changed completed 1" "$(field '"\(.task.id) \(.task.description) \(.task.status) \(.task.metadata.a)"')"
call todo TodoWrite "$(instance tasks-json.6 'id="new-one"' 'status="pending"' "dependencies=[\"$first\"]")"
is 'tasks-json.6: with an id that does not exist a task of that id is made' "0 new-one [\"$first\"]" "$rc $(field '"\(.task.id) \(.task.dependencies)"')"
call todo TodoWrite "$(instance tasks-json.6 'id="new-two"' 'status="pending"' 'dependencies=["nobody"]')"
has 'tasks-json.6: a dependency that does not exist is refused, and named' 'there is no task #nobody' "$out"
is 'tasks-json.6: a refused call makes no task' 10 "$("$cli" --list todo get new-two >/dev/null 2>&1; echo $?)"
call todo TodoWrite "$(example tasks-json.6)"
has 'tasks-json.6: the parameters as printed, which are types and not JSON, are refused with the place' 'the input is not JSON: byte 10' "$out"
document "$lists/todo-document"
call todo-document TodoWrite "$(instance tasks-json.6 id= 'status="pending"')"
is 'tasks-json.6: without an id a task with a UUID is made in a tasks.json list' true "$(field '.task.id | test("^[0-9a-f]{8}-[0-9a-f-]{27}$")' 2>/dev/null)"
document "$lists/todo-document-id"
call todo-document-id TodoWrite "$(instance tasks-json.6 'id="mine"' 'status="pending"')"
is 'tasks-json.6: with an id a task of that id is made in a tasks.json list' mine "$(field .task.id 2>/dev/null)"
new_list todo-complete
call todo-complete TodoWrite "$(instance tasks-json.6 'id="task-001"' 'status="completed"')"
is 'tasks-json.6: a task of the complete example is updated' '0 text' "$rc $(jq -r '.tasks[0].description' "$file")"
new_list read
call read TodoRead "$(instance tasks-json.7 'status="in_progress"' 'assignee="agent-123"')"
is 'tasks-json.7: TodoRead filters by status and assignee' '["task-002"]' "$(field '[.tasks[].id] | tojson')"
call read TodoRead "$(instance tasks-json.7 status= assignee=)"
is 'tasks-json.7: include_completed adds the completed tasks' 3 "$(field .count)"
call read TodoRead '{}'
is 'tasks-json.7: the default leaves the completed tasks out' 2 "$(field .count)"
is 'tasks-json.8: the answer has the printed members with their types' '' "$(members tasks-json.8 | while read -r name type _; do
	field ".$name | type" | grep -qx "$type" || echo "$name"
done)"
# the types below: each task has the type that the document calls TaskObject, each count its status in its name
call read TodoRead '{"include_completed":true}'
is 'tasks-json.8: its tasks have the members of the printed task object with their types' '' "$(members tasks-json.3 | while read -r name type need; do
	jq -r --arg n "$name" --arg t "$type" --arg need "$need" '.tasks[] | select(.[$n] | type != $t and ($need == "optional" and . == null | not)) | "\(.id) \($n)"' <<<"$out"
done)"
members tasks-json.8 | grep number | while read -r name _; do
	jq -n --arg name "$name" --argjson said "$out" --argjson list "$(example tasks-json.4)" -r '($name | rtrimstr("count") | rtrimstr("_")) as $status |
	    "\($name) \($said[$name]) \([$list.tasks[] | select($status == "" or .status == $status)] | length)"'
done >"$T/counts"
is 'tasks-json.8: the counts are those of the whole list' '' "$(awk '$2 != $3' "$T/counts")"
is 'tasks-json.8: all five counts were compared' 5 "$(wc -l <"$T/counts")"

## SubagentStop
new_list stop
event() {
	instance tasks-json.9 'session_id="0f1e2d3c-0000-4000-8000-000000000001"' "cwd=\"$PWD\"" "transcript_path=\"$PWD/none.jsonl\"" \
	    'permission_mode="default"' 'agent_type="general-purpose"' 'agent_id="agent-123"' "$@"
}
hook on-subagent-stop --list stop < <(event 'tasks_completed=["task-002"]')
is 'tasks-json.9: the printed event completes the tasks that it names' '0 completed' "$rc $(jq -r '.tasks[1].status' "$file")"
has 'tasks-json.9: the answer says what is ready now' 'Ready now: #task-003' "$(field .systemMessage)"
answer=$(instance tasks-json.10 'task_id="task-002"')
is 'tasks-json.10: the answer names the updated task in the printed form' \
    "$(jq -c .hookSpecificOutput <<<"$answer")" "$(field '.hookSpecificOutput | tojson')"
hook on-subagent-stop --list stop < <(event 'tasks_completed=["nobody"]')
has 'tasks-json.9: a task that does not exist is named in the answer' nobody "$(field .systemMessage)"
new_list stop-block
echo '{"durability":"off","stop":{"unfinished":"block"}}' >"$HOME/.claude/task-hooks.json"
hook on-subagent-stop --list stop-block < <(event 'tasks_completed=[]')
is 'tasks-json.10: a refusal has the printed decision and its reason, also on standard error' "2 block $err" "$rc $(field '"\(.decision) \(.reason)"')"
is 'tasks-json.10: a refusal has the printed members' '["decision","reason"]' "$(field 'keys - ["hookSpecificOutput"] | tojson')"
echo '{"durability":"off"}' >"$HOME/.claude/task-hooks.json"
new_list stop-report
hook on-subagent-stop --list stop-report < <(event 'tasks_completed=' |
    jq --argjson report "$(instance tasks-json.10 'task_id="task-002"')" '.last_assistant_message = ($report | tojson)')
is 'tasks-json.10: an agent that ends with the printed object has its task completed' '0 completed' "$rc $(jq -r '.tasks[1].status' "$file")"

## a writer that follows the pseudo-code
uses tasks-json.11
document "$lists/both"
file=$lists/both/tasks.json
for name in theirs others; do
	node "$top/tests/examples/writer.js" "$blocks" "$file" $name 15 2>>"$T/writers" &
done
for i in {1..15}; do
	"$cli" --list both create "ours $i" >/dev/null 2>>"$T/writers" || echo "ours $i: status $?" >>"$T/writers"
done
wait
is 'tasks-json.11: two writers of the printed program and claude-tasks on one file fail in nothing' '' "$(cat "$T/writers")"
is 'tasks-json.11: two writers of the printed program and claude-tasks on one file lose no task' '15 15 15' "$(jq -r '[.tasks[].description | split(" ")[0]] | "\(map(select(. == "theirs")) | length) \(map(select(. == "others")) | length) \(map(select(. == "ours")) | length)"' "$file")"

## the skill
example tasks-json.12 >skill.md
skill=$top/settings-examples/skills/task-manager/SKILL.md
is 'tasks-json.12: our skill has the printed name' "$(sed -n 's/^name: //p' skill.md)" "$(sed -n 's/^name: //p' "$skill")"
mkdir -p "$HOME/.claude/skills/task-manager"
cp skill.md "$HOME/.claude/skills/task-manager/SKILL.md"
tasks install --skill --no-todo-tools
is 'tasks-json.12: the printed skill is not replaced by ours' "21 $(cat skill.md)" "$rc $(cat "$HOME/.claude/skills/task-manager/SKILL.md")"
has 'tasks-json.12: the message of install --skill says what to do' "remove it, then: claude-tasks install --skill" "$err"
# what it tells a model to do, each line by the command
variable=$(sed -n 's/^- Check `\(.*\)` env var for named task list$/\1/p' skill.md)
file=$(sed -n 's/^- Default path: `\(.*\)`$/\1/p' skill.md | sed "s,^~,$HOME,; s,{id},skill,")
mkdir -p "$(dirname "$file")"
new_list skill
export "${variable:-none}=skill"
operation='' lines=0
while IFS= read -r line; do
	lines=$((lines + 1))
	name="tasks-json.12: $operation: ${line#"${line%%[! -]*}"}"
	case $line in
	[0-9]'. **'*':**') operation=${line#*\*\*} operation=${operation%:**} lines=$((lines - 1)) ;;
	'   - Read tasks.json') # by the variable and the path of the skill
		tasks list --json
		is "$name" "$(dirname "$file") document 2" "$(field '"\(.dir) \(.layout) \(.tasks | length)"')" ;;
	'   - Filter by status if requested')
		tasks list --status blocked
		is "$name" 'task-003' "$(grep -o 'task-00[0-9] \[' <<<"$out" | tr -d ' [')" ;;
	'   - Display with dependency information')
		has "$name" '[blocked by #task-002]' "$out" ;;
	'   - Generate UUID if no ID provided')
		tasks create Added --json
		is "$name" true "$(field '.id | test("^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f-]{21}$")')" ;;
	'   - Set default status to "'*'"')
		is "$name" "$(cut -d'"' -f2 <<<"$line")" "$(jq -r '.tasks[-1].status' "$file")" ;;
	'   - Validate dependencies exist')
		tasks create Bad --blocked-by nobody
		is "$name" '21 4' "$rc $(jq '.tasks | length' "$file")" ;;
	'   - Update file with proper locking' | '- Use file locking for concurrent access') # the lock is that of tasks-json.11
		exec 4<"$file"
		flock -x 4
		tasks create Locked
		is "$name" '15 4' "$rc $(jq '.tasks | length' "$file")"
		exec 4<&- ;;
	'   - Modify status, description, or assignee')
		at=$(jq -r '.tasks[0].updated_at' "$file")
		tasks update task-001 --status pending -d Changed --owner eve
		is "$name" 'pending Changed eve' "$(jq -r '.tasks[0] | "\(.status) \(.description) \(.assignee)"' "$file")" ;;
	'   - Update `'*'` timestamp')
		is "$name" true "$(jq --arg key "$(cut -d'`' -f2 <<<"$line")" --arg at "$at" '.tasks[0][$key] // "" | . > $at and startswith("2")' "$file")" ;;
	'   - Recalculate blocked status for dependents')
		is "$name" blocked "$(jq -r '.tasks[1].status' "$file")" ;;
	'   - Set status to "'*'"')
		tasks complete task-001
		is "$name" "0 $(cut -d'"' -f2 <<<"$line")" "$rc $(jq -r '.tasks[0].status' "$file")" ;;
	'   - Check for unblocked dependent tasks')
		is "$name" 'pending blocked' "$(jq -r '"\(.tasks[1].status) \(.tasks[2].status)"' "$file")" ;;
	'   - Notify if other tasks can now start')
		has "$name" 'task-002' "$out" ;;
	'- Maintain version field in root object')
		is "$name" "$(example tasks-json.4 | jq .version)" "$(jq .version "$file")" ;;
	'- Validate dependencies (no circular refs)')
		tasks depend task-001 --on task-002
		is "$name" 21 $rc ;;
	'- Pretty-print JSON output')
		tasks create Pretty
		is "$name" "$(command jq --indent 2 '.tasks[-1]' "$file" | sed 's/^/    /')" "$(sed -n '/"description": "Pretty"/,$p' "$file" | sed -n '1,/^    }/p' | cat <(tac "$file" | sed -n '/"description": "Pretty"/,/^    {/p' | tac | sed '$d') -)" ;;
	*) lines=$((lines - 1)) ;;
	esac
done <<<"$(cat skill.md)"
is 'tasks-json.12: every line of its operations was tried' "$(sed -n '/Supported Operations/,$p' skill.md | grep -c '^ *- ')" $lines
unset "${variable:-none}"
