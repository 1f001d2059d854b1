# lib.sh: functions for the checks that are shell scripts.  Source it first:
#
#   . "$(dirname "$0")/lib.sh"
#
# It sets $top (the source tree) and $BUILD (the directory of the programs under test), creates a
# scratch directory $T that is removed at the end, and defines:
#
#   try NAME COMMAND...        the command must succeed
#   deny NAME COMMAND...       the command must fail
#   soon NAME COMMAND...       the command must succeed within 30 seconds
#   is NAME EXPECTED ACTUAL    the two must be equal
#   has NAME NEEDLE TEXT       the text must contain the needle
#   ok NAME, fail NAME [WHY], skip NAME WHY
#   cpu SECONDS COMMAND...     run a command that may use so much processor time; unlike elapsed time it
#                              does not depend on what else the machine does
#   finish                     print the last line; its status is that of the check
#   jq ARGUMENT...             gojq, which starts ten times faster than jq, but prints the members of an
#                              object in the order of their names; `command jq` is jq
#
# Each prints one line; a failure prints the details below it.
# Run from inside Claude Code, the check starts again without it above (tests/loose).
# shellcheck shell=bash

set -u
[ -n "${CTH_LOOSE-}" ] || exec "$(dirname "${BASH_SOURCE[0]}")/loose" "$0" "$@"
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=$(cd "$top" && cd "${BUILD:-build}" 2>/dev/null && pwd) || {
	echo "FAIL there is no build directory: run make first"
	echo '0 passed, 1 failed'
	exit 1
}
CACHE=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/claude-task-hooks}
export BUILD CACHE
T=$(mktemp -d "${TMPDIR:-/tmp}/check-XXXXXX") || exit 1
trap 'chmod -R u+rwX "$T" 2>/dev/null; rm -rf "$T"' EXIT
passed=0 failed=0

jq() {
	# gojq always sorts by name and does not know -S
	case $1 in
	-S) shift ;;
	-[a-z]*S | -S[a-z]*) set -- "${1/S/}" "${@:2}" ;;
	esac
	gojq "$@"
}

ok() {
	passed=$((passed + 1))
	printf 'ok %s\n' "$1"
}

fail() {
	failed=$((failed + 1))
	printf 'FAIL %s\n' "$1"
	[ -z "${2-}" ] || printf '%s\n' "$2" | head -n 60 | sed 's/^/  | /'
}

skip() {
	printf 'skip %s: %s\n' "$1" "$2"
}

cpu() (
	ulimit -t "$1"
	shift
	exec "$@"
)

try() {
	local name=$1 output
	shift
	if output=$("$@" 2>&1); then ok "$name"; else fail "$name" "status $?: $*
$output"; fi
}

deny() {
	local name=$1 output
	shift
	if output=$("$@" 2>&1); then fail "$name" "should have failed: $*
$output"; else ok "$name"; fi
}

soon() {
	local name=$1 n
	shift
	for ((n = 0; n < 1500; n++)); do
		if "$@" >/dev/null 2>&1; then
			ok "$name"
			return
		fi
		sleep 0.02
	done
	fail "$name" "never: $*"
}

is() {
	if [ "$2" = "$3" ]; then ok "$1"; else fail "$1" "expected: $2
actual:   $3"; fi
}

has() {
	case $3 in
	*"$2"*) ok "$1" ;;
	*) fail "$1" "expected to find: $2
in: $3" ;;
	esac
}

finish() {
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
}
