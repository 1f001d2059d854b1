# Who gets a task, and what a program is told about it.
# shellcheck shell=bash disable=SC2154 # out, err and rc are set by tasks()

field() { jq -r "$1" <<<"$out"; }
# ask TOOL INPUT: call a tool on the list $dir
ask() {
	out=$("$cli" --dir "$dir" call "$1" 2>"$T/err" <<<"$2")
	rc=$?
}
# ask_as VARIABLE=SESSION TOOL INPUT: the same in a session
ask_as() {
	local session=$1
	shift
	out=$(env "$session" "$cli" --dir "$dir" call "$1" 2>"$T/err" <<<"$2")
	rc=$?
}
# task ID, make SUBJECT [ARGUMENT...]: a task as the client has it; a new one, its id is in $id
task() { "$cli" --dir "$dir" call TaskGet <<<"{\"taskId\":\"$1\"}" | command jq -c .task; }
make() {
	id=$("$cli" --dir "$dir" create "$@" --json 2>"$T/err" | jq -r .id)
}
# refused NAME REASON STATUS: the last call was refused like this, and says so to programs
refused() { is "$1" "false $2 $3" "$(field '"\(.success) \(.reason)"') $rc"; }
# stays NAME BEFORE: the task $id is as it was
stays() { is "$1" "$2" "$(task "$id")"; }

# claim_late: session s1 claims the task $id; it is then $before
claim_late() {
	ask_as QWEN_CODE_SESSION_ID=s1 claim_task "{\"task_id\":\"$id\",\"owner\":\"ben\"}"
	before=$(task "$id")
}

mkdir native .tasks
document doc
for dir in native doc .tasks; do
	## 4.8: who calls
	make Schema
	ask claim_task "{\"task_id\":\"$id\"}"
	is "4.8: claim_task claims a pending task ($dir)" 'true true agent in_progress 0' \
	    "$(field '"\(.claimed) \(.success) \(.task.owner) \(.task.status)"') $rc"
	before=$(task "$id")
	ask claim_task "{\"task_id\":\"$id\"}"
	refused "4.8: a second claim_task is refused ($dir)" already_claimed 11
	has "4.8: the refusal of a second claim_task gives the reason ($dir)" 'is in_progress, so it cannot be claimed.' "$(field .message)"
	has "4.8: the refusal of a second claim_task names the way out ($dir)" "claude-tasks release $id." "$(field .error)"
	ask claim_task "{\"task_id\":\"$id\",\"owner\":\"agent\"}"
	refused "4.8: a second claim_task with the same owner is refused ($dir)" already_claimed 11
	ask TaskUpdate "{\"taskId\":\"$id\",\"status\":\"in_progress\",\"description\":\"new\"}"
	refused "4.8: TaskUpdate does not start it again ($dir)" already_claimed 11
	ask TodoWrite "{\"id\":\"$id\",\"description\":\"new\",\"status\":\"in_progress\"}"
	is "4.8: TodoWrite does not start it again ($dir)" 11 "$rc"
	for session in CLAUDE_CODE_SESSION_ID=s1 QWEN_CODE_SESSION_ID=s1 COPILOT_AGENT_SESSION_ID=s1 CODEX_THREAD_ID=s1; do
		ask_as $session complete_task "{\"task_id\":\"$id\"}"
		is "4.8: a session does not complete it ($session, $dir)" 20 "$rc"
	done
	stays "4.8: refused calls change nothing ($dir)" "$before"
	ask complete_task "{\"task_id\":\"$id\"}"
	is "4.8: a shell completes what was claimed in a shell ($dir)" '0 completed' "$rc $(task "$id" | jq -r .status)"

	for name in CLAUDE_CODE_SESSION_ID QWEN_CODE_SESSION_ID COPILOT_AGENT_SESSION_ID CODEX_THREAD_ID; do
		make Print
		ask_as $name=s1 claim_task "{\"task_id\":\"$id\"}"
		before=$(task "$id")
		ask_as $name=s1 claim_task "{\"task_id\":\"$id\"}"
		is "4.8: the session that has a task may claim it again ($name, $dir)" 'true 0' "$(field .claimed) $rc"
		ask_as $name=s1 TaskUpdate "{\"taskId\":\"$id\",\"status\":\"in_progress\"}"
		is "4.8: the session that has a task may start it again ($name, $dir)" 'true [] 0' "$(field '"\(.success) \(.updatedFields)"') $rc"
		ask_as $name=s2 claim_task "{\"task_id\":\"$id\"}"
		refused "4.8: another session of the same parent process does not get it ($name, $dir)" already_claimed 11
		ask_as $name=s2 TaskUpdate "{\"taskId\":\"$id\",\"status\":\"in_progress\"}"
		refused "4.8: another session of the same parent process does not start it by TaskUpdate ($name, $dir)" already_claimed 11
		has "4.8: the refused TaskUpdate says who has it ($name, $dir)" '(session s1)' "$(field .error)"
		ask_as $name=s2 TaskUpdate "{\"taskId\":\"$id\",\"status\":\"completed\"}"
		refused "4.8: another session does not complete it by TaskUpdate ($name, $dir)" refused 20
		ask_as $name=s2 complete_task "{\"task_id\":\"$id\"}"
		is "4.8: another session does not complete it by complete_task ($name, $dir)" 20 "$rc"
		ask_as $name=s2 TaskUpdate "{\"taskId\":\"$id\",\"status\":\"pending\"}"
		is "4.8: another session does not set it to pending, from where it could start it ($name, $dir)" 11 "$rc"
		ask_as $name=s2 TodoWrite "{\"id\":\"$id\",\"description\":\"Print\",\"status\":\"pending\"}"
		is "4.8: another session does not set it to pending by TodoWrite ($name, $dir)" 11 "$rc"
		ask complete_task "{\"task_id\":\"$id\"}"
		is "4.8: a shell without a session does not complete it ($name, $dir)" 20 "$rc"
		stays "4.8: these refused calls change nothing ($name, $dir)" "$before"
		ask_as $name=s1 complete_task "{\"task_id\":\"$id\"}"
		is "4.8: its own session completes it ($name, $dir)" 0 "$rc"
	done

	make Clear
	ask_as CLAUDE_CODE_SESSION_ID=s1 claim_task "{\"task_id\":\"$id\"}"
	ask_as CLAUDE_CODE_SESSION_ID=s2 complete_task "{\"task_id\":\"$id\"}"
	is "4.8: a session of an unknown process does not complete the task of another session ($dir)" 20 "$rc"
	make Clear
	CLAUDE_PID=$$ ask_as CLAUDE_CODE_SESSION_ID=s1 claim_task "{\"task_id\":\"$id\"}"
	CLAUDE_PID=$$ ask_as CLAUDE_CODE_SESSION_ID=s2 complete_task "{\"task_id\":\"$id\"}"
	is "4.8: Claude Code completes its task after /clear, with a new session in the same process ($dir)" 0 "$rc"

	## 4.8: what another session has keeps its status and its owner
	while read -r tool input; do
		make Theirs
		ask_as QWEN_CODE_SESSION_ID=s1 claim_task "{\"task_id\":\"$id\",\"owner\":\"ben\"}"
		before=$(task "$id")
		ask_as QWEN_CODE_SESSION_ID=s2 "$tool" "${input//ID/$id}"
		is "4.8: another session cannot do $tool $input ($dir)" "11 $before" "$rc $(task "$id")"
		make Dry
		number=$(QWEN_CODE_SESSION_ID=s2 first_lock "${input//ID/$id}" --dir "$dir" call "$tool")
		make Late
		QWEN_CODE_SESSION_ID=s2 at_lock "$number" claim_late "${input//ID/$id}" --dir "$dir" call "$tool"
		is "4.8: the same if the task is claimed right before the lock: $tool $input ($dir)" "11 $before" "$rc $(task "$id")"
	done <<'END'
TaskUpdate {"taskId":"ID","status":"cancelled"}
TaskUpdate {"taskId":"ID","status":"blocked"}
TaskUpdate {"taskId":"ID","status":"deleted"}
TaskUpdate {"taskId":"ID","owner":"eve"}
TodoWrite {"id":"ID","description":"d","status":"cancelled"}
TodoWrite {"id":"ID","description":"d","assignee":"eve"}
END
	make Theirs
	ask_as QWEN_CODE_SESSION_ID=s1 claim_task "{\"task_id\":\"$id\",\"owner\":\"ben\"}"
	before=$(task "$id")
	ask_as QWEN_CODE_SESSION_ID=s2 TodoWrite "{\"id\":\"$id\",\"description\":\"d\",\"assignee\":null}"
	is "4.8: another session does not remove its owner ($dir)" "11 $before" "$rc $(task "$id")"
	ask_as QWEN_CODE_SESSION_ID=s2 TaskUpdate "{\"taskId\":\"$id\",\"status\":\"completed\",\"owner\":\"eve\"}"
	is "4.8: another session does not complete it in its own name ($dir)" "20 $before" "$rc $(task "$id")"
	make Blocker
	theirs=$(jq -r .id <<<"$before")
	ask_as QWEN_CODE_SESSION_ID=s2 TaskUpdate "{\"taskId\":\"$theirs\",\"addBlockedBy\":[\"$id\"]}"
	before=$(task "$theirs")
	for change in '"owner":"eve"' '"status":"pending"' '"status":"cancelled"' '"status":"deleted"'; do
		[ "$(jq -c "{$change}.status == .status" <<<"$before")" = false ] || continue
		ask_as QWEN_CODE_SESSION_ID=s2 TaskUpdate "{\"taskId\":\"$theirs\",$change}"
		is "4.8: another session cannot change it after it made it wait: $change ($dir)" "11 $before" "$rc $(task "$theirs")"
	done
	ask_as QWEN_CODE_SESSION_ID=s1 TaskUpdate "{\"taskId\":\"$theirs\",\"status\":\"cancelled\",\"owner\":\"lee\"}"
	is "4.8: its own session can ($dir)" '0 cancelled' "$rc $(task "$theirs" | jq -r .status)"

	make Theirs
	theirs=$id
	make Free
	QWEN_CODE_SESSION_ID=s1 tasks --dir $dir claim "$theirs" --agent ben
	before=$(task "$theirs")$(task "$id")
	for arguments in "$theirs" "$theirs --owner eve" "$id $theirs"; do
		# shellcheck disable=SC2086
		QWEN_CODE_SESSION_ID=s2 tasks --dir $dir update $arguments --status in_progress --agent eve
		is "4.8: 'update --status in_progress' of another's task is refused like 'claim' (${arguments//$theirs/THEIRS}, $dir)" \
		    "11 $before" "$rc $(task "$theirs")$(task "$id")"
	done
	QWEN_CODE_SESSION_ID=s1 tasks --dir $dir update "$theirs" --status in_progress --agent ben
	is "4.8: 'update --status in_progress' of one's own task changes nothing ($dir)" "0 $before" "$rc $(task "$theirs")$(task "$id")"

	make Forked
	is "4.8: forked processes of one program are different callers ($dir)" 'Claimed refused' \
	    "$(python3 "$top/tests/seeds/forked.py" "$cli" "$dir" "$id")"

	for round in {1..10}; do
		make Race
		for i in 1 2 3 4 5 6; do
			{
				env QWEN_CODE_SESSION_ID=race$((i % 3)) "$cli" --dir "$dir" call claim_task <<<"{\"task_id\":\"$id\",\"owner\":\"w$i\"}"
				echo $? >"$T/race.$i"
			} >/dev/null 2>&1 &
		done
		wait
		[ "$(cat "$T"/race.? | sort -n | xargs)" = '0 11 11 11 11 11' ] || echo "$round: $(cat "$T"/race.? | sort -n | xargs)"
	done >"$T/rounds"
	is "4.8: of callers at the same moment one gets the task, in ten rounds ($dir)" '' "$(<"$T/rounds")"

	# A client that sets the variable for what it starts, and waits for the end of its input.
	make Left
	rm -f "$T/said"
	mkfifo "$T/fifo"
	python3 -c 'import os, subprocess, sys
subprocess.run(sys.argv[1:5], input=sys.argv[5], text=True, stdout=subprocess.DEVNULL, check=True,
    env=dict(os.environ, QWEN_CODE_SESSION_ID="gone"))
print("claimed", flush=True)
sys.stdin.read()' "$cli" --dir="$dir" call claim_task "{\"task_id\":\"$id\"}" <"$T/fifo" >"$T/said" &
	client=$!
	exec 9>"$T/fifo"
	while kill -0 $client 2>/dev/null && [ ! -s "$T/said" ]; do sleep 0.05; done
	ask claim_task "{\"task_id\":\"$id\",\"owner\":\"eve\"}"
	refused "4.8: a task of a client that runs stays its own ($dir)" already_claimed 11
	exec 9>&-
	wait $client
	rm "$T/fifo"
	ask claim_task "{\"task_id\":\"$id\",\"owner\":\"eve\"}"
	is "4.8: a task of a client that is gone can be claimed ($dir)" 'true eve' "$(field '"\(.claimed) \(.task.owner)"')"

	# One agent may have started another: the session that was set last counts.
	for names in 'CLAUDE_CODE_SESSION_ID CODEX_THREAD_ID' 'CODEX_THREAD_ID CLAUDE_CODE_SESSION_ID'; do
		make Nested
		out=$(env "${names% *}=outer" python3 -c 'import os, subprocess, sys
for session in ["i1", "i2", "i1"]:
    print(subprocess.run(sys.argv[1:5], input=sys.argv[5], text=True, stdout=subprocess.DEVNULL,
	env={**os.environ, sys.argv[6]: session}).returncode)' \
		    "$cli" --dir="$dir" call claim_task "{\"task_id\":\"$id\"}" "${names#* }" 2>"$T/err")
		is "4.8: of a session in another one the inner one counts (${names#* }, $dir)" '0 11 0' "$(xargs <<<"$out")"
	done

	make Given
	ask_as COPILOT_AGENT_SESSION_ID=s1 claim_task "{\"task_id\":\"$id\",\"owner\":\"kim\"}"
	tasks --dir $dir complete "$id" --agent kim
	is "4.8: the name of an agent is not its session ($dir)" 20 "$rc"
	tasks --dir $dir release --agent kim --json
	is "4.8: tasks of a name are released by that name from another session ($dir)" "[\"$id\"]" "$(field '.released | tojson')"

	## 1.56: data, not prose
	make First --agent bob
	first=$id
	make Second
	second=$id
	make Third --blocked-by "$first,$second"
	third=$id
	tasks --dir $dir claim "$third" --agent z --json
	refused "1.56: a blocked task ($dir)" blocked 13
	is "1.56: names the blockers ($dir)" "[\"$first\",\"$second\"]" "$(field '.blockedByTasks | tojson')"
	is "1.56: a refused claim has the whole task ($dir)" "$(task "$third")" "$(command jq -c .task <<<"$out")"
	is "1.56: beside what it had ($dir)" 'blocked 13 true' "$(field '.error | "\(.reason) \(.status) \(.message | contains("blocked by"))"')"
	ask claim_task "{\"task_id\":\"$third\"}"
	is "1.56: the same by claim_task ($dir)" "[\"$first\",\"$second\"] $third false" \
	    "$(field '"\(.blockedByTasks | tojson) \(.task.id) \(.claimed)"')"
	ask TaskUpdate "{\"taskId\":\"$third\",\"status\":\"in_progress\"}"
	is "1.56: a refused TaskUpdate names the blockers ($dir)" "blocked [\"$first\",\"$second\"] $third" \
	    "$(field '"\(.reason) \(.blockedByTasks | tojson) \(.task.id)"')"
	tasks --dir $dir claim "$first" --agent z --json
	is "1.56: a claim that succeeds ($dir)" "true null claimed $first in_progress z" \
	    "$(field '"\(.success) \(.reason) \(.done) \(.task.id) \(.task.status) \(.task.owner)"')"
	tasks --dir $dir claim "$first" --agent y --json
	refused "1.56: a task that is taken ($dir)" already_claimed 11
	is "1.56: has the task ($dir)" "$first z" "$(field '"\(.task.id) \(.task.owner)"')"
	tasks --dir $dir claim nosuch --json
	refused "1.56: a task that is not there ($dir)" task_not_found 10
	is "1.56: has none ($dir)" null "$(field .task)"
	ask TaskUpdate "{\"taskId\":\"$second\",\"status\":\"in_progress\",\"owner\":\"v\"}"
	is "1.56: TaskUpdate that starts a task has it ($dir)" "true $second in_progress v" \
	    "$(field '"\(.success) \(.task.id) \(.task.status) \(.task.owner)"')"
	tasks --dir $dir complete "$second" --agent v

	## 1.57: whose it is comes first
	tasks --dir $dir claim "$second" --agent z --json
	refused "1.57: a completed task of another agent ($dir)" already_claimed 11
	has "1.57: says that it is completed ($dir)" "is already completed, by \"v\"." "$err"
	has "1.57: the refusal says how to reopen the task ($dir)" "claude-tasks update $second --status pending." "$err"
	tasks --dir $dir claim "$second" --agent v --json
	refused "1.57: a completed task of the agent itself cannot be claimed ($dir)" already_resolved 12
	ask claim_task "{\"task_id\":\"$second\",\"owner\":\"z\"}"
	refused "1.57: claim_task does not claim a completed task of another agent ($dir)" already_claimed 11
	make Nobody
	tasks --dir $dir complete "$id"
	tasks --dir $dir claim "$id" --agent z --json
	refused "1.57: a completed task without an owner cannot be claimed ($dir)" already_resolved 12

	## 1.58: busy is who owns another unfinished task
	make Mine
	mine=$id
	make Other
	tasks --dir $dir update "$mine" --owner w
	tasks --dir $dir claim "$id" --agent w --one --json
	refused "1.58: the owner of a pending task is busy ($dir)" agent_busy 14
	is "1.58: the refusal of a busy agent names the task that it owns ($dir)" "[\"$mine\"] $id" "$(field '"\(.busyWithTasks | tojson) \(.task.id)"')"
	has "1.58: a busy agent is told how to change that ($dir)" "claude-tasks release $mine." "$err"
	tasks --dir $dir claim "$mine" --agent w --one --json
	is "1.58: its own task does not count ($dir)" 'true 0' "$(field .success) $rc"
	tasks --dir $dir claim --next --agent w --one --json
	refused "1.58: a busy agent cannot claim the next task ($dir)" agent_busy 14
	tasks --dir $dir complete "$mine" --agent w
	tasks --dir $dir claim "$id" --agent w --one
	is "1.58: a completed task does not count ($dir)" 0 "$rc"
done

tasks --dir "$T/nowhere" claim 1 --json
refused '1.56: a claim where there is no list' task_not_found 10

# As the program of that list writes it: no claim of ours is on record.
dir=.tasks
make Python
jq '.status = "in_progress" | .owner = "agent"' ".tasks/$id.json" >"$T/task" && cp "$T/task" ".tasks/$id.json"
ask_as COPILOT_AGENT_SESSION_ID=s1 claim_task "{\"task_id\":\"$id\"}"
refused '4.8: a task that another program started is not claimed' already_claimed 11
has '4.8: the refusal of a task that another program started gives the reason' 'Who works on it is not known.' "$(field .message)"
ask_as COPILOT_AGENT_SESSION_ID=s1 complete_task "{\"task_id\":\"$id\"}"
is '4.8: a task that another program started can be completed under the name that it uses' 0 "$rc"
