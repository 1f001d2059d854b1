# sync-hooks.sh: the examples of sync-hooks.md.  Sourced by check-examples.
# shellcheck shell=bash disable=SC2154

## the task, as a file of each layout and as an import
task=$(example sync-hooks.1)
id=$(jq -r .id <<<"$task")
# shown LIST-OPTION...: what export says of the printed task, in the printed members
shown() { "$cli" "$@" export | jq -Sc '.[] | select(.subject | startswith("Implement")) | {subject, description, status, priority, dependencies, subagent: .metadata.subagent_id, created: .metadata.created_at}'; }
wanted=$(jq -Sc '{subject, description, status, priority, dependencies, subagent: .metadata.subagent_id, created: .metadata.created_at}' <<<"$task")
# needed LIST: what the printed task waits for, which an import must find in the list
needed() { "$cli" --list "$1" import - <<<'{"id":"task_1738949000","subject":"Register the client","description":"","status":"pending","dependencies":[]}' >/dev/null; }
for form in alone array document; do
	needed "import-$form"
	case $form in
	alone) text=$task ;;
	array) text=$(jq -s . <<<"$task") ;;
	document) text=$(jq '{tasks: [.], version: 2}' <<<"$task") ;;
	esac
	printf '%s' "$text" >"$form.json"
	tasks --list "import-$form" import "$form.json"
	is "sync-hooks.1: the printed task is imported with every field ($form)" "$wanted" "$(shown --list "import-$form")"
done
tasks --list import-alone list
has 'sync-hooks.1: list shows its owner and what it waits for' '(worker-alpha) [blocked by #task_1738949000]' "$out"
is 'sync-hooks.1: the client can read what was imported' 0 "$("$cli" --list import-alone doctor --no-selftest --json | jq '[.findings[] | select(.check == "store.invisible")] | length')"
mkdir .tasks "$lists/document" "$lists/native"
printf '%s' "$task" >".tasks/$id.json"
is 'sync-hooks.1: as a file of a .tasks folder it is read with every field' "$wanted" "$(shown --dir .tasks)"
tasks --dir .tasks list
has 'sync-hooks.1: list shows the owner and what it waits for in a .tasks folder' '(worker-alpha) [blocked by #task_1738949000]' "$out"
tasks --dir .tasks release "$id"
tasks --dir .tasks depend "$id" --drop task_1738949000
tasks --dir .tasks list
is 'sync-hooks.1: in a .tasks folder it can be released and its dependency dropped' "#$id [pending] Implement OAuth2 Callback" "$out"
is 'sync-hooks.1: its other members survive these changes' "$(jq -Sc '[.priority, .metadata.created_at]' <<<"$task")" "$(jq -Sc '[.priority, .metadata.created_at]' ".tasks/$id.json")"
jq '{tasks: [.], version: 2}' <<<"$task" >"$lists/document/tasks.json"
is 'sync-hooks.1: as an element of a tasks.json it is read with status, priority and dependencies' \
    "$(jq -c 'del(.subagent, .created)' <<<"$wanted")" "$(shown --list document | jq -c 'del(.subagent, .created)')"
printf '%s' "$task" >"$lists/native/5.json"
tasks --list native list
has 'sync-hooks.1: as a file of the client, which does not show it, list says so' 'claude-tasks doctor --list native' "$err"
tasks --list native doctor --no-selftest --fix
has 'sync-hooks.1: doctor advises to import it, because it has dependencies' "claude-tasks --list native import $lists/native/5.json, then remove that file" "$out"
is 'sync-hooks.1: doctor --fix does not make a task of it that has lost its dependencies' "$task" "$(cat "$lists/native/5.json")"
needed native
tasks --list native import "$lists/native/5.json"
rm "$lists/native/5.json"
is 'sync-hooks.1: the advice works' "$wanted" "$(shown --list native)"
tasks --list made create First
tasks --list made create 'Implement OAuth2 Callback' --blocked-by 1 --owner worker-alpha --set priority=high
is 'sync-hooks.1: a task made here is exported with the printed members' "$(jq -c '[keys[], (.metadata | keys[])] | sort' <<<"$task")" \
    "$("$cli" --list made export | jq -c '.[1] | del(.owner) | [keys[], (.metadata | keys[])] | sort')"

## the tools' inputs
call tools TaskCreate "$(instance sync-hooks.s1 dependencies= description=)"
is 'sync-hooks.s1: TaskCreate takes the printed input, without what is optional' '0 1' "$rc $(field .task.id)"
call tools TaskCreate "$(instance sync-hooks.s1 'dependencies=["1"]')"
is 'sync-hooks.s1: TaskCreate takes dependencies' '["1"]' "$("$cli" --list tools get 2 --json | jq -c .task.blockedBy)"
call tools TaskCreate "$(example sync-hooks.s1)"
has 'sync-hooks.s1: the type as printed is refused with the place' 'the input is not JSON: byte 2' "$out"
for status in in_progress blocked pending completed cancelled; do
	call tools TaskCreate '{"subject":"One more"}'
	call tools TaskUpdate "$(instance sync-hooks.s2 "id=\"$(field .task.id)\"" "status=\"$status\"" 'notes="why"')"
	is "sync-hooks.s2: TaskUpdate takes the printed input with status $status" '0 true' "$rc $(field .success)"
	is "sync-hooks.s2: the notes are kept with status $status" "why $status" "$("$cli" --list tools get "$(field .taskId)" --json | jq -r '"\(.task.metadata.notes) \(.summary.status)"')"
done
call tools TaskUpdate "$(instance sync-hooks.s2 'id="1"' 'status="done"')"
has 'sync-hooks.s2: another status is refused with the allowed ones' 'pending, in_progress, completed, blocked, cancelled' "$out"
call tools TaskList '{"full":true}'
# Task[]: an array of the type that the document calls Task
parts sync-hooks.s3 '^Task(\[\])$'
is 'sync-hooks.s3: TaskList gives an array of the printed type' "7 ${part[1]:+array} []" "$(jq -r --argjson task "$task" '"\(length) \(type) \(map(. as $one | $task | to_entries[] |
    select(($one[.key] | type) != (.value | type) and (.key == "priority" and $one.priority == null | not)) | .key) | tojson)"' <<<"$out")"
is 'sync-hooks.s3: it is what export writes' "$("$cli" --list tools export | jq -Sc .)" "$(field . | jq -Sc .)"
hook on-subagent-stop --list tools < <("$cli" --list tools export)
is 'sync-hooks.s3: the array is taken as an event of its own' '0 ' "$rc $out$err"
for n in 1 2 3; do
	env "$(example sync-hooks.s4)" "$cli" create "Task $n" >/dev/null &
done
wait
is 'sync-hooks.s4: several processes with the printed variable write one list, and lose nothing' 3 "$(ls "$lists/shared-feature"/*.json | wc -l)"

## the settings
user=$HOME/.claude/settings.json
example sync-hooks.2 >"$user"
printf '#!/bin/sh\necho "2.1.197 (Claude Code)"\n' >claude
chmod +x claude
tasks doctor --no-selftest --client ./claude
has 'sync-hooks.2: doctor says what is wrong with the printed settings' '"SubagentStop"[0] is a hook without the group around it' "$out"
has 'sync-hooks.2: doctor says what to write instead' 'or write {"hooks": [...]} around it' "$out"
tasks install --no-todo-tools --client ./claude
is 'sync-hooks.2: install puts the printed hook into a group' "$(example sync-hooks.2 | command jq -c '{hooks: .hooks.SubagentStop}')" "$(command jq -c '.hooks.SubagentStop[0]' "$user")"
tasks doctor --no-selftest --client ./claude
deny 'sync-hooks.2: after install doctor finds no hook without a group' grep -q 'hooks.group' <<<"$out"
tasks uninstall
is 'sync-hooks.2: uninstall restores the printed bytes' "$(example sync-hooks.2)" "$(cat "$user")"
# the printed command, with the printed way to read its input
command=$(example sync-hooks.2 | jq -r '.hooks.SubagentStop[0].command')
mkdir -p scripts
echo 'const fs = require("fs"); fs.writeFileSync("seen.new", JSON.stringify(JSON.parse(fs.readFileSync(0)))); fs.renameSync("seen.new", "seen.json");' >scripts/sync-jira.js
jq -nc --arg c "$command" '{durability: "off", sync: [{name: "jira", run: ($c | split(" ")), timeout: 20}]}' >"$HOME/.claude/task-hooks.json"
printf '{"session_id":"s","cwd":"%s","hook_event_name":"SubagentStop","permission_mode":"default","agent_id":"a1","agent_type":"x","last_assistant_message":"bye"}' "$PWD" |
    "$BUILD/on-subagent-stop" --list made
for ((i = 0; i < 600; i++)); do [ -e seen.json ] && break; sleep 0.05; done
is 'sync-hooks.2: as a sync command the printed script reads the array of tasks' '["1","2"]' "$(jq -c '[.[].id]' seen.json)"
members='map([.id, .subject, .description, .status, .priority, .dependencies, .metadata.subagent_id]) | sort'
is 'sync-hooks.1: what a sync command gets has the printed members' "$("$cli" --list made export | jq -c "$members")" "$(jq -c "$members" seen.json)"
flock -w 30 "$HOME/.claude/task-hooks/made/sync.lock" true
echo '{"durability":"off"}' >"$HOME/.claude/task-hooks.json"
