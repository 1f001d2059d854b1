# lib-place.sh: functions for the checks that run claude-tasks in places of their own.  Source it after
# lib.sh.
# shellcheck shell=bash

unset CLAUDE_CODE_TASK_LIST_ID CLAUDE_CODE_SESSION_ID CLAUDE_PID CLAUDE_TASKS_AGENT CLAUDECODE \
    QWEN_CODE_SESSION_ID COPILOT_AGENT_SESSION_ID CODEX_THREAD_ID
export USER=ada LC_ALL=C.UTF-8
cli=$BUILD/claude-tasks

# tasks ARGUMENT...: run claude-tasks; its standard output is in $out, standard error in $err, status in $rc
tasks() {
	out=$("$cli" "$@" 2>"$T/err")
	rc=$?
	err=$(<"$T/err")
}

# place NAME: a new home, configuration directory and working directory; cd into the latter
place() {
	export HOME=$T/$1/home CLAUDE_CONFIG_DIR=$T/$1/config
	mkdir -p "$HOME" "$CLAUDE_CONFIG_DIR" "$T/$1/work"
	echo '{"durability":"off"}' >"$CLAUDE_CONFIG_DIR/task-hooks.json"
	cd "$T/$1/work" || exit 1
}

# first_lock INPUT ARGUMENT...: run claude-tasks; print which of its flock() calls is the first exclusive one
first_lock() {
	local input=$1
	shift
	ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 strace -qq -o "$T/trace" -e trace=flock -e signal=none \
	    "$cli" "$@" <<<"$input" >/dev/null 2>&1
	grep -n -m 1 LOCK_EX "$T/trace" | cut -d: -f1
}

# at_lock NUMBER MEANWHILE INPUT ARGUMENT...: run claude-tasks like tasks(); it stops where it is about to
# make this flock() call, then the function MEANWHILE runs
at_lock() {
	local number=$1 meanwhile=$2 input=$3 tracer
	shift 3
	: >"$T/trace"
	ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 strace -qq -o "$T/trace" -e trace=flock \
	    -e "inject=flock:error=EAGAIN:signal=STOP:when=$number" "$cli" "$@" <<<"$input" >"$T/late.out" 2>"$T/late.err" &
	tracer=$!
	until grep -q 'stopped by SIGSTOP' "$T/trace" || ! kill -0 $tracer 2>/dev/null; do sleep 0.02; done
	"$meanwhile"
	kill -CONT "$(</proc/$tracer/task/$tracer/children)"
	wait $tracer
	rc=$?
	out=$(<"$T/late.out") err=$(<"$T/late.err")
}

# document DIR: make DIR a list with one document without tasks
document() {
	mkdir -p "$1"
	printf '{\n  "tasks": [],\n  "version": 2,\n  "last_updated": "2026-02-06T11:00:00Z"\n}' >"$1/tasks.json"
}
