# sync.sh: the sync commands get the Task[] after every change.
# shellcheck shell=bash disable=SC2154

# synced NAME: begin a place whose sync command copies the list to ./copy, and notes its event
synced() {
	place "$1"
	cat >copy.sh <<-'END'
		cat >copy.$$ && cp copy.$$ "copy-$(basename "$TASK_HOOKS_LIST")" && mv copy.$$ copy && echo "$TASK_HOOKS_LIST $TASK_HOOKS_EVENT" >>events
	END
	printf '{"durability":"off","sync":[{"name":"copy","run":["sh","-c","cd %s && . ./copy.sh"]}]}\n' \
	    "$PWD" >"$CLAUDE_CONFIG_DIR/task-hooks.json"
	: >events
}

# idle: no sync command runs any more.  Until then one may run again, for a change that came meanwhile.
idle() {
	local lock
	for lock in "$CLAUDE_CONFIG_DIR"/task-hooks/*/sync.lock; do
		flock -w 30 "$lock" true || return
	done
}

# seen LIST EVENT: the command ran once more, for this list and event; and it has the list as export prints it
seen() {
	[ "$(tail -n 1 events)" = "$1 $2" ] && idle && "$cli" --list "$1" export | cmp - copy && : >events
}

# by COMMAND ARGUMENT...: a command on the list `lab` reaches the sync command
by() {
	tasks --list lab "$@"
	[ "$rc" = 0 ] || echo "$err"
	soon "1.77: a change by '$*' reaches a sync command" seen lab "$1"
}

## 1.77: the command line
synced sync-cli
by create one
by create two --blocked-by 1
by update 1 --description more
by claim 1
by release 1
by complete 1 --force --reason test
by undo
by depend 2 --drop 1
by delete 2
by restore 2 --deleted
printf -- '- [ ] three\n- [x] four\n' >list.md
by import list.md
by clear --completed --yes
tasks --list lab list --all
tasks --list lab claim 99
idle
is '1.77: a command that changes nothing runs no sync command' '' "$(<events)"
tasks --list lab rehome lab other
soon '1.77: rehome reaches a sync command for the new list' grep -qx 'other rehome' events
soon '1.77: rehome reaches a sync command for the old list' grep -qx 'lab rehome' events
for list in lab other; do
	soon "1.77: the last state of $list that a sync command gets after rehome is the latest" sh -c "\"$cli\" --list $list export | cmp - copy-$list"
done
: >events

## 1.77: the tools of call and mcp
echo '{"subject":"five","description":"d"}' | "$cli" --list lab call TaskCreate >answer
soon '1.77: a change by call reaches a sync command' seen lab call
id=$(jq -r .task.id answer)
mkfifo requests
"$cli" --list lab mcp <requests >answers &
server=$!
exec 8>requests
request() {
	printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "$1" "$2" "$3" >&8
}
request 1 TaskUpdate '{"taskId":"'"$id"'","status":"in_progress"}'
soon '1.77: a change by mcp reaches a sync command while the server runs' seen lab mcp
request 2 TaskList '{}'
soon '1.77: mcp answers the next call' grep -q '"id":2' answers
idle
is '1.77: a tool that changes nothing runs no sync command' '' "$(<events)"
is '1.77: the server has no child to wait for' '' "$(ps -o pid= --ppid $server)"
exec 8>&-
wait $server

## 1.77: the client's own tools
event='{"session_id":"s","cwd":"'"$PWD"'","hook_event_name":"PostToolUse","tool_name":"TaskUpdate","tool_input":{"taskId":"'"$id"'","status":"pending"},"tool_response":{}}'
touch -d '2026-01-02 03:04:05' "$CLAUDE_CONFIG_DIR/tasks/lab/$id.json"
CLAUDE_CODE_TASK_LIST_ID=lab "$BUILD/on-pretooluse-task" <<<"$event"
soon '1.77: a change by the client reaches a sync command at PostToolUse' seen lab PostToolUse
CLAUDE_CODE_TASK_LIST_ID=lab "$BUILD/on-pretooluse-task" <<<"$event"
try '1.77: no sync command is left running' idle
is '1.77: a call that changes nothing runs no sync command' '' "$(<events)"

## 1.77: the other layouts
synced sync-layouts
document doc
mkdir .tasks
# reached DIR EVENT: the command ran once more, for this event, and has the list as export prints it
reached() {
	[ "$(tail -n 1 events | sed 's/.* //')" = "$2" ] && idle && "$cli" --dir "$1" export | cmp - copy && : >events
}
for where in doc .tasks; do
	tasks --dir $where create one --json
	id=$(jq -r .id <<<"$out")
	soon "1.77: a change by 'create' reaches a sync command ($where)" reached $where create
	for command in 'update ID --description more' 'claim ID' 'release ID' 'complete ID --force --reason test' undo 'delete ID' 'restore ID --deleted' 'import list.md'; do
		printf -- '- [ ] three\n- [x] four\n' >list.md
		# shellcheck disable=SC2086
		tasks --dir $where ${command/ID/$id}
		soon "1.77: a change by '${command%% *}' reaches a sync command ($where)" reached $where "${command%% *}"
	done
	echo '{"subject":"five","description":"d"}' | "$cli" --dir $where call TaskCreate >answer
	soon "1.77: a change by call reaches a sync command ($where)" reached $where call
	jq -c '{jsonrpc: "2.0", id: 1, method: "tools/call", params: {name: "complete_task", arguments: {task_id: .task.id}}}' answer | "$cli" --dir $where mcp >/dev/null
	soon "1.77: a change by mcp reaches a sync command ($where)" reached $where mcp
done

## 1.77: the entry for them
place sync-cli
cp "$T/sync-layouts/config/task-hooks.json" "$CLAUDE_CONFIG_DIR/"
# post FILE: the matchers of our PostToolUse entries
post() { jq -r '[.hooks.PostToolUse[]? | select(.hooks[].command | test("on-pretooluse-task")) | .matcher] | join(" ")' "$1"; }
# finding CHECK: what doctor says
finding() { "$cli" doctor --no-selftest --json | jq -r --arg c "$1" '.findings[] | select(.check == $c) | "\(.what) | \(.fix)"'; }
missing='there are sync commands, but PostToolUse has no entry for TaskCreate and TaskUpdate'
user=$CLAUDE_CONFIG_DIR/settings.json
tasks install --no-todo-tools
is '1.77: install registers the task tools where sync is configured' 'Task|Agent TaskCreate|TaskUpdate' "$(post "$user")"
tasks install --no-todo-tools
has '1.77: a second install does not add the entry for the task tools again' 'nothing to do' "$out"
is '1.77: doctor finds nothing wrong with the entry that install made' ' ' "$(finding hooks.sync) $(finding hooks.twice)"
tasks uninstall
deny '1.77: uninstall removes the entry for the task tools' test -e "$user"
tasks install --no-todo-tools --events PostToolUse,SubagentStop
is '1.77: doctor finds that the entry for the task tools is missing' "$missing | claude-tasks install --user --events sync" "$(finding hooks.sync)"
tasks install --user --events sync --no-todo-tools
is '1.77: the fix that doctor names adds the entry for the task tools' 'Task|Agent TaskCreate|TaskUpdate' "$(post "$user")"
is '1.77: the fix that doctor names adds no other entry' '2 SubagentStop' "$(jq -r '"\(.hooks.PostToolUse | length) \(.hooks | keys - ["PostToolUse"] | join(" "))"' "$user")"
tasks uninstall
echo '{"hooks":{"PostToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"/old/on-pretooluse-task"}]}]}}' >"$user"
tasks install --no-todo-tools
is '1.77: an entry for all tools is enough' '*' "$(post "$user")"
rm "$user"
echo '{"durability":"off"}' >"$CLAUDE_CONFIG_DIR/task-hooks.json"
tasks install --no-todo-tools
is '1.77: install does not register the task tools without sync' 'Task|Agent' "$(post "$user")"
is '1.77: doctor does not ask for the task tools without sync' '' "$(finding hooks.sync)"
mkdir -p .git .claude
echo '{"sync":["true"]}' >.claude/task-hooks.json
tasks install --no-todo-tools
is '1.77: the sync of one project is not for the settings of the user' 'Task|Agent' "$(post "$user")"
is '1.77: doctor names the settings of the project' "$missing | claude-tasks install --local --events sync" "$(finding hooks.sync)"
tasks install --local --events sync --no-todo-tools
is '1.77: install --local --events sync adds only the entry for the task tools' 'TaskCreate|TaskUpdate 1' "$(post .claude/settings.local.json) $(jq '[.hooks[][]] | length' .claude/settings.local.json)"
is '1.77: install --local --events sync prints no warning' '' "$err"
is '1.77: doctor finds nothing wrong with the entry in the settings of the project' ' ' "$(finding hooks.sync) $(finding hooks.twice)"
tasks uninstall --local
tasks uninstall
echo '{"enabledPlugins":{"task-hooks@claude-task-hooks":true}}' >"$user"
tasks install --local --events sync --no-todo-tools
is '1.77: install --events sync works beside the plugin' '0 TaskCreate|TaskUpdate' "$rc $(post .claude/settings.local.json)"
is '1.77: doctor finds nothing wrong with the entry beside the plugin' ' ' "$(finding hooks.sync) $(finding hooks.twice)"

## 3.16: the shape of section 1, from every layout
synced sync-shape
cat >in.json <<'END'
[{"id":"1","subject":"Implement OAuth2","description":"Handle it.","status":"in_progress","priority":"high","owner":"worker-alpha","dependencies":[],
  "metadata":{"subagent_id":"worker-alpha","created_at":"2026-02-06T20:41:00Z","updated_at":"2026-02-06T20:45:12Z","n":12345678901234567890}},
 {"id":"2","subject":"Deploy","description":"d","status":"pending","dependencies":["1"],"metadata":{"created_at":"2026-02-06T20:42:00Z","updated_at":"2026-02-06T20:43:00Z"}}]
END
mkdir -p .tasks "$CLAUDE_CONFIG_DIR/tasks/native"
document doc
echo '{"id":"9","subject":"agent","description":"","status":"in_progress","blocks":[],"blockedBy":[],"metadata":{"_internal":true}}' >"$CLAUDE_CONFIG_DIR/tasks/native/9.json"
jq '.tasks = [{id: "9", description: "agent", status: "in_progress", metadata: {_internal: true}}]' doc/tasks.json >"$T/new" && cp "$T/new" doc/tasks.json
echo '{"id":"task_9","subject":"agent","description":"","status":"in_progress","owner":null,"blockedBy":[],"metadata":{"_internal":true}}' >.tasks/task_9.json
for layout in '--list native' '--dir doc' '--dir .tasks'; do
	: >events
	# shellcheck disable=SC2086
	tasks $layout import in.json
	soon "3.16: $layout reaches a sync command" grep -q 'import$' events
	is "3.16: $layout has every field that is known" '["dependencies","description","id","owner","status","subject"]' \
	    "$(jq -c '.[0] | keys - ["blockedBy","metadata","priority"]' copy)"
	is "3.16: $layout has subject, status and owner" 'Implement OAuth2 in_progress worker-alpha worker-alpha' \
	    "$(jq -r '.[0] | "\(.subject) \(.status) \(.owner) \(.metadata.subagent_id)"' copy)"
	is "3.16: $layout has the dependencies" '1 blocked true' \
	    "$(jq -r '.[1] | "\(.dependencies | length) \(.status) \(.dependencies == .blockedBy)"' copy)"
	is "3.16: $layout has no internal task" 2 "$(jq length copy)"
	is "3.16: $layout has the times" true "$(jq 'all(.[].metadata; (.created_at, .updated_at) | test("^2026-..-..T..:..:..Z$"))' copy)"
	case $layout in
	*.tasks) ;; # its files have no place for the rest
	*)
		is "3.16: $layout has the priority" high "$(jq -r '.[0].priority' copy)"
		is "3.16: $layout has the times of the tasks" '2026-02-06T20:41:00Z 2026-02-06T20:45:12Z' \
		    "$(jq -r '.[0].metadata | "\(.created_at) \(.updated_at)"' copy)"
		has "3.16: $layout has unchanged numbers" '"n": 12345678901234567890' "$(<copy)" ;;
	esac
done
