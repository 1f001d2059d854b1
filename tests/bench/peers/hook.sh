#!/bin/bash
# The benchmark's job as a careful shell script would do it: few forks, jq for all JSON.
# See ../cases.
event=$(cat)
IFS=$'\t' read -r kind id status agent < <(jq -r '[.hook_event_name,
    (.tool_input.taskId // (.tool_input.prompt // "" | capture("#(?<id>[0-9]+)").id) // ""),
    .tool_input.status // "", .agent_id // ""] | map(if . == "" then "-" else . end) | @tsv' <<<"$event")

lock() {
	local tries=0
	until mkdir "$LIST/.lock.lock" 2>/dev/null; do
		[ $((tries += 1)) -lt 500 ] || exit 1
		sleep 0.005
	done
}

case $kind in
PreToolUse)
	[ -f "$LIST/$id.json" ] || exit 0
	blockers=$(jq -r '.blockedBy[]?' "$LIST/$id.json")
	if [ -n "$blockers" ]; then
		files=()
		for blocker in $blockers; do files+=("$LIST/$blocker.json"); done
		open=$(jq -rs 'map(select(.status != "completed") | "#\(.id) \"\(.subject)\" (\(.status))") | join(", ")' \
		    "${files[@]}")
		if [ -n "$open" ]; then
			# shellcheck disable=SC2016
			ready=$(cd "$LIST" && find . -name '*.json' -print0 | xargs -0 jq -rs 'INDEX(.id) as $all |
			    map(select(.status == "pending" and (.owner // "") == "" and
			    all(.blockedBy[]; $all[.].status == "completed"))) | sort_by(.id | tonumber) |
			    .[:3] | map("#\(.id)") | join(", ")')
			reason="Task #$id is blocked by $open. Ready now: $ready."
			jq -nc --arg r "$reason" '{hookSpecificOutput:
			    {hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: $r}}'
			echo "$reason" >&2
			exit 2
		fi
	fi
	[ "$status" = in_progress ] || exit 0
	lock
	jq -c --arg a "$agent" '. + {(input.id): $a}' "$STATE/claims.json" "$LIST/$id.json" >"$STATE/claims.new" &&
	    mv "$STATE/claims.new" "$STATE/claims.json"
	rmdir "$LIST/.lock.lock"
	jq -c '{hookSpecificOutput: {hookEventName: "PreToolUse", updatedInput: (.tool_input + {owner: .agent_id})}}' \
	    <<<"$event" ;;
SubagentStop)
	# shellcheck disable=SC2016
	mine=$(cd "$LIST" && find . -name '*.json' -print0 | xargs -0 jq -r --arg a "$agent" \
	    'select(.owner == $a and .status != "completed") | .id')
	[ -n "$mine" ] || exit 0
	lock
	for id in $mine; do
		jq '.status = "pending" | del(.owner)' "$LIST/$id.json" >"$LIST/.$id.new" &&
		    mv "$LIST/.$id.new" "$LIST/$id.json"
	done
	rmdir "$LIST/.lock.lock"
	jq -nc --arg m "released: $mine" '{systemMessage: $m}' ;;
esac
exit 0
