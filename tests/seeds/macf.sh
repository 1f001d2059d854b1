# macf.sh: the tasks of the MACF tools: codes in subjects, kinds, the block of metadata, [SA:type].
# Sourced by check-seeds.
# shellcheck shell=bash disable=SC2154

dir=$CLAUDE_CONFIG_DIR/tasks/lab
mkdir -p "$dir"
esc=$'\e'
pre=$BUILD/on-pretooluse-task

# task ID SUBJECT [DESCRIPTION [MEMBERS]]: a native file, as JSON text
task() {
	printf '{"id":"%s","subject":"%s","description":"%s","status":"pending","blocks":[],"blockedBy":[]%s}' \
	    "$1" "$2" "${3-d}" "${4-}" >"$dir/$1.json"
}

# field ID JQ
field() { jq -r "$2" <"$dir/$1.json"; }

# terminal COMMAND...: its output on a terminal of 100 columns
terminal() { env COLUMNS=100 TERM=xterm script -qec "$*" /dev/null </dev/null | tr -d '\r'; }

# start ID MEMBERS: a TaskUpdate to in_progress; output in $out, status in $rc
start() {
	out=$(printf '{"session_id":"0f1e2d3c-0000-4000-8000-000000000001","cwd":"%s","hook_event_name":"PreToolUse",%s"tool_name":"TaskUpdate","tool_input":{"taskId":"%s","status":"in_progress"},"tool_use_id":"toolu_1"}\n' \
	    "$PWD" "${2-}" "$1" | env CLAUDE_CODE_TASK_LIST_ID=lab "$pre" ${3-} 2>"$T/err")
	rc=$?
}

## 2.12
code='\u001b[2m#68\u001b[0m \u001b[2m[^#67]\u001b[0m Phase 1'
plain='#68 [^#67] Phase 1'
task 67 Mission d ',"activeForm":"\u001b[2m#67\u001b[0m Going"'
task 68 "$code"
task 69 'red \u001b[31mtext\u001b[m, \u001b[2Jcleared, cut \u001b[2'
before=$(<"$dir/68.json")
tasks --list lab list
is '2.12: list leaves the codes out' "#67 [pending] Mission
#68 [pending] $plain
#69 [pending] red text, $(printf '\uFFFD')cleared, cut $(printf '\uFFFD')" "$out"
# plainly NAME TEXT: a text for people or a model, which has the subject and no code
plainly() {
	case $2 in
	*"$esc"* | *'[2m'* | *u001b*) fail "2.12: $1 leaves the codes out" "$2" ;;
	*"${3-Phase 1}"*) ok "2.12: $1 leaves the codes out" ;;
	*) fail "2.12: $1 shows the subject" "$2" ;;
	esac
}
for command in 'get 68' 'tree 68' 'why 68' 'list --color always' 'get 67' 'watch --until 68' 'tree --dot'; do
	text='Phase 1'
	case $command in
	watch*) "$cli" --list lab update 68 --status completed >/dev/null ;;
	'get 67') text=Going ;;
	esac
	# shellcheck disable=SC2086
	out=$("$cli" --list lab $command 2>&1)
	rc=$?
	plainly "$command" "$out" "$text"
	is "2.12: $command succeeds" 0 $rc
done
has '2.12: get shows the text of a subject without the codes' "$plain" "$("$cli" --list lab get 68)"
"$cli" --list lab update 68 --status pending >/dev/null
printf '%s' "$before" >"$dir/68.json"
out=$(terminal "$cli" --list lab --unicode)
has '2.12: a terminal shows the marked parts dim, by our own codes' \
    "${esc}[2m#68${esc}[22m ${esc}[2m[^#67]${esc}[22m Phase 1" "$out"
cp -r "$dir" "${dir%/*}/dim"
jq '.blockedBy = ["68"]' "$dir/67.json" >"${dir%/*}/dim/67.json"
"$cli" --list dim update 68 --status in_progress --owner ann >/dev/null
for command in agents 'why 67' 'why 68' 'get 67'; do
	out=$(terminal "$cli" --list dim "$command" --unicode)
	has "2.12: a terminal shows them dim: $command" "${esc}[2m#68${esc}[22m ${esc}[2m[^#67]${esc}[22m Phase 1" "$out"
done
out=$(terminal "$cli" --list dim agents --color never)
has '2.12: without colour agents shows the whole text' "#68 $plain" "$out"
"$cli" --list dim update 68 --subject "$(jq -r .subject "$dir/68.json") and more" >/dev/null
out=$(terminal "$cli" --list dim log 68)
has '2.12: a terminal shows them dim: log' "${esc}[2m#68${esc}[22m ${esc}[2m[^#67]${esc}[22m Phase 1 and more" "$out"
out=$(terminal env NO_COLOR=1 "$cli" --list lab)
is '2.12: a terminal without colour shows no codes' '' "$(grep -F '[2m' <<<"$out")"
has '2.12: a terminal without colour shows the whole text' "$plain" "$out"
out=$(env COLUMNS=30 TERM=xterm script -qec "$cli --list lab --ascii" /dev/null </dev/null)
try '2.12: a line is cut by what is seen, not by the codes' test "$(tr -d '\r' <<<"$out" | sed 's/\x1b\[[0-9;]*m//g' | wc -L)" -le 30
is '2.12: reading leaves the bytes of the file as they are' "$before" "$(<"$dir/68.json")"
is '2.12: get --json has the raw subject in the task' "$(jq .subject <"$dir/68.json")" "$("$cli" --list lab get 68 --json | jq .task.subject)"
is '2.12: get --json has the subject without codes in the summary' "$plain" "$("$cli" --list lab get 68 --json | jq -r .summary.subject)"
is '2.12: get --json has the active form without codes in the summary' '#67 Going' "$("$cli" --list lab get 67 --json | jq -r .summary.activeForm)"
is '2.12: list --json has the subject without codes' "$plain" "$("$cli" --list lab list --json | jq -r '.tasks[] | select(.id == "68") | .subject')"
is '2.12: call TaskList has the subject without codes' "$plain" "$(echo '{}' | "$cli" --list lab call TaskList | jq -r '.tasks[] | select(.id == "68") | .subject')"
is '2.12: call TaskGet has the subject without codes' "$plain" "$(echo '{"taskId":"68"}' | "$cli" --list lab call TaskGet | jq -r .task.subject)"
tasks --list lab list --search '#68 [^#67] PHASE'
is '2.12: a search ignores the codes' "#68 [pending] $plain" "$out"
tasks --list lab list --search 2m
is '2.12: a search does not find the codes' "no task of list 'lab' matches" "$out"
"$cli" --list lab depend 68 --on 69 >/dev/null
start 68
is '2.12: a refusal leaves the codes out' "Task #68 \"$plain\" cannot start: blocked by #69 \"red text, $(printf '\uFFFD')cleared, cut $(printf '\uFFFD')\" (pending). Ready now: #67 \"Mission\", #69 \"red text, $(printf '\uFFFD')cleared, cut $(printf '\uFFFD')\"." "$(<"$T/err")"
"$cli" --list lab update 67 --status in_progress --agent eve >/dev/null
has '2.12: the status line leaves the codes out' '#67 #67 Going @eve' "$("$cli" --list lab statusline --color never </dev/null)"
"$cli" --list lab release 67 >/dev/null
"$cli" --list lab depend 68 --drop 69 >/dev/null
"$cli" --list lab claim 68 --agent eve >/dev/null
plainly 'agents' "$("$cli" --list lab agents)"
plainly 'agents --json' "$("$cli" --list lab agents --json)"
plainly 'statusline --json' "$("$cli" --list lab statusline --json </dev/null)"
plainly 'claim of a task that is taken' "$("$cli" --list lab claim 68 --agent bob 2>&1)"
plainly 'a tool that refuses' "$("$cli" --list lab call TaskUpdate <<<'{"taskId":"68","status":"in_progress","owner":"bob"}')"
plainly 'release --json' "$("$cli" --list lab release 68 --json)"
"$cli" --list lab claim 68 --agent eve >/dev/null
plainly 'release' "$("$cli" --list lab release 68)"
plainly 'completions' "$("$cli" words -- --list lab get '')"
plainly 'update of the subject' "$("$cli" --list lab update 68 --subject "$(field 68 .subject) b")"
plainly 'log of a subject' "$("$cli" --list lab log)"
plainly 'undo that is refused' "$("$cli" --list lab update 68 --subject x >/dev/null; printf '%s' "$before" >"$dir/68.json"; "$cli" --list lab undo 2>&1)"
plainly 'TaskList in full' "$("$cli" --list lab call TaskList <<<'{"full":true}')"
plainly 'TodoRead' "$("$cli" --list lab call TodoRead <<<'{}' | jq -c '[.tasks[] | del(.description)]')" '"68"'
plainly 'the text of TaskGet for a model' "$(printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"TaskGet","arguments":{"taskId":"68"}}}' |
    "$cli" --list lab mcp | jq -r '.result.content[0].text')"
plainly 'export --to checklist' "$("$cli" --list lab export --to checklist)" '- [ ] #68 Phase 1 (parent #67)'
is '2.12: export keeps the subject for an import' "$(jq .subject <"$dir/68.json")" "$("$cli" --list lab export | jq '.[] | select(.id == "68") | .subject')"
printf '{"sync":[{"name":"copy","run":["sh","-c","cat >%s/synced"]}]}' "$T" >"$CLAUDE_CONFIG_DIR/task-hooks.json"
"$cli" --list lab update 69 -d other >/dev/null
soon '2.12: a sync command runs' test -s "$T/synced"
plainly 'the input of a sync command' "$(<"$T/synced")"
echo '{"gates":[{"name":"env","run":["sh","-c","echo \"$CLAUDE_TASK_SUBJECT\" >'"$T"'/subject"],"pass":["CLAUDE_TASK_SUBJECT"]}]}' >"$CLAUDE_CONFIG_DIR/task-hooks.json"
"$cli" --list lab claim 68 --agent eve >/dev/null
plainly 'the environment of a gate' "$("$cli" --list lab complete 68 --agent eve >/dev/null 2>&1; cat "$T/subject")"
echo '{"durability":"off"}' >"$CLAUDE_CONFIG_DIR/task-hooks.json"
"$cli" --list lab clear --yes >/dev/null
rm -f "$dir"/.highwatermark

## 2.13, 2.28, 2.29
tasks --list lab create --kind mission --repo MacEff --version 0.4.0 Task CLI
is '2.28: create --kind mission makes a task with the sign of a mission' 'created #1 #1 🗺️ Task CLI' "$out"
is '2.13: the subject of a mission begins with its dim number' "${esc}[2m#1${esc}[0m 🗺️ Task CLI" "$(field 1 .subject)"
tasks --list lab create --kind experiment 'A try'
is '2.28: create --kind experiment makes a task with the sign of an experiment' "${esc}[2m#2${esc}[0m 🧪 A try" "$(field 2 .subject)"
tasks --list lab create --kind phase --parent 1 'Phase 4'
is '2.29: create --kind phase --parent N puts the dim parent into the subject' "${esc}[2m#3${esc}[0m ${esc}[2m[^#1]${esc}[0m 📋 Phase 4" "$(field 3 .subject)"
tasks --list lab create --kind bug --parent '#3' --cycle 42 --breadcrumb s_1/c_2 --agent TestEng 'Fix it' -d 'The text.'
is "2.29: create --kind bug --parent '#N' puts the dim parent into the subject" "${esc}[2m#4${esc}[0m ${esc}[2m[^#3]${esc}[0m 🐛 Fix it" "$(field 4 .subject)"
is '2.28: a task of a kind has kind, parent and active form in its fields' 'bug 3 Working on Fix it 4' "$(field 4 '"\(.metadata.kind) \(.metadata.parent_id) \(.activeForm) \(.id)"')"
is '2.29: get lists the subtasks of a phase' 'subtasks: #4 [pending] #4 [^#3] 🐛 Fix it' "$("$cli" --list lab get 3 | grep subtasks)"
count=$(ls "$dir")
while IFS='|' read -r wrong status words; do
	# shellcheck disable=SC2086
	tasks --list lab create --kind $wrong
	is "2.29: create --kind $wrong is refused with its status" "$status" "$rc"
	has "2.29: the refusal of create --kind $wrong says what is wrong" "$words" "$err"
done <<'END'
bug x|64|--parent
phase x|64|--parent
bgu x|64|bgu
mission --parent 99 x|21|leave that parent out
mission --repo a<b x|64|--repo
mission --cycle soon x|64|--cycle
END
tasks --list lab create --repo a x
has '2.28: create --repo without --kind is refused, and the message names --kind' '--repo needs --kind' "$err"
is '2.29: a refused create leaves no file' "$count" "$(ls "$dir")"
tasks --list lab create mission Title
is '2.28: create without --kind takes all words as the subject' 'created #5 mission Title' "$out"
has '2.28: it says how to make a mission' 'create --kind mission TITLE' "$err"
has '2.28: it says how to make a phase, which needs a parent' 'create --kind phase --parent N TITLE' "$("$cli" --list words create phase Title 2>&1)"
is '2.13: a task without a kind gets no number in its subject' 'mission Title' "$(field 5 .subject)"
"$cli" --list lab delete 5 >/dev/null
has '2.28: help create names --kind' '--kind KIND' "$("$cli" help create)"
for i in 1 2 3 4 5 6 7 8; do
	"$cli" --list many create --kind mission "Title $i" >/dev/null &
done
wait
is '2.13: tasks of a kind that are created at the same time have each their own number' '' "$(cd "$CLAUDE_CONFIG_DIR/tasks/many" && for f in *.json; do
	jq -r 'select(.subject | startswith("\u001b[2m#\(input_filename | rtrimstr(".json"))\u001b[0m ") | not) | .subject' "$f"
done)$(ls "$CLAUDE_CONFIG_DIR"/tasks/many/*.json | wc -l | grep -vx 8)"
mkdir "$T/documents" && document "$T/documents"
tasks --dir "$T/documents" create --kind mission --repo shop 'Title'
is '2.28: create --kind works on a tasks.json list' '🗺️ Title|mission|shop' "$("$cli" --dir "$T/documents" list --json --repo shop | jq -r '.tasks[0] | "\(.subject)|\(.kind)"')|$(jq -r '.tasks[0] | .. | strings | capture("\nrepo: (?<r>.*)").r' "$T/documents/tasks.json")"
is '2.13: a task of a tasks.json list gets no number in its subject' '🗺️ Title' "$(jq -r '.tasks[0].description' <"$T/documents/tasks.json" | head -n 1)"

## 2.24, 2.23
is '2.24: a task of a kind has the block of metadata in its description' 'The text.

<macf_task_metadata version="1.0">
creation_breadcrumb: s_1/c_2
created_cycle: 42
created_by: TestEng
task_type: BUG
parent_id: 3
</macf_task_metadata>' "$(field 4 .description)"
is '2.24: the block has the repository and the version' 'Task CLI

<macf_task_metadata version="1.0">
created_by: ada
task_type: MISSION
repo: MacEff
target_version: 0.4.0
</macf_task_metadata>' "$(field 1 .description)"
"$cli" --list lab create --kind bug --kind mission Twice -d '<macf_task_metadata version="1.0">
repo: own
</macf_task_metadata>' >/dev/null
is '2.24: a block in the passed description stays the only one, and the last kind counts' '1 mission' \
    "$(field 6 .description | grep -c '<macf_task') $(field 6 .metadata.kind)"
"$cli" --list lab delete 6 >/dev/null
CLAUDE_CODE_SESSION_ID=0f1e2d3c-0000-4000-8000-000000000001 "$cli" --list lab create --kind mission Own >/dev/null
has '2.24: the block says created_by PA for a task of the main thread' 'created_by: PA' "$(field 7 .description)"
"$cli" --list lab update 4 -d 'Other text.' >/dev/null
is '2.24: the block stays with a new description' 'Other text. </macf_task_metadata>' "$(field 4 .description | sed -n '1p;$p' | paste -sd' ')"
"$cli" --list lab update 4 -d 'The text.' >/dev/null
is '2.23: get shows the block apart from the description' '#4 [pending] #4 [^#3] 🐛 Fix it
active form: Working on Fix it
parent: #3 [pending] #3 [^#1] 📋 Phase 4
metadata: {"kind":"bug","parent_id":"3"}
macf metadata:
  creation_breadcrumb: s_1/c_2
  created_cycle: 42
  created_by: TestEng
  task_type: BUG
  parent_id: 3
description:
The text.' "$("$cli" --list lab get 4)"
is '2.23: get --json has the block as an object' '{"creation_breadcrumb":"s_1/c_2","created_cycle":"42","created_by":"TestEng","task_type":"BUG","parent_id":"3"}' \
    "$("$cli" --list lab get 4 --json | command jq -c .macf)"
is '2.23: get --json has the description with its block too' "$(field 4 .description)" "$("$cli" --list lab get 4 --json | jq -r .task.description)"
task 20 '\u001b[2m#20\u001b[0m \ud83d\uddfa\ufe0f MISSION: Theirs' \
    'Text.\n\n<macf_task_metadata version=\"1.0\">\ncreation_breadcrumb: s_9/c_8\ncreated_cycle: 7\ncreated_by: PA\nrepo: Other\nupdates:\n- breadcrumb: s_7\n</macf_task_metadata>\nMore.'
out=$("$cli" --list lab get 20)
has "2.23: get shows the block that another tool wrote" 'macf metadata:
  creation_breadcrumb: s_9/c_8
  created_cycle: 7
  created_by: PA
  repo: Other
  updates:
  - breadcrumb: s_7
description:
Text.
More.' "$out"
finds() {
	local want=$1
	shift
	tasks --list lab list "$@"
	is "2.23: list $* finds the tasks by what the block says" "$want" "$(cut -d' ' -f1 <<<"$out" | paste -sd' ')"
}
finds '#20' --kind mission --repo other
finds '#4' --kind BUG
finds '#1' --repo MacEff
finds '#20' --search s_9/c_8
finds '#4' --search 'CREATED_CYCLE: 42'
tasks --list lab list --kind detour
is '2.23: list --kind refuses a kind that is not known, as --status does' "64 claude-tasks: unknown kind 'detour'; known: mission, experiment, phase, bug (try: claude-tasks help list)" "$rc $err"
finds '#3 #4' --kind phase,bug
finds '#3 #4' --kind phase --kind bug
task 22 Detour '<macf_task_metadata version=\"1.0\">\ntask_type: DETOUR\n</macf_task_metadata>'
finds '#22' --kind detour
rm "$dir/22.json"
task 21 Broken '<macf_task_metadata version=\"1.0\">\nrepo: x'
has '2.23: a block without an end is text' 'repo: x' "$("$cli" --list lab get 21)"

## 2.27
"$cli" --list lab clear --yes >/dev/null
task 30 '[SA:DevOpsEng] Implement CLI command'
task 31 '\u001b[2m#31\u001b[0m [SA:TestEng] Write unit tests'
task 32 'Ordinary'
is '2.27: list shows for which type of agent a task is' '#30 [pending] Implement CLI command (for DevOpsEng)
#31 [pending] #31 Write unit tests (for TestEng)
#32 [pending] Ordinary' "$("$cli" --list lab list)"
has '2.27: tree shows for which type of agent a task is' '(for DevOpsEng)' "$("$cli" --list lab tree)"
has '2.27: get shows for which type of agent a task is' '(for TestEng)' "$("$cli" --list lab get 31)"
has '2.27: a terminal shows for which type of agent a task is' 'Implement CLI command' "$(terminal "$cli" --list lab | grep 'for DevOpsEng')"
is '2.27: list --json has the type of agent' 'DevOpsEng TestEng null' "$("$cli" --list lab list --json | jq -r '[.tasks[].for] | map(tostring) | join(" ")')"
is '2.27: list --json has the whole subject' '[SA:DevOpsEng] Implement CLI command' "$("$cli" --list lab list --json | jq -r '.tasks[0].subject')"
tasks --list lab list --for devopseng
is '2.27: list --for TYPE finds the tasks for a type, in any case of letters' '#30 [pending] Implement CLI command (for DevOpsEng)' "$out"
is '2.27: the completions of list --for offer the types' 'DevOpsEng TestEng' "$("$cli" words -- --list lab list --for '' | cut -f1 | paste -sd' ')"
agent='"agent_id":"a6b1d0c2f3e4a5b69","agent_type":"%s",'
# shellcheck disable=SC2059
start 30 "$(printf "$agent" TestEng)"
has '2.27: an agent of another type that starts a task is told for whom it is' 'Let through, but: Task #30 \"[SA:DevOpsEng] Implement CLI command\" is meant for an agent of type DevOpsEng; yours is TestEng.' "$out"
is '2.27: an agent of another type may start it by default' 0 $rc
"$cli" --list lab release 30 >/dev/null 2>&1
echo '{"durability":"off","rules":{"agent_type":"refuse"}}' >"$CLAUDE_CONFIG_DIR/task-hooks.json"
start 31
is '2.27: with rules.agent_type refuse the main thread cannot start such a task' 2 $rc
has '2.27: that refusal names the ways out' "If you are to do it, first remove [SA:TestEng] from its subject: claude-tasks update 31 --subject '...'; else start an agent of that type for it." "$(<"$T/err")"
# An in-process teammate: its agent_type is its name, its type is in the team's file.
mkdir -p "$CLAUDE_CONFIG_DIR/teams/session-0f1e2d3c"
echo '{"name":"session-0f1e2d3c","members":[{"name":"worker","agentType":"TestEng"},{"name":"ops","agentType":"DevOpsEng"},{"name":"odd"}]}' \
    >"$CLAUDE_CONFIG_DIR/teams/session-0f1e2d3c/config.json"
start 31 '"agent_id":"aops-0123456789abcdef","agent_type":"ops",'
is '2.27: a teammate of another type cannot start it' 2 $rc
has "2.27: the refusal of a teammate names its type from the team's file" 'yours is DevOpsEng' "$(<"$T/err")"
start 31 '"agent_id":"aworker-0123456789abcdef","agent_type":"worker",'
is '2.27: a teammate of the type can start it' '0 ' "$rc $out"
"$cli" --list lab release 31 >/dev/null 2>&1
start 31 '"agent_id":"aodd-0123456789abcdef","agent_type":"odd",'
is '2.27: a teammate whose type is not known can start it' '0 ' "$rc $out"
start 30 '"agent_type":"DevOpsEng",'
is '2.27: a teammate in tmux, which sends its type itself, can start it' 0 $rc
# Whom an idle teammate is offered a task.
rm "$dir/32.json"
tasks --list lab release 30 31
has '1.63: release names the session whose main thread has a claim on a task that it did not begin' \
    'released the claim of session 0f1e2d3c on #30' "$rc $out"
idle() {
	printf '{"session_id":"0f1e2d3c-0000-4000-8000-000000000001","cwd":"%s","hook_event_name":"TeammateIdle","permission_mode":"default","agent_id":"a%s-0123456789abcdef","agent_type":"%s","teammate_name":"%s","team_name":"session-0f1e2d3c"}\n' \
	    "$PWD" "$1" "$1" "$1" | env CLAUDE_CODE_TASK_LIST_ID=lab "$BUILD/on-subagent-stop" 2>"$T/err" >/dev/null
	cat "$T/err"
}
has '2.27: an idle teammate is offered a task of its type' 'Task #31 ' "$(idle worker)"
is '2.27: an idle teammate is offered no task of another type' '' "$(idle worker)"
has '2.27: the task of another type is offered to a teammate of that type' 'Task #30 ' "$(idle ops)"
# The same rule for the command and the tools, which know the type of a teammate by its name.
mkdir -p "$CLAUDE_CONFIG_DIR/teams/lab"
echo '{"name":"lab","members":[{"name":"worker","agentType":"TestEng"},{"name":"ops","agentType":"DevOpsEng"},{"name":"odd"}]}' \
    >"$CLAUDE_CONFIG_DIR/teams/lab/config.json"
other='is meant for an agent of type DevOpsEng; yours is TestEng'
tasks --list lab claim 30 --agent worker
is '2.27: claim by an agent of another type is refused' 21 $rc
has '2.27: the refusal of claim names both types and the way out' "$other. If you are to do it, first change [SA:DevOpsEng] in its subject: claude-tasks update 30 --subject '[SA:TestEng] ...'; else take another task." "$err"
tasks --list lab update 30 --status in_progress --agent worker
is '2.27: update --status in_progress by an agent of another type is refused' 21 $rc
has '2.27: TaskUpdate by an agent of another type is refused' "$other" "$("$cli" --list lab call TaskUpdate <<<'{"taskId":"30","status":"in_progress","owner":"worker"}')"
has '2.27: claim_task by an agent of another type is refused' "$other" "$("$cli" --list lab call claim_task <<<'{"task_id":"30","owner":"worker"}')"
has '2.27: TodoWrite by an agent of another type is refused' "$other" "$("$cli" --list lab call TodoWrite <<<'{"id":"30","description":"[SA:DevOpsEng] Implement","status":"in_progress","assignee":"worker"}')"
is '2.27: a refused start has changed nothing' 'pending null' "$(field 30 '"\(.status) \(.owner)"')"
tasks --list lab claim --next --agent worker
is '2.27: claim --next passes over a task for another type' 'claimed #31 #31 [SA:TestEng] Write unit tests (worker)' "$out"
for agent in ops odd stranger; do
	tasks --list lab claim 30 --agent $agent
	is "2.27: $agent, of the type or of none that is known, can claim it" 0 $rc
	"$cli" --list lab release 30 31 >/dev/null 2>&1
done
echo '{"durability":"off","rules":{"agent_type":"off"}}' >"$CLAUDE_CONFIG_DIR/task-hooks.json"
tasks --list lab claim 30 --agent worker
is '2.27: with the rule off claim says nothing' '0 ' "$rc $err"
"$cli" --list lab release 30 >/dev/null 2>&1
echo '{"durability":"off"}' >"$CLAUDE_CONFIG_DIR/task-hooks.json"
tasks --list lab claim 30 --agent worker
is '2.27: by default claim goes on' 0 $rc
has '2.27: by default claim warns' "Let through, but: Task #30 \"[SA:DevOpsEng] Implement CLI command\" $other. If you are not to do it, set it to pending and take another task." "$err"
tasks --list lab update 30 --status in_progress --agent worker
is '2.27: the agent that has the task is not warned again' '' "$err"
"$cli" --list lab release 30 >/dev/null 2>&1
out=$("$cli" --list lab call TaskUpdate <<<'{"taskId":"30","status":"in_progress","owner":"worker"}')
has '2.27: by default TaskUpdate goes on and warns' "true Let through, but: Task #30" "$(jq -r '"\(.success) \(.warnings[0])"' <<<"$out")"
"$cli" --list lab release 30 >/dev/null 2>&1
out=$(printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"TaskUpdate","arguments":{"taskId":"30","status":"in_progress","owner":"worker"}}}' |
    "$cli" --list lab mcp)
has '2.27: the text for a model has the warning' "$other" "$(jq -r '.result.content[0].text' <<<"$out")"
"$cli" --list lab release 30 31 >/dev/null 2>&1
rm -r "$CLAUDE_CONFIG_DIR/teams/lab"
# What is asked for costs nothing where no task names a type.
if command -v strace >/dev/null; then
	task 33 Plain
	task 34 '[SA:DevOpsEng] Marked'
	calls() {
		printf '{"session_id":"0f1e2d3c-0000-4000-8000-000000000001","cwd":"%s","hook_event_name":"PreToolUse","agent_id":"aops-0123456789abcdef","agent_type":"ops","tool_name":"TaskUpdate","tool_input":{"taskId":"%s","status":"in_progress"},"tool_use_id":"toolu_1"}\n' \
		    "$PWD" "$1" | ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 CLAUDE_CODE_TASK_LIST_ID=lab strace -f -o "$T/calls" -e trace=file "$pre" >/dev/null 2>&1
		grep -c '/teams' "$T/calls"
	}
	is '2.27: the team is not read for a task without a mark' 0 "$(calls 33)"
	deny '2.27: the team is read for a task with a mark' test "$(calls 34)" = 0
fi

# The colours of a team.
mkdir -p "$CLAUDE_CONFIG_DIR/teams/paint"
jq -n '{name: "paint", members: ["red","green","yellow","orange","blue","cyan","purple","pink"] | map({name: "m-\(.)", color: .})}' >"$CLAUDE_CONFIG_DIR/teams/paint/config.json"
"$cli" -l paint create One >/dev/null
is '1.81: each of the eight colours of the client looks different' 8 "$("$cli" -l paint agents --color always | grep -o $'\e\[[0-9]*mm-' | sort -u | wc -l)"

## 2.12, 2.24: a new subject, and a .tasks folder
"$cli" --list titles create --kind mission Whole >/dev/null
"$cli" --list titles create --kind phase --parent 1 Part >/dev/null
tasks --list titles update 2 --subject 'Other part'
is '2.12: a new subject keeps the number, the parent and the emoji before it' 'updated #2 #2 [^#1] 📋 Other part' "$out"
is '2.12: a new subject keeps the dim codes' $'\e[2m#2\e[0m \e[2m[^#1]\e[0m 📋 Other part' "$(jq -r .subject "$CLAUDE_CONFIG_DIR/tasks/titles/2.json")"
"$cli" --list titles undo >/dev/null
is '2.12: undo gives the subject back as it was' $'\e[2m#2\e[0m \e[2m[^#1]\e[0m 📋 Part' "$(jq -r .subject "$CLAUDE_CONFIG_DIR/tasks/titles/2.json")"
"$cli" --list titles update 2 --subject $'\e[2m#2\e[0m Own' >/dev/null
is '2.12: a new subject with a number of its own gets no emoji, but the parent of the task' $'\e[2m#2\e[0m \e[2m[^#1]\e[0m Own' "$(jq -r .subject "$CLAUDE_CONFIG_DIR/tasks/titles/2.json")"
"$cli" --list titles create Ordinary >/dev/null
tasks --list titles update 3 --subject 'Also ordinary'
is '2.12: a subject without marks is replaced whole' 'updated #3 Also ordinary' "$out"
mkdir -p "$T/block/.tasks"
folder() {
	tasks --dir "$T/block/.tasks" "$@"
}
folder create --kind mission --repo shop Whole
whole=$(jq -r .id "$T"/block/.tasks/*.json)
is '2.28: create --kind works in a .tasks folder' "0 created #$whole 🗺️ Whole" "$rc $out"
is '2.24: a task of a .tasks folder has only the fields that such a folder knows' 'blockedBy description id owner status subject' \
    "$(jq -r 'keys | sort | join(" ")' "$T/block/.tasks/$whole.json")"
folder list --kind mission --repo shop --json
is '2.24: list finds it by kind and repository' "$whole" "$(jq -r '.tasks[].id' <<<"$out")"
folder create --kind bug --parent "$whole" Broken
folder list --kind bug --json
part=$(jq -r '.tasks[].id' <<<"$out")
folder get "$part"
has '2.24: the block of a task of a .tasks folder names its parent' "parent: #$whole [pending] 🗺️ Whole" "$out"
folder complete "$whole"
has '2.24: a task of a .tasks folder is not completed before its parts' "$part" "$rc $out$err"
folder create Other
other=$(sed -n 's/^created #\([^ ]*\) .*/\1/p' <<<"$out")
folder update "$part" --parent "$other"
folder get "$part" --json
is '2.24: a change of the parent changes the block' "$other $other" "$(jq -r '"\(.macf.parent_id) \(.task.description | capture("parent_id: (?<p>.*)").p)"' <<<"$out")"
folder update "$other" --parent "$whole"
is '2.24: a task of a .tasks folder without a block still cannot hold a parent' 21 $rc
folder create --kind bug --parent nowhere Lost
is '2.24: a parent that is not there is refused in a .tasks folder' 0 "$(grep -l Lost "$T"/block/.tasks/*.json | wc -l)"
