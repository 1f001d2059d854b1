# task-tools.sh: the examples of task-tools.md.  Sourced by check-examples.
#
# Most of them are parts of one program, which tests/examples/printed.js makes and runs: beside
# claude-tasks on one list, or the same operation by both on two equal lists.
# shellcheck shell=bash disable=SC2154

if ! [ -d "$CACHE/mcp-sdk-1.32.2" ] || ! [ -d "$CACHE/proper-lockfile-4.1.2" ]; then
	fail 'task-tools: the npm packages are there' 'run scripts/setup --tests'
	return
fi
export CLAUDE_CODE_TASK_LIST_ID=theirs
theirs=$lists/theirs ours=$lists/ours
# beside COMMAND...: the program of the document, on the list theirs, as a process of its own
beside() { node "$top/tests/examples/printed.js" "$blocks" "$@" 2>"$T/$1-$2" || { echo "$*" && cat "$T/$1-$2"; } >>"$T/broken"; }
# printed COMMAND...: the same, run to its end by one process for all
mkfifo "$T/ask" "$T/answer"
node "$top/tests/examples/printed-server.js" "$blocks" "$T/request" "$T/said" "$T/printed" <"$T/ask" >"$T/answer" &
server=$!
exec 6>"$T/ask" 7<"$T/answer"
printed() {
	local status
	{ env -0 && printf '\0' && printf '%s\0' "$@"; } >"$T/request"
	echo >&6
	read -r status <&7
	printf '%s\n' "$(<"$T/said")"
	[ "$status" = 0 ] || { echo "$*" && cat "$T/printed"; } >>"$T/broken"
}
# mine ARGUMENT...: claude-tasks on the list ours
mine() { tasks --list ours "$@"; }
# The list that both begin with, made by the printed program: 1 is completed, 2 waits for it, 3 for 2, 4
# belongs to bob, 5 is internal.
printed call TaskCreate '{"subject":"One","description":"d"}' '{"subject":"Two","description":"d","activeForm":"Doing two"}' \
    '{"subject":"Three","description":"d","metadata":{"a":1}}' '{"subject":"Four","description":"d"}' \
    '{"subject":"Five","description":"d","metadata":{"_internal":true}}' >/dev/null
printed call TaskUpdate '{"taskId":"1","status":"completed","owner":"ann"}' '{"taskId":"2","addBlockedBy":["1"]}' '{"taskId":"2","addBlocks":["3"]}' \
    '{"taskId":"4","owner":"bob"}' >/dev/null
cp -r "$theirs" "$T/first"
# begin: the two lists are equal
begin() {
	rm -rf "$theirs" "$ours" "$HOME/.claude/task-hooks"
	cp -r "$T/first" "$theirs"
	cp -r "$T/first" "$ours"
}
# same: what differs between the two lists; .lock is made by the first of both that needs it
same() { diff -r -x .lock "$theirs" "$ours"; }
# mcp TOOL JSON: the text that claude-tasks answers to this call
mcp() {
	jq -nc --arg t "$1" --argjson i "$2" '{jsonrpc: "2.0", id: 1, method: "tools/call", params: {name: $t, arguments: $i}}' |
	    "$cli" --list ours mcp | jq -r '.result.content[0].text'
}

## which tools are there
uses task-tools.2 task-tools.3
begin
start='{"session_id":"s","cwd":"/","hook_event_name":"PreToolUse","tool_name":"TaskUpdate","tool_input":{"taskId":"3","status":"in_progress"},"tool_use_id":"t"}'
for value in $(printed values _H | jq -r '.[]') $(printed values AR | jq -r '.[]') 0 1 ''; do
	enabled=$(CLAUDE_CODE_ENABLE_TASKS=$value printed gate | jq -c .)
	CLAUDE_CODE_ENABLE_TASKS=$value hook on-pretooluse-task --list ours <<<"$start"
	case $rc:$out$err in
	2:*'cannot start: blocked by #2'*) rules='[false,true]' ;;
	0:) rules='[true,false]' ;;
	*) rules="status $rc: $out$err" ;;
	esac
	is "task-tools.2, task-tools.3: with CLAUDE_CODE_ENABLE_TASKS='$value' the hook has rules where the printed gate has tasks" "$enabled" "$rules"
done

## TodoWrite
uses task-tools.4 task-tools.5
todos='{"todos":[{"content":"Fix the login bug","status":"in_progress","activeForm":"Fixing the login bug"},{"content":"Test it","status":"pending","activeForm":"Testing it"}]}'
done_todos=$(jq -c '.todos[].status = "completed"' <<<"$todos")
is 'task-tools.4: the example of the case has the printed schema' "$todos" "$(printed input TodoWrite "$todos")"
hook on-pretooluse-task --list todos <<<"$(jq -nc --argjson i "$todos" '{session_id: "s", cwd: "/", hook_event_name: "PreToolUse", tool_name: "TodoWrite", tool_input: $i, tool_use_id: "t"}')"
is 'task-tools.4: a call of the client with such a list passes the hook' 0 $rc
call todos TodoWrite "$todos"
is 'task-tools.4, task-tools.5: TodoWrite takes the printed list, and its answer is that of the printed tool' \
    "$(printed call TodoWrite "$todos" | jq -Sc .data)" "$(printed output TodoWrite "$out" | jq -Sc .)"
call todos TodoWrite "$done_todos"
is 'task-tools.5: the second call replaces the first list and answers with both' \
    "$(printed call TodoWrite "$todos" "$done_todos" | jq -Sc '.[1].data')" "$(printed output TodoWrite "$out" | jq -Sc .)"
call todos TodoWrite "$todos"
is 'task-tools.5: a list whose entries are all completed is cleared' \
    "$(printed call TodoWrite "$todos" "$done_todos" "$todos" | jq -Sc '.[2].data')" "$(printed output TodoWrite "$out" | jq -Sc .)"

## tasks and lists
uses task-tools.6 task-tools.7 task-tools.9
begin
"$cli" --list theirs create 'Ours, "quoted" é' -d 'More' --blocked-by 4 --owner me --active-form 'Doing' --metadata '{"a":[1]}' >/dev/null
is 'task-tools.6, task-tools.12: the printed program reads every field of a task that claude-tasks made' "$(jq -Sc . "$theirs/6.json")" "$(printed run bu 6 | jq -Sc .)"
for name in team-a 'Team A' 'a.b_c-D' '../x' 'größe'; do
	out=$(CLAUDE_CODE_TASK_LIST_ID=$name "$cli" list --json)
	is "task-tools.7, task-tools.9: list '$name' is in the directory of the printed program" "$(CLAUDE_CODE_TASK_LIST_ID=$name printed list | jq -r .dir)" "$(field .dir)"
done
out=$(CLAUDE_CODE_TASK_LIST_ID='' CLAUDE_CODE_SESSION_ID=77270981-bd9d "$cli" list --json)
is 'task-tools.7: without the variable it is that of the session' "$(CLAUDE_CODE_TASK_LIST_ID='' CLAUDE_CODE_SESSION_ID=77270981-bd9d printed list | jq -r .dir)" "$(field .dir)"
uses task-tools.42
mkdir -p "$HOME/.claude/teams/squad"
echo '{"name":"squad","leadSessionId":"77270981-bd9d","members":[]}' >"$HOME/.claude/teams/squad/config.json"
out=$(CLAUDE_CODE_TASK_LIST_ID='' CLAUDE_CODE_SESSION_ID=77270981-bd9d "$cli" list --json)
is 'task-tools.7, task-tools.42: in a team it is that of the team' "$(CLAUDE_CODE_TASK_LIST_ID='' CLAUDE_CODE_SESSION_ID=77270981-bd9d PRINTED_TEAM=squad printed list | jq -r .dir)" "$(field .dir)"
rm -r "$HOME/.claude/teams"

## the directory
team=$(printed list | jq -r .id)
mkdir tree
"$cli" --dir tree create 1 >/dev/null && "$cli" --dir tree create 2 >/dev/null && "$cli" --dir tree create 3 >/dev/null && "$cli" --dir tree create 4 >/dev/null
"$cli" --dir tree delete 4 >/dev/null
is 'task-tools.8: a list of claude-tasks has the printed files' "$(example task-tools.8 | grep '^      [.0-9]' | awk '{ print $1 }' | grep -v '^\.\.\.' | sort)" "$(ls -A tree | sort)"
for id in task-tools.s1 task-tools.s8 task-tools.s11; do
	paths=$(example $id | sed "s,^~,$HOME,; s,{team-name},$team,")
	"$cli" --list "$team" create x >/dev/null && "$cli" --list "$team" delete "$(ls "$theirs" | grep -v tasks.json | sort -n | tail -n 1 | sed 's/\.json//')" >/dev/null
	# shellcheck disable=SC2086
	try "$id: the printed path is there" ls -d $paths
done

## locks: what claude-tasks cannot take, the printed program holds
uses task-tools.10
begin
mkfifo "$T/hold"
beside hold list <"$T/hold" >"$T/held" &
holder=$!
exec 3>"$T/hold"
for ((i = 0; i < 600; i++)); do [ -s "$T/held" ] && break; sleep 0.05; done
try 'task-tools.10: the lock is where claude-tasks has it' test -d "$theirs/.lock.lock"
tasks --list theirs create Waits
is 'task-tools.10: claude-tasks creates nothing while the printed program holds the lock' '15 5' "$rc $(ls "$theirs"/*.json | wc -l)"
exec 3>&-
wait $holder
tasks --list theirs create Waits
is 'task-tools.10: claude-tasks creates a task when the lock is free' 0 $rc

## create, read, update, delete, list, clear
uses task-tools.11 task-tools.12 task-tools.13 task-tools.14 task-tools.15 task-tools.16 task-tools.17 task-tools.18
for input in '{"subject":"S","description":"D"}' '{"subject":"S","description":"D","activeForm":"A","metadata":{"k":[1,"é"],"n":null}}'; do
	begin
	theirs_said=$(printed call TaskCreate "$input")
	call ours TaskCreate "$input"
	is 'task-tools.11, task-tools.17: TaskCreate gives the data of the printed tool' "$(jq -Sc .data <<<"$theirs_said")" "$(printed output TaskCreate "$out" | jq -Sc .)"
	is 'task-tools.11, task-tools.17: TaskCreate writes the bytes of the printed tool' '' "$(same)"
done
begin
is 'task-tools.17: over MCP it answers with the text of the printed tool' "$(printed call TaskCreate '{"subject":"S","description":"D"}' | jq -r .text)" "$(mcp TaskCreate '{"subject":"S","description":"D"}')"
begin
for id in 1 2 3 4 99; do
	call ours TaskGet "{\"taskId\":\"$id\"}"
	is "task-tools.18: TaskGet of $id gives the data of the printed tool" "$(printed call TaskGet "{\"taskId\":\"$id\"}" | jq -Sc .data)" "$(printed output TaskGet "$out" | jq -Sc .)"
done
echo '{"id":"6","subject":"No status"}' | tee "$theirs/6.json" >"$ours/6.json"
is 'task-tools.12: a file that breaks the schema is not a task for either' 'null 10' "$(printed run bu 6) $("$cli" --list ours get 6 >/dev/null 2>&1; echo $?)"
has 'task-tools.12: the printed program names the field' status "$(printed run bu 6; cat "$T/printed")"
tasks --list ours get 6
has 'task-tools.12: claude-tasks names a field too' 'description is missing' "$err"
rm "$theirs/6.json" "$ours/6.json"
is 'task-tools.15: the printed list has the tasks that claude-tasks lists, and the internal one' "$(mine list --all; grep -o '^#[0-9]*' <<<"$out" | tr -d '#' | sort | paste -sd,),5" \
    "$(printed run D5 | jq -r '[.[].id] | sort | join(",")')"
printed run Qw 3 '{"owner":"eve","subject":"Third"}' >/dev/null
mine update 3 --owner eve --subject Third
is 'task-tools.13: an update writes what the printed program writes' '' "$(same)"
for id in 2 4; do
	begin
	printed run f7R $id >/dev/null
	mine delete $id
	is "task-tools.14: deleting $id leaves the files, the references and the mark of the printed program" '' "$(same)"
done
begin
printed run z7R >/dev/null
mine clear --yes
is 'task-tools.16: clear leaves the files of the printed program' '' "$(same)"
mine create Next
is 'task-tools.16: the next number goes on' 'created #6 Next' "$out"

## the inputs of the tools
# differences TOOL: what its printed schema has and ours does not, or has in another way
differences() {
	jq -nr --argjson printed "$(printed schema "$1")" --argjson ours "$("$cli" call --json)" --arg tool "$1" '
	    ($ours[] | select(.name == $tool).inputSchema) as $schema | $printed.properties // {} | to_entries[] | .key as $key |
	    [.value | .. | objects | .const // empty, .enum[]?] as $words | $schema.properties[$key] |
	    if .type == ($printed.properties[$key] | .type // "string") and $words - (.enum // []) == [] | not then $key
	    elif $schema.required - ($printed.required // []) != [] then "required: \($schema.required)" else empty end'
}
is 'task-tools.17: TaskCreate takes the printed members with their types' '' "$(differences TaskCreate)"
is 'task-tools.18: TaskGet takes the printed members with their types' '' "$(differences TaskGet)"
is 'task-tools.19: TaskUpdate takes the printed members with their types, and each printed status' '' "$(differences TaskUpdate)"
call ours TaskList "$(printed schema TaskList | jq -c '.properties // {}')"
is 'task-tools.23: TaskList takes the printed input' 0 $rc

## TaskUpdate: what the document prints of it are its schemas and three parts; the rest of update() in
## printed.js follows its text
uses task-tools.19 task-tools.20 task-tools.21 task-tools.22
for input in '"subject":"S2","description":"D2","activeForm":"A2"' '"status":"in_progress","owner":"bob"' '"addBlocks":["3"],"addBlockedBy":["1"]' \
    '"metadata":{"a":null,"b":{"c":1}}' '"status":"completed"' '"status":"deleted"' '"owner":"bob"'; do
	begin
	theirs_said=$(printed call TaskUpdate "{\"taskId\":\"4\",$input}")
	call ours TaskUpdate "{\"taskId\":\"4\",$input}"
	is "task-tools.19: TaskUpdate $input gives the result of the printed parts" "$(jq -Sc '.data | .updatedFields |= sort' <<<"$theirs_said")" \
	    "$(printed output TaskUpdate "$out" | jq -Sc '.updatedFields |= sort')"
	is "task-tools.19: TaskUpdate $input writes the bytes of the printed parts" '' "$(same)"
done
begin
printed call TaskUpdate '{"taskId":"3","metadata":{"a":null,"b":2}}' >/dev/null
call ours TaskUpdate '{"taskId":"3","metadata":{"a":null,"b":2}}'
is 'task-tools.22: metadata is merged and null deletes a key, as printed' '{"b":2} ' "$(jq -c .metadata "$ours/3.json") $(same)"
PRINTED_AGENT=ann printed call TaskUpdate '{"taskId":"2","status":"in_progress"}' >/dev/null
mine claim 2 --agent ann
is 'task-tools.20, task-tools.42: who starts a task becomes its owner, as in the printed swarm' "$(jq -r '"\(.status) \(.owner)"' "$theirs/2.json")" "$(jq -r '"\(.status) \(.owner)"' "$ours/2.json")"
hook on-pretooluse-task --list ours <<<'{"session_id":"s","cwd":"/","hook_event_name":"PreToolUse","agent_id":"a1","agent_type":"x","tool_name":"TaskUpdate","tool_input":{"taskId":"4","status":"in_progress","owner":"bob"},"tool_use_id":"t"}'
is 'task-tools.20: a call that names an owner passes the hook unchanged' '0 ' "$rc $out"
begin
jq -n --arg cwd "$PWD" '{durability: "off", gates: [{name: "proof", run: ["test", "-e", "proof"], cwd: $cwd}]}' >"$HOME/.claude/task-hooks.json"
PRINTED_HOOK=$BUILD/on-task-completed-verify printed call TaskUpdate '{"taskId":"2","status":"completed"}' >"$T/refused"
is 'task-tools.21: the printed completion is refused by our hook, and nothing is written' 'false [] pending' "$(jq -r '.data | "\(.success) \(.updatedFields)"' "$T/refused") $(jq -r .status "$theirs/2.json")"
has 'task-tools.21: the refusal names the gate' proof "$(jq -r .data.error "$T/refused")"
touch proof
PRINTED_HOOK=$BUILD/on-task-completed-verify printed call TaskUpdate '{"taskId":"2","status":"completed"}' >"$T/passed"
is 'task-tools.21: the printed completion passes our hook when the gate passes' 'true completed' "$(jq -r .data.success "$T/passed") $(jq -r .status "$theirs/2.json")"
echo '{"durability":"off"}' >"$HOME/.claude/task-hooks.json"
for id in task-tools.s3 task-tools.s5 task-tools.s7; do
	begin
	call ours TaskUpdate "{\"taskId\":\"2\",$(example $id | sed 's/^\(.*\):/"\1":/')}"
	is "$id: TaskUpdate takes the printed status" '0 true' "$rc $(field .success)"
done
deny 'task-tools.s7: deleted is not stored: the file is gone' test -e "$ours/2.json"
begin
call ours TaskCreate '{"subject":"S"}'
is 'task-tools.s4: a new task has empty arrays' "$(example task-tools.s4) $(example task-tools.s4)" "$(jq -r '"\(.blocks) \(.blockedBy)"' "$ours/6.json")"
is 'task-tools.s6: a new task has no owner' "$(example task-tools.s6)" \
    "$(jq -r --arg key "$(example task-tools.s6 | cut -d: -f1)" '"\($key): \(if has($key) then .[$key] else "undefined" end)"' "$ours/6.json")"

## TaskList
uses task-tools.23 task-tools.28
begin
call ours TaskList '{}'
is 'task-tools.23: TaskList gives the data of the printed tool' "$(printed call TaskList '{}' | jq -Sc '.data.tasks | sort_by(.id)')" "$(printed output TaskList "$out" | jq -Sc '.tasks | sort_by(.id)')"
for id in 2 3; do
	is "task-tools.28: of the blockers of $id it shows those that are not completed" "$(printed active $id | jq -c .blockedBy)" "$(field ".tasks[] | select(.id == \"$id\") | .blockedBy | tojson")"
done
# lines LINE...: the printed output as the list ours
lines() {
	local line pattern='^#([0-9]+) \[([a-z_]+)\] ([A-Za-z ]*[a-z])( \(([^)]*)\))?( \[blocked by #([0-9]+)\])?$'
	rm -rf "$ours" && mkdir -p "$ours"
	for line; do
		[[ $line =~ $pattern ]] || continue
		jq -n --arg id "${BASH_REMATCH[1]}" --arg status "${BASH_REMATCH[2]}" --arg subject "${BASH_REMATCH[3]}" --arg owner "${BASH_REMATCH[5]}" --arg by "${BASH_REMATCH[7]}" \
		    '{id: $id, subject: $subject, description: "", status: $status, blocks: [], blockedBy: (if $by == "" then [] else [$by] end)} + (if $owner == "" then {} else {owner: $owner} end)' >"$ours/${BASH_REMATCH[1]}.json"
	done
}
for id in task-tools.24 task-tools.48; do
	mapfile -t text < <(example $id)
	lines "${text[@]}"
	is "$id: all lines were understood" "${#text[@]}" "$(ls "$ours"/*.json | wc -l)"
	is "$id: TaskList over MCP prints the printed lines" "$(example $id | sort)" "$(mcp TaskList '{}' | sort)"
	mine list
	is "$id: list prints the printed lines" "$(example $id | sort)" "$(sort <<<"$out")"
done

## dependencies
uses task-tools.25 task-tools.26 task-tools.27
begin
printed run rBA 4 3 >/dev/null
mine depend 3 --on 4
is 'task-tools.25: a dependency is written on both sides, as printed' '' "$(same)"
# 1 is completed, which the printed check does not look at
for id in 2 3 4; do
	said=$(printed blockers $id)
	mine claim $id --agent bob --json
	is "task-tools.26: the claim of $id has the result and the blockers of the printed check" "$(jq -c '[.success, .reason, .blockedByTasks]' <<<"$said")" \
	    "$(jq -c '.error as $e | [$e == null and .id != null, $e.reason, (first(.. | objects | .blockedByTasks // empty) // null)]' <<<"$out")"
	mine release $id
done
begin
rm "$theirs/2.json"
printed forget 2 >/dev/null
mine delete 2
is 'task-tools.27: deleting a task leaves the other files as the printed cleanup does' '' "$(diff -r -x .lock -x .highwatermark "$theirs" "$ours")"
# the graph
rm -rf "$ours"
pattern='^Task #([0-9]+) \((no dependencies|blockedBy: (.*))\) '
while IFS= read -r line; do
	[[ $line =~ $pattern ]] || continue
	mine create "Task ${BASH_REMATCH[1]}" ${BASH_REMATCH[3]:+--blocked-by "$(jq -r 'join(",")' <<<"${BASH_REMATCH[3]}")"}
done <<<"$(example task-tools.29)"
ready() { "$cli" --list ours list --ready --json | jq -r '[.tasks[].id] | join(" ")'; }
is 'task-tools.29: what can start immediately is ready' "$(example task-tools.29 | sed -n 's/^Task #\([0-9]*\).*can start immediately.*/\1/p' | paste -sd' ')" "$(ready)"
mine complete 1
is 'task-tools.29: after 1, what waits for it is ready' '2 3 5' "$(ready)"
mine complete 2
is 'task-tools.29: 4 waits for both' '3 5' "$(ready)"
mine complete 3
is 'task-tools.29: 4 is ready when both are completed' '4 5' "$(ready)"

## claims
uses task-tools.30 task-tools.31 task-tools.32
reason() { jq -r 'if .success then "success" else .reason end'; }
for id in 2 3 4 99; do
	begin
	said=$(printed run oBA $id ann)
	mine claim $id --agent ann --json
	is "task-tools.30: the claim of $id ends as the printed one" "$(reason <<<"$said")" "$([ $rc = 0 ] && echo success || field .error.reason)"
done
begin
said=$(printed run oBA 1 eve)
mine claim 1 --agent eve --json
is 'task-tools.30: of a completed task of another the owner is named first' "$(reason <<<"$said")" "$(field .error.reason)"
begin
said=$(printed run oBA 3 ann)
mine claim 3 --agent ann --json
# data MEMBER...: of the answer, wherever it is there
data() {
	local member
	for member; do field "first(.. | objects | select(has(\"$member\"))) | .$member | tojson" 2>/dev/null; done
}
is 'task-tools.30: a refused claim gives the task and its blockers as data' "$(jq -c '.task.id, .blockedByTasks' <<<"$said")" "$(data task | jq -c .id; data blockedByTasks)"
begin
mine claim 2 --agent bob
printed run Qw 2 '{"owner":"bob","status":"in_progress"}' >/dev/null
said=$(printed run SyD 4 bob)
mine claim 4 --agent bob --one --json
is 'task-tools.31: an agent that works on a task does not get another of its own' "$(jq -c '.reason, .busyWithTasks' <<<"$said" | xargs)" "$(data reason busyWithTasks | xargs)"
begin
said=$(printed run SyD 2 bob)
mine claim 2 --agent bob --one --json
is 'task-tools.31: an agent that owns another open task is busy, and that task is named' "$(jq -c '.reason, .busyWithTasks' <<<"$said" | xargs)" "$(data reason busyWithTasks | xargs)"
begin
printed run Qw 2 '{"owner":"bob","status":"in_progress"}' >/dev/null
mine claim 2 --agent bob
said=$(printed run qn agent-id bob shutdown)
mine release --agent bob --json
is 'task-tools.32: release --agent gives the result of the printed function' "$(jq -Sc . <<<"$said")" "$(field '{unassignedTasks, notificationMessage}' | jq -Sc .)"
is 'task-tools.32: release --agent writes the bytes of the printed function' '' "$(same)"

## numbers
uses task-tools.33 task-tools.34 task-tools.35
for mark in 3 7 9abc x9 ''; do
	begin
	printf %s "$mark" | tee "$theirs/.highwatermark" >"$ours/.highwatermark"
	highest=$(printed run kyD)
	mine create Next --json
	sum=$(example task-tools.s9 | sed "s/max(.*)/$highest/")
	is "task-tools.33, task-tools.34, task-tools.35, task-tools.s9: with the mark '$mark' the next number is that of the printed program" $((sum)) "$(field .id)"
done
for name in 7.json 12.txt x9.json 8x.json; do
	begin
	touch "$theirs/$name" "$ours/$name"
	mine create Next --json
	is "task-tools.35: with a file $name the next number is one more than that of the printed function" $(($(printed run Po9) + 1)) "$(field .id)"
done
begin
mine delete 4
is 'task-tools.33: the mark that claude-tasks writes is read by the printed program' "$(cat "$ours/.highwatermark")" "$(cp "$ours/.highwatermark" "$theirs/" && printed run aBA)"

## the states, as they are drawn
# The drawing from top to bottom: a state, the action that leaves it, the next state.
drawing=$(example task-tools.36)
mapfile -t words < <(grep -oE '\((claim|complete)\b|\b(pending|in_progress|completed)\b' <<<"$drawing" | tr -d '(')
begin
state() { jq -r .status "$ours/2.json"; }
is "task-tools.36: the first state is that of a task that can be claimed" "${words[0]}" "$(state)"
for at in 1 3; do
	[ "${words[at]}" != complete ] || ! grep -q 'hooks pass)' <<<"$drawing" || {
		echo '{"durability":"off","gates":[{"name":"never","run":["false"]}]}' >"$HOME/.claude/task-hooks.json"
		mine "${words[at]}" 2 --agent ann
		is "task-tools.36: to ${words[at + 1]} only if the hooks pass" "20 ${words[at - 1]}" "$rc $(state)"
		echo '{"durability":"off"}' >"$HOME/.claude/task-hooks.json"
	}
	mine "${words[at]}" 2 --agent ann
	is "task-tools.36: ${words[at - 1]} to ${words[at + 1]}, by ${words[at]}" "0 ${words[at + 1]}" "$rc $(state)"
done
is 'task-tools.36: all three states were reached' completed "${words[4]}"
begin
mine claim 2 --agent ann
mine "$(grep -oE '\(release\b' <<<"$drawing" | tr -d '(')" --agent ann
is "task-tools.36: ${words[2]} back to ${words[0]}, when the agent shuts down" "0 ${words[0]}" "$rc $(state)"
# deletions: as many as there are arrows with this label, from the first states on
mapfile -t deletions < <(grep -oE '\((delete) -> file removed\)' <<<"$drawing" | grep -oE 'delete')
for at in "${!deletions[@]}"; do
	begin
	[ "$at" = 0 ] || mine claim 2 --agent ann
	from=$(state)
	mine "${deletions[at]}" 2 --agent ann
	is "task-tools.36: ${words[at * 2]} to deleted: the file is gone, the dependencies are removed, the mark is raised" "${words[at * 2]} 0 1 3 4 5 [] $(grep -c 'hwm updated' <<<"$drawing" | sed 's/1/2/')" \
	    "$from $rc $(ls "$ours" | sed -n 's/\.json//p' | paste -sd' ') $(jq -c .blockedBy "$ours/3.json") $(cat "$ours/.highwatermark")"
done
is 'task-tools.36: a task is deleted from two states' 2 ${#deletions[@]}

## what the client has besides the list
tool=$(example task-tools.41 | sed -n 's/.*name: "\(.*\)",.*/\1/p')
for name in $tool $(example task-tools.41 | grep aliases | grep -o '"[A-Za-z]*"' | tr -d '"'); do
	call ours "$name" '{"task_id":"b3f7a2c"}'
	has "task-tools.41: the message for $name says that only the client has it" "only the client has the tool '$name'" "$err"
done
for name in TaskCreate TaskGet TaskUpdate TaskList TodoWrite create_task; do
	mine $name
	has "task-tools.17: the message for '$name' as a command says what to write" "claude-tasks call $name" "$err"
done
call ours TaskDelete '{}'
has 'task-tools.s7: the message for TaskDelete says what to write' 'TaskUpdate with the status deleted' "$err"

## both programs on one list at the same time
begin
: >"$T/errors"
beside work left 12 >"$T/left" &
left=$!
beside work right 12 >"$T/right" &
right=$!
for i in {1..12}; do
	"$cli" --list theirs create "ours $i" >/dev/null 2>>"$T/errors" || echo "create $i" >>"$T/errors"
done
wait $left $right
is 'task-tools.11, task-tools.13, task-tools.30: two printed programs and claude-tasks on one list fail in nothing' '' "$(cat "$T/errors")"
is 'task-tools.11, task-tools.13, task-tools.30: two printed programs and claude-tasks on one list lose no task, owner or metadata' 'left completed left 12, ours pending null 12, right completed right 12' \
    "$(jq -r 'select(.subject | test(" [0-9]+$")) | "\(.subject | split(" ")[0]) \(.status) \(.owner)"' "$theirs"/*.json | sort | uniq -c | awk '{ print $2, $3, $4, $1 }' | paste -sd, | sed 's/,/, /g')"

## who hears of a change: where the printed program calls its listeners, watch prints a line
uses task-tools.43
begin
"$cli" --list theirs watch >"$T/watch" 2>&1 &
watcher=$!
for ((i = 0; i < 1200; i++)); do [ -s "$T/watch" ] && break; sleep 0.05; done
while read -r word call; do
	count=$(wc -l <"$T/watch")
	# shellcheck disable=SC2086
	called=$(printed heard $call)
	for ((i = 0; i < 1200 && called > 0; i++)); do tail -n "+$((count + 1))" "$T/watch" | grep -q "$word" && break; sleep 0.05; done
	is "task-tools.43: watch tells of ${call%% *} as the printed listeners do" "$((called > 0)) $word" "$(tail -n "+$((count + 1))" "$T/watch" | grep -q "$word" && echo 1 || echo 0) $word"
done <<'END'
Heard WOT {"subject":"Heard","description":"d","status":"pending","blocks":[],"blockedBy":[]}
Read D5
Again Qw 6 {"subject":"Again"}
#6 f7R 6
#4 z7R
END
kill $watcher
wait $watcher

## what is shown
begin
"$cli" --list ours update 4 --active-form "$(example task-tools.49 | sed 's/^ *//')" --status in_progress --agent bob >/dev/null
has 'task-tools.49: the status line shows the active form of the task in progress' "$(example task-tools.49 | sed 's/^ *//')" "$("$cli" --list ours statusline </dev/null)"
"$cli" --list ours claim 2 --agent ann >/dev/null
"$cli" --list ours complete 2 --agent ann >/dev/null
"$cli" --list ours create Given >/dev/null
"$cli" --list ours create 'Not begun' --owner eve >/dev/null
# an agent of a client that is gone
sleep 0 &
gone=$!
wait $gone
CLAUDE_PID=$gone hook on-pretooluse-task --list ours <<<'{"session_id":"s","cwd":"/","hook_event_name":"PreToolUse","agent_id":"a0000000000000008","agent_type":"x","tool_name":"TaskUpdate","tool_input":{"taskId":"6","status":"in_progress"},"tool_use_id":"t"}'
jq --argjson pid $gone '(.claims[] | select(.task == "6")) += {pid: $pid, pid_start: 1}' "$HOME/.claude/task-hooks/ours/claims.json" >"$T/new" && cp "$T/new" "$HOME/.claude/task-hooks/ours/claims.json"
mine agents --color always
declare -A codes=([yellow]=33 [green]=32 [red]=31 [dim]=2) states=([running]=running [completed]=done [failed]=gone [other]=idle)
shown=0
# `// "running"   -> "warning" (yellow)`
while read -r state colour; do
	has "task-tools.47: an agent that is ${states[$state]-$state} has the colour that is printed for $state" $'\e'"[${codes[$colour]-no code of $colour}m[${states[$state]-$state}]" "$out"
	shown=$((shown + 1))
done <<<"$(example task-tools.47 | sed -n 's/^\/\/ "\{0,1\}\([a-z]*\)"\{0,1\} *-> .*(\(.*\))$/\1 \2/p')"
is 'task-tools.47: all four printed colours were looked for' 4 $shown
is 'task-tools.4: the printed program ended well each time' '' "$(cat "$T/broken" 2>/dev/null)"
exec 6>&- 7<&-
wait $server
unset CLAUDE_CODE_TASK_LIST_ID
