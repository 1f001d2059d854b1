#!/bin/bash
#
# check: the second step of the action.  Each input is the value of a variable (see action.yml); empty:
# the option is not given.  Exit status: that of on-task-completed-verify --ci.

set -euo pipefail
arguments=(--ci --github)

option() { # NAME VALUE
	[ -z "$2" ] || arguments+=("--$1=$2")
}

switch() { # NAME VALUE
	case $2 in
	true) arguments+=("--$1") ;;
	false | '') ;;
	*)
		echo "::error title=claude-task-hooks::$1 must be true or false"
		exit 64 ;;
	esac
}

option base "$BASE"
option config "$CONFIG"
option allowed-signers "$ALLOWED_SIGNERS"
option checkout "$CHECKOUT"
option list "$LIST"
option tasks "$TASKS"
option deadline "$DEADLINE"
option junit "$JUNIT"
option json "$JSON"
switch rerun "$RERUN"
switch trust "$TRUST"
switch allow-forced "$ALLOW_FORCED"
switch allow-empty "$ALLOW_EMPTY"
exec "$BIN/on-task-completed-verify" "${arguments[@]}" -- "${RECEIPTS:-.claude/receipts.json}"
