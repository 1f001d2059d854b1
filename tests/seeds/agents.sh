# Who is there, and who is told.
# shellcheck shell=bash disable=SC2154 # out, err and rc are set by tasks()

lead=11111111-1111-4111-8111-111111111111
team=session-11111111

# hook PROGRAM LIST MEMBERS [PID]: run a hook on an event of the lead's session, in the client PID
hook() {
	printf '{"session_id":"%s","cwd":"%s",%s}\n' "$lead" "$PWD" "$3" |
	    CLAUDE_PID=${4:-$$} "$BUILD/$1" $2
}
# start TASK MEMBERS [PID]: the hook's answer when an agent starts a task of the team's list
start() {
	hook on-pretooluse-task "--list $team" "\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"TaskUpdate\",\"tool_input\":{\"taskId\":\"$1\",\"status\":\"in_progress\"},\"tool_use_id\":\"toolu_$1\"$2" "${3-}"
}
# write TASK OWNER: what the client writes after that
write() {
	local file=$CLAUDE_CONFIG_DIR/tasks/$team/$1.json
	jq --arg owner "$2" '.status = "in_progress" | .owner = $owner' "$file" >"$T/task" && cp "$T/task" "$file"
}
# call MEMBERS: an agent makes a call of a task tool that no rule is about
call() {
	hook on-pretooluse-task "--list $team" "\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"TaskList\",\"tool_input\":{},\"tool_use_id\":\"toolu_9\"$1"
}
# is_teammate NAME, is_subagent N: what identifies it in an event
is_teammate() { printf ',"agent_id":"a%s-00000000000000aa","agent_type":"%s"' "$1" "$1"; }
is_subagent() { printf ',"agent_id":"a%016d","agent_type":"general-purpose"' "$1"; }
# make_team: the file of the lead's team
make_team() {
	mkdir -p "$CLAUDE_CONFIG_DIR/teams/$team"
	jq -n --arg team "$team" --arg lead "$lead" --argjson pid $$ '{name: $team, leadAgentId: "team-lead@\($team)",
	    leadSessionId: $lead, leadProcess: {pid: $pid}, members: [
	    {name: "team-lead", agentType: "team-lead"}, {name: "ann", color: "purple", agentType: "general-purpose"},
	    {name: "bob", color: "blue", agentType: "Explore", isActive: true},
	    {name: "front", color: "no such colour", agentType: "general-purpose"}]} |
	    .members |= map(. + {agentId: "\(.name)@\($team)"})' >"$CLAUDE_CONFIG_DIR/teams/$team/config.json"
}
field() { jq -r "$1" <<<"$out"; }

## 1.62 and 0.48 on each layout
mkdir native .tasks
document doc
for dir in native doc .tasks; do
	made=()
	for subject in Parse Print Test; do
		tasks --dir $dir create "$subject" --json
		made+=("$(field .id)")
	done
	tasks --dir $dir depend "${made[1]}" --on "${made[0]}"
	tasks --dir $dir claim "${made[0]}" --agent q
	tasks --dir $dir claim "${made[2]}" --agent q
	tasks --dir $dir release --agent q --json
	is "1.62: release --agent names the tasks that it released ($dir)" \
	    "[{\"id\":\"${made[0]}\",\"subject\":\"Parse\"},{\"id\":\"${made[2]}\",\"subject\":\"Test\"}]" \
	    "$(field '.unassignedTasks | tojson')"
	is "1.62: release --agent has the message for the other agents ($dir)" \
	    "q has shut down. 2 task(s) were unassigned: #${made[0]} \"Parse\", #${made[2]} \"Test\". Use TaskList to check availability and TaskUpdate with owner to reassign them to idle teammates." \
	    "$(field .notificationMessage)"
	is "1.62: release --agent still lists what was released and what is ready ($dir)" "${made[0]} ${made[2]}|${made[0]} ${made[2]}" \
	    "$(field '"\(.released | join(" "))|\(.ready | join(" "))"')"
	out=$(hook on-subagent-stop "--dir $dir" "\"hook_event_name\":\"SubagentStop\",\"permission_mode\":\"default\",\"last_assistant_message\":\"done\",\"tasks_completed\":[\"${made[0]}\"]$(is_subagent 1)")
	is "0.48: the answer to a report names the task that is ready ($dir)" \
	    "Completed by report: #${made[0]} \"Parse\". Ready now: #${made[1]}." "$(field .systemMessage)"
done
tasks --dir native release --agent nobody --json
is '1.62: release --agent of an agent that had nothing names no task and has no message' '[]|' "$(field '"\(.unassignedTasks)|\(.notificationMessage)"')"
tasks --dir native claim 3 --agent q
tasks --dir native release 3 --json
is '1.62: release N has a message that does not say that an agent has ended' '1 task(s) were unassigned: #3 "Test". Use TaskList to check availability and TaskUpdate with owner to reassign them to idle teammates.' \
    "$(field .notificationMessage)"
tasks --dir native release --dead --json
is '1.62: release --dead without a dead agent names no task and has no message' '[]|' "$(field '"\(.unassignedTasks)|\(.notificationMessage)"')"

## 1.80: who is there
tasks -l $team agents
is '1.80: agents says that no agent has taken a task' "no agent has taken a task of list '$team'" "$out"
for subject in Build Ship Docs Check Wait; do
	tasks -l $team create "$subject"
done
# A process that is gone: this one has ended when its claim is looked at.
bash -c ':' &
gone=$!
wait $gone
start 1 "$(is_teammate ann)" >"$T/o"
start 2 "$(is_subagent 7)" >"$T/o"
start 3 "$(is_subagent 8)" $gone >"$T/o"
# No hook has run since, so the claim of the one that is gone is still on record; its pid was not
# recorded if no process had it.
jq --argjson pid $gone '(.claims[] | select(.task == "3")) += {pid: $pid, pid_start: 1}' \
    "$CLAUDE_CONFIG_DIR/task-hooks/$team/claims.json" >"$T/claims"
cp "$T/claims" "$CLAUDE_CONFIG_DIR/task-hooks/$team/claims.json"
write 1 ann
write 3 a0000000000000008
"$cli" -l $team update 5 --owner $'e\e[31mvil' >/dev/null
tasks -l $team agents --json
one() { field ".[] | select(.agent == \"$1\") | $2"; }
is '1.80: agents shows a teammate that works as running, with its task' 'running true 1 Build' "$(one ann '"\(.state) \(.alive) \(.holds[0] | "\(.id) \(.subject)")"')"
is '1.80: agents shows the type and the session of a subagent' "general-purpose $lead" "$(one a0000000000000007 '"\(.type) \(.session)"')"
is '1.80: agents shows an agent whose client is gone as gone' 'gone false 3' "$(one a0000000000000008 '"\(.state) \(.alive) \(.holds[0].id)"')"
is '1.80: agents tells since when a task is claimed and when the agent was last seen' 'true true' \
    "$(one ann '"\(.since == .holds[0].since and (.since | test("^20.*Z$"))) \(.last_seen >= .since)"')"
is '1.80: agents shows an owner that took nothing, with the task' '["5"]' "$(field '.[] | select(.agent | startswith("e")) | [.holds[].id] | tojson')"
tasks -l $team agents
has '1.80: agents prints the name, the state, the task and the time as text' 'ann [running] #1 Build for ' "$out"
is '1.80: agents prints no control characters of a name' 0 "$(grep -c $'\e' <<<"$out")"
make_team
tasks -l $team agents --json
is '1.80: agents shows the members of the team with type, colour and who is busy' 'Explore blue running|idle|idle' \
    "$(one bob '"\(.type) \(.color) \(.state)"')|$(one front .state)|$(one team-lead .state)"
is '1.80: agents joins the claims of a teammate with its entry in the team' 'general-purpose purple true' "$(one ann '"\(.type) \(.color) \(.member)"')"
tasks -l $team agents --color always
has '1.81: a running agent is yellow' $'\e[33m[running]' "$out"
has '1.81: an agent that is gone is red' $'\e[31m[gone]' "$out"
has '1.81: an idle agent is dim' $'\e[2m[idle]' "$out"
has "1.80: a teammate has the colour of the team's file" $'\e[35mann\e[0m' "$out"
tasks -l $team claim 4 --agent zed
tasks -l $team complete 4 --agent zed
tasks -l $team agents --color always
has '1.81: an agent that has completed its task is green' $'\e[32m[done]\e[0m 1 completed' "$(grep zed <<<"$out")"
is '1.80: the task of an agent that is gone is given back' '0 gone' \
    "$("$cli" -l $team agents --json | jq -r '.[] | select(.agent == "a0000000000000008") | "\(.holds | length) \(.state)"')"
tasks -l $team release 2
is '1.80: an agent whose task was taken back by hand is idle, not gone' idle \
    "$("$cli" -l $team agents --json | jq -r '.[] | select(.agent == "a0000000000000007") | .state')"

## watch shows them
"$cli" -l $team watch >"$T/watch" 2>&1 &
watcher=$!
for ((i = 0; i < 1200; i++)); do grep -qs ^agents: "$T/watch" && break; sleep 0.05; done
tasks -l $team claim 2 --agent late
for ((i = 0; i < 1200; i++)); do grep -q 'late #2' "$T/watch" && break; sleep 0.05; done
kill $watcher
wait $watcher
has '1.80: watch names who has which task' 'agents: ann #1, ' "$(<"$T/watch")"
has '1.80: watch tells when that changes' 'late #2' "$(<"$T/watch")"
out=$(TERM=xterm script -qec "stty cols 100 rows 20; timeout -s INT 20 $cli -l $team watch --until 4" /dev/null </dev/null)
has '1.80: watch on a terminal shows who has which task, and for how long' $'\e[33mann #1 ' "$out"

## 1.80: several callers of one name
as() { CLAUDE_CODE_SESSION_ID=0f1e2d3c-0000-4000-8000-00000000000$1 "$cli" --dir "$dir" call "$2" <<<"$3"; }
mkdir -p two/native two/.tasks
document two/doc
for dir in two/native two/doc two/.tasks; do
	made=()
	for n in 1 2 3; do
		tasks --dir $dir create T$n --json
		made+=("$(field .id)")
	done
	for n in 1 2; do as $n claim_task "{\"task_id\":\"${made[n - 1]}\"}" >"$T/o"; done
	tasks --dir $dir agents --json
	is "1.80: agents tells callers of one name apart by their session ($dir)" "agent 1 ${made[0]} agent 2 ${made[1]}" \
	    "$(field '[map(select(.agent == "agent")) | sort_by(.session) | .[] | "\(.agent) \(.session[-1:]) \([.holds[].id] | join(","))"] | join(" ")')"
	as 1 complete_task "{\"task_id\":\"${made[0]}\"}" >"$T/o"
	tasks --dir $dir agents --json
	is "1.80: agents counts what each of them completed ($dir)" '1 done 1 2 running 0' \
	    "$(field '[map(select(.agent == "agent")) | sort_by(.session) | .[] | "\(.session[-1:]) \(.state) \(.completed)"] | join(" ")')"
	as 1 claim_task "{\"task_id\":\"${made[2]}\"}" >"$T/o"
	tasks --dir $dir agents
	has "1.80: agents shows the session where a name occurs twice ($dir)" \
	    "agent (session 0f1e2d3c-0000-4000-8000-000000000002) [running] #${made[1]} T2" "$out"
	out=$(timeout 2 "$cli" --dir $dir watch --until "${made[0]}")
	has "1.80: watch tells them apart as well ($dir)" "agent (session 0f1e2d3c-0000-4000-8000-000000000001) #${made[2]:0:8}" "$out"
	tasks --dir $dir release "${made[1]}"
	tasks --dir $dir release --agent agent
	tasks --dir $dir agents --json
	is "1.80: a release is of the one that had the task ($dir)" '1 gone 2 idle' \
	    "$(field '[map(select(.agent == "agent")) | sort_by(.session) | .[] | "\(.session[-1:]) \(.state)"] | join(" ")')"
done
tasks -l several create One
tasks -l several claim 1 --agent zed
CLAUDE_CODE_SESSION_ID=0f1e2d3c-0000-4000-8000-000000000001 "$cli" -l several create Two --agent zed >"$T/o"
tasks -l several agents
is '1.80: a name that occurs once is shown alone' 'zed [running] #1 One' "${out%% for*}"

# client TASK: a program without a session, which claims the task and lives until its input is closed
client() {
	python3 -c 'import subprocess, sys
subprocess.run([sys.argv[1], "-l", "several", "mcp"], input=sys.argv[2], stdout=subprocess.DEVNULL, text=True)
sys.stdin.read()' "$cli" '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"clientInfo":{"name":"codex","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"claim_task","arguments":{"task_id":"'"$1"'","owner":"eve"}}}
'
}
tasks -l several create Three
exec {first}> >(client 2)
soon '1.80: a client without a session claims a task' grep -q '"task": "2"' "$CLAUDE_CONFIG_DIR/task-hooks/several/claims.json"
exec {second}> >(client 3)
soon '1.80: another process of it claims the next one' grep -q '"task": "3"' "$CLAUDE_CONFIG_DIR/task-hooks/several/claims.json"
tasks -l several agents
is '1.80: agents tells them apart by their process' '#2 #3 2' \
    "$(grep '^eve (codex, process [0-9]*) \[running\] #' <<<"$out" | grep -o '#[0-9]' | sort | xargs) $(grep -c ^eve <<<"$out")"
exec {first}>&- {second}>&-

## 1.63: who is told
out=$(hook on-subagent-stop "--list $team" "\"hook_event_name\":\"SubagentStop\"$(is_teammate ann)")
message=$(field .systemMessage)
has '1.63: the person is told at once of tasks that were unassigned' 'ann has shut down. 1 task(s) were unassigned: #1' "$message"
told() { jq -r '.hookSpecificOutput.additionalContext // ""' <<<"$(call "$1")"; }
is '1.63: a teammate is told of them at its next call' "$message" "$(told "$(is_teammate bob)")"
is '1.63: a teammate is told once' '' "$(told "$(is_teammate bob)")"
is '1.63: the next teammate is told as well' "$message" "$(told "$(is_teammate front)")"
is '1.63: a subagent is not told' '' "$(told "$(is_subagent 9)")"
is '1.63: the agent that had the tasks is not told' '' "$(told "$(is_teammate ann)")"
is '1.63: the lead is told' "$message" "$(told '')"
try '1.63: no note is left when all were told' test ! -e "$CLAUDE_CONFIG_DIR/task-hooks/$team/notes.jsonl"
tasks --list $team claim 1 --agent ann
tasks --list $team release --agent ann
message='The tasks of ann were released. 1 task(s) were unassigned: #1'
has '1.63: a teammate is told of tasks that a person released' "$message" "$(told "$(is_teammate bob)")"
has '1.63: the lead is told of tasks that a person released' "$message" "$(told '')"
is '1.63: the agent that had them is not told' '' "$(told "$(is_teammate ann)")"
rm -f "$CLAUDE_CONFIG_DIR/task-hooks/$team/notes.jsonl"
start 1 "$(is_teammate ann)" >"$T/o"
tasks --list $team release 1
is '1.62: release of a claim that the client has not used yet says so' 'released the claim of ann on #1' "$out"
yes '{"to":"nobody","text":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}' | head -n 2000 >"$CLAUDE_CONFIG_DIR/task-hooks/$team/notes.jsonl"
start 1 "$(is_teammate ann)" >"$T/o"
write 1 ann
hook on-subagent-stop "--list $team" "\"hook_event_name\":\"SubagentStop\"$(is_teammate ann)" >"$T/o"
try '1.63: the file of notes stays within its limit' test "$(wc -c <"$CLAUDE_CONFIG_DIR/task-hooks/$team/notes.jsonl")" -le 65536
has '1.63: the oldest notes are dropped first' '"to":"front"' "$(tail -n 2 "$CLAUDE_CONFIG_DIR/task-hooks/$team/notes.jsonl")"
rm "$CLAUDE_CONFIG_DIR/task-hooks/$team/notes.jsonl"

## a long journal
journal=$CLAUDE_CONFIG_DIR/task-hooks/$team/journal.jsonl
awk 'BEGIN { split("claim receipt tell", event, " "); for (i = 0; i < 100000; i++)
	printf "{\"seq\":%d,\"time\":\"2026-02-06T20:41:00.123Z\",\"event\":\"%s\",\"task\":\"1\",\"agent\":\"a%016x\"}\n", i, event[i % 3 + 1], i / 3 }' >"$journal"
out=$( (ulimit -t 10; "$cli" -l $team agents) 2>&1)
is '1.80: agents reads 100,000 lines of journal in one pass, and counts earlier agents' '(33314 earlier agents: --all)' "$(tail -n 1 <<<"$out")"
is '1.80: agents --all shows all of them' 33333 "$("$cli" -l $team agents --all | grep -c 1.completed)"
