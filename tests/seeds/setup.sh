# setup.sh: begin a list of each layout, the settings, the status line, the skill.  See check-seeds.
# shellcheck shell=bash disable=SC2154

## 0.3: a list begins in each of the three layouts
git init -q . 2>/dev/null
name=work
native=$CLAUDE_CONFIG_DIR/tasks/$name
tasks new
is '0.3: new makes the native list, and says which command is next' "new native list: $native
next: claude-tasks create SUBJECT" "$out"
tasks create one
is '0.3: the next command that new names works' 1.json "$(ls "$native")"
tasks new --form document
is '0.3: new is refused where there are tasks' 21 $rc
has '0.3: the refusal of new says why' 'already has a list; name another directory' "$err"
is '0.3: a refused new changes nothing' 1.json "$(ls "$native")"
mkdir -p "$CLAUDE_CONFIG_DIR/tasks/torn"
echo '{' >"$CLAUDE_CONFIG_DIR/tasks/torn/1.json"
tasks new --form document --list torn
is '0.3: new is refused beside a file that cannot be read' '21 1.json' "$rc $(ls "$CLAUDE_CONFIG_DIR/tasks/torn")"
tasks new --form document --list third
is '0.3: new --form document makes a document in the list of a name' "new document list: $CLAUDE_CONFIG_DIR/tasks/third/tasks.json
next: claude-tasks --list third create SUBJECT" "$out"
is '0.3: the new document is empty' '0 2' "$(jq -r '"\(.tasks | length) \(.version)"' "$CLAUDE_CONFIG_DIR/tasks/third/tasks.json")"
tasks --list third create one
has '0.3: create puts a task into the new document' '"one"' "$(jq -c '.tasks[0]' "$CLAUDE_CONFIG_DIR/tasks/third/tasks.json")"
tasks new --form document "$PWD/mine here"
has '0.3: new --form document DIR names DIR in the next command' "next: claude-tasks --dir '$PWD/mine here' create SUBJECT" "$out"
try '0.3: new --form document DIR makes DIR/tasks.json' test -f 'mine here/tasks.json'
tasks new --form folder
is '0.3: new --form folder makes .tasks, and names --dir beside a native list' "new folder list: $PWD/.tasks
next: claude-tasks --dir $PWD/.tasks create SUBJECT" "$out"
tasks --dir .tasks create one
has '0.3: create puts a task into the folder' task_ "$(ls .tasks)"
mkdir other
tasks new --form folder other --json
is '0.3: new --form folder DIR makes DIR/.tasks' "$PWD/other/.tasks folder" "$(jq -r '"\(.dir) \(.layout)"' <<<"$out")"
for words in '--form nativ' '--form folder --list x' '--form native .tasks' '--dir a b'; do
	# shellcheck disable=SC2086
	tasks new $words
	is "0.3: new $words is refused as a mistake" 64 $rc
done

## 4.4: .tasks of the working directory is used where the project has no list
tasks list
is '4.4: the native list of the project comes before .tasks' '#1 [pending] one' "$out"
is '4.4: nothing is said about .tasks if the native list is used' '' "$err"
place reach-folder
mkdir proj && cd proj && git init -q . && mkdir .tasks
tasks create 'Write the parser'
is '4.4: create uses .tasks if the project has no list' 1 "$(find .tasks -name 'task_*.json' | wc -l)"
is '4.4: create says that it uses .tasks' "claude-tasks: using ./.tasks, since there is no list 'proj'" "$err"
deny '4.4: create makes no native list beside .tasks' test -e "$CLAUDE_CONFIG_DIR/tasks/proj"
tasks list --json
is '4.4: list --json names .tasks as the directory' "$PWD/.tasks folder 1" "$(jq -r '"\(.dir) \(.layout) \(.tasks | length)"' <<<"$out")"
has '4.4: list --json says why it uses .tasks' "since there is no list 'proj'" "$(jq -r .why <<<"$out")"
echo '{"subject":"b","description":"b"}' >"$T/in"
out=$("$cli" call TaskCreate <"$T/in" 2>"$T/err")
is '4.4: call uses .tasks' 2 "$(find .tasks -name 'task_*.json' | wc -l)"
has '4.4: call says that it uses .tasks' "using ./.tasks, since there is no list" "$(<"$T/err")"
out=$(echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"TaskList","arguments":{}}}' | "$cli" mcp 2>"$T/err")
has '4.4: mcp uses .tasks' 'Write the parser' "$out"
tasks --list proj list
has '4.4: --list names the native list beside .tasks' "no tasks in list 'proj'" "$out"
out=$(CLAUDE_CODE_TASK_LIST_ID=lab "$cli" list 2>&1)
has '4.4: a list in the environment comes before .tasks' "no tasks in list 'lab'" "$out"
out=$(CLAUDE_CODE_SESSION_ID=0123abcd-1111-2222-3333-444455556666 "$cli" list 2>&1)
has '4.4: the list of a session comes before .tasks' "no tasks in list '0123abcd-" "$out"
has '4.4: in a session the answer of an empty list mentions .tasks' './.tasks is another list: claude-tasks --dir .tasks list' "$out"
out=$(CLAUDE_CODE_SESSION_ID=0123abcd-1111-2222-3333-444455556666 "$cli" lists 2>&1)
has '4.4: in a session lists mentions .tasks' './.tasks is another list' "$out"
tasks get 99
has '4.4: messages name .tasks by its path' 'there is no task #99 in ./.tasks' "$err"
tasks new --form folder deep
is '0.3: new --form folder makes the directory of the folder' '0 yes' "$rc $([ -d deep/.tasks ] && echo yes)"
event='{"hook_event_name":"PreToolUse","session_id":"0123abcd-1111-2222-3333-444455556666","cwd":"'$PWD'","tool_name":"TaskUpdate","tool_input":{"taskId":"1","status":"in_progress"}}'
# The task of the event is in .tasks, and would be refused there: it waits for another.
echo '{"id":"1","subject":"Waits","description":"","status":"pending","owner":null,"blockedBy":["2"]}' >.tasks/1.json
echo '{"id":"2","subject":"Open","description":"","status":"pending","owner":null,"blockedBy":[]}' >.tasks/2.json
out=$("$BUILD/on-pretooluse-task" --dir .tasks <<<"$event" 2>&1)
is '4.4: an event that a hook would refuse on .tasks' 2 $?
before=$(find .tasks -printf '%p %T@ %s\n' | sort && cat .tasks/*.json)
for session in 0123abcd-1111-2222-3333-444455556666 ''; do
	out=$("$BUILD/on-pretooluse-task" <<<"${event/0123abcd-1111-2222-3333-444455556666/$session}" 2>&1)
	is "4.4: a hook never uses .tasks (session '$session')" '0 ' "$? $out"
done
is '4.4: a hook leaves .tasks as it is' "$before" "$(find .tasks -printf '%p %T@ %s\n' | sort && cat .tasks/*.json)"
mkdir linked && cd linked && git init -q . && ln -s ../.tasks .tasks
tasks list
has '4.4: .tasks that is a symbolic link is not used' "no tasks in list 'linked'" "$out"
has '4.4: the message says why' './.tasks is not used: it is a symbolic link' "$err"
tasks new
has '4.4: new says that .tasks is not used' './.tasks is not used' "$err"

# A client that only prints its version; doctor finds it in PATH.
mkdir -p "$T/reach-bin"
printf '#!/bin/sh\necho "2.1.197 (Claude Code)"\n' >"$T/reach-bin/claude"
chmod +x "$T/reach-bin/claude"
PATH=$T/reach-bin:$PATH
# finding CHECK: what doctor says of it, one line for each finding: level, what, fix
finding() {
	"$cli" doctor --no-selftest --json | jq -r --arg c "$1" '.findings[] | select(.check == $c) | "\(.level): \(.what) | \(.fix)"'
}

## 3.14: hook entries as the seed prints them
place reach-flat
user=$CLAUDE_CONFIG_DIR/settings.json
flat='{
  "hooks": {
    "SubagentStop": [
      {
        "type": "command",
        "command": "node ./scripts/sync-jira.js"
      }
    ],
    "PreToolUse": [
      { "matcher": "Bash", "type": "command", "command": "guard", "timeout": 5 }
    ]
  }
}'
printf '%s\n' "$flat" >"$user"
is '3.14: doctor finds a hook without a group' "problem: $user: \"SubagentStop\"[0] is a hook without the group around it | claude-tasks install --user, or write {\"hooks\": [...]} around it" "$(finding hooks.group | head -n 1)"
is '3.14: doctor finds each of the hooks without a group' 2 "$(finding hooks.group | wc -l)"
tasks status
has '3.14: status says that a hook is not in a group' 'is not in a group' "$out"
tasks install --no-todo-tools
is '3.14: install puts such hooks into groups, and says so' "$user: 10 hooks added, 2 hooks put into a group" "$(head -n 1 <<<"$out")"
is '3.14: after install the hook is in a group' '{"hooks":[{"type":"command","command":"node ./scripts/sync-jira.js"}]}' "$(command jq -c '.hooks.SubagentStop[0]' "$user")"
is '3.14: after install the matcher is in the group' '{"matcher":"Bash","hooks":[{"type":"command","command":"guard","timeout":5}]}' "$(command jq -c '.hooks.PreToolUse[0]' "$user")"
is '3.14: after install every entry is a group' true "$(jq '[.hooks[][] | has("hooks")] | all' "$user")"
is '3.14: after install doctor finds no hook without a group' '' "$(finding hooks.group)"
tasks uninstall
is '3.14: uninstall restores the bytes of the file' "$flat" "$(<"$user")"
echo '{"hooks":{"SubagentStop":[{"type":"command","command":"/old/on-subagent-stop"}]}}' >"$user"
tasks install --no-todo-tools
is '3.14: install corrects a hook of ours without a group, and adds no second one' "$BUILD/on-subagent-stop" "$(jq -r '[.hooks.SubagentStop[].hooks[].command] | join(" ")' "$user")"
tasks uninstall
rm -f "$user"
tasks install --no-todo-tools
mkdir -p .claude
printf '%s\n' "$flat" >.claude/settings.json
has '3.14: where the hooks are registered in another file, doctor does not say to register them again' "| write {\"hooks\": [...]} around it in $PWD/.claude/settings.json" "$(finding hooks.group | head -n 1)"
rm -r .claude "$user"
for odd in '{"matcher":"Bash"}' '{"type":"command","hooks":{}}' '7'; do
	printf '{"hooks":{"Stop":[%s]}}' "$odd" >"$user"
	before=$(<"$user")
	tasks install --no-todo-tools
	is "3.14: install refuses a file with the entry $odd" 1 $rc
	has "3.14: the refusal of $odd names the way out" 'remove it, or write {"hooks": [...]}' "$err"
	is "3.14: the refused install of $odd leaves the file as it is" "$before" "$(<"$user")"
	has "3.14: doctor finds the entry $odd" '"Stop"[0] has no array "hooks"' "$(finding hooks.group)"
done
rm -f "$user"

## 0.66: an event that the client does not know
echo '{"hooks":{"FileChanged":[{"hooks":[{"type":"command","command":"x"}]}],"Stop":[]}}' >"$user"
printf '#!/bin/sh\necho "2.1.34 (Claude Code)"\n' >"$T/client-34"
chmod +x "$T/client-34"
tasks doctor --no-selftest --json --client "$T/client-34"
is '0.66: doctor finds an event that an old client does not know' "$user: client 2.1.34 does not know the event FileChanged" "$(jq -r '.findings[] | select(.check == "hooks.event") | .what' <<<"$out")"
tasks install --no-todo-tools --client "$T/client-34"
has '0.66: install warns of such an event' "does not know the event FileChanged, and ignores every hook of $user" "$err"
is '0.66: a newer client ignores only that event' '' "$(finding hooks.event)"
echo '{"disableAllHooks":true,"env":{"CLAUDE_CODE_ENABLE_TASKS":"0"}}' >"$user"
tasks install --no-todo-tools
has '0.66: install warns that the file disables all hooks' "$user disables all hooks" "$err"
has '0.64: install warns that tasks are switched off' "in $user switches the client's tasks off" "$err"
tasks status
has '0.64: status says only once whether there are Task tools' 'Task tools off' "$out"
rm -f "$user"

## 0.64: tasks that are switched off
is '0.64: doctor does not mention CLAUDE_CODE_ENABLE_TASKS if it is not set' '' "$(finding hooks.tasks)"
for value in 0 false No OFF; do
	has "0.64: doctor says that the environment switches tasks off with $value" 'problem: CLAUDE_CODE_ENABLE_TASKS in the environment switches tasks off | remove CLAUDE_CODE_ENABLE_TASKS from the environment' \
	    "$(CLAUDE_CODE_ENABLE_TASKS=$value finding hooks.tasks)"
done
for value in 1 true ''; do
	is "0.64: doctor finds nothing if CLAUDE_CODE_ENABLE_TASKS is '$value'" '' "$(CLAUDE_CODE_ENABLE_TASKS=$value finding hooks.tasks)"
done
echo '{"env":{"CLAUDE_CODE_ENABLE_TASKS":"0"}}' >"$user"
is '0.64: doctor names the settings file that switches tasks off' "problem: CLAUDE_CODE_ENABLE_TASKS in $user switches tasks off | remove CLAUDE_CODE_ENABLE_TASKS from $user" "$(finding hooks.tasks)"
tasks status
has '0.64: status names the settings file that switches tasks off' "$user switches tasks off (to have them: remove CLAUDE_CODE_ENABLE_TASKS there)" "$out"
tasks status --json
is '0.64: status --json names the settings file that switches tasks off' "$user" "$(jq -r .tasks_off <<<"$out")"
mkdir -p .claude
echo '{"env":{"CLAUDE_CODE_ENABLE_TASKS":"1"}}' >.claude/settings.json
is '0.64: the settings of the project come before those of the user' '' "$(finding hooks.tasks)"
rm -rf .claude "$user"

## 0.66: a tasks.json beside the client's files
tasks --list both create native
echo '{"tasks":[{"id":"a","description":"Keep me","status":"pending"}],"version":2}' >"$CLAUDE_CONFIG_DIR/tasks/both/tasks.json"
tasks --list both list
has '0.66: list says that a tasks.json beside them is not shown, and what to do' "tasks.json is not shown: this list has files of the client (to add its tasks: claude-tasks doctor --list both)" "$err"
for option in '' --fix; do
	# shellcheck disable=SC2086
	tasks --list both doctor --no-selftest $option --json
	is "0.66: doctor $option advises to import a tasks.json beside the client's files" "claude-tasks --list both import $CLAUDE_CONFIG_DIR/tasks/both/tasks.json, then remove that file" \
	    "$(jq -r '.findings[] | select(.check == "store.invisible") | .fix' <<<"$out")"
done
tasks --list both import "$CLAUDE_CONFIG_DIR/tasks/both/tasks.json"
rm "$CLAUDE_CONFIG_DIR/tasks/both/tasks.json"
tasks --list both list
has '0.66: the advised import loses no task' 'Keep me' "$out"

## 0.67: the sessions of a project share the list that a person adds to
place reach-share
mkdir proj && cd proj && git init -q .
# terminal COMMAND...: what it prints on a terminal
terminal() { TERM=dumb script -qec "$*" /dev/null </dev/null | tr -d '\r'; }
hint="claude-tasks: no session sees list 'proj': each has its own.  To let the sessions of this project use it: claude-tasks install --list proj"
tasks create 'in a script'
is '0.67: create outside a terminal does not say who sees the task' '' "$err"
is '0.67: create --json does not say who sees the task' '' "$(terminal "$cli" create j --json | grep 'no session')"
is '0.67: create in a session does not say who sees the task' '' "$(CLAUDECODE=1 terminal "$cli" create s | grep 'no session')"
is '0.67: create on the list of a session does not say who sees the task' '' "$(terminal "$cli" -l 0123abcd-1111-2222-3333-444455556666 create s | grep 'no session')"
is '0.67: create does not say who sees the task if the environment names the list' '' "$(CLAUDE_CODE_TASK_LIST_ID=proj terminal "$cli" create s | grep 'no session')"
is '0.67: create on a terminal says who sees the task' "$hint" "$(terminal "$cli" create one | grep 'no session')"
is '0.67: create says it once for each list' '' "$(terminal "$cli" create two | grep 'no session')"
local=$PWD/.claude/settings.local.json
tasks install --list other --no-todo-tools
is '0.67: install --list sets the list in the settings of the project' other "$(jq -r .env.CLAUDE_CODE_TASK_LIST_ID "$local")"
has '0.67: install --list says that it sets the list' 'CLAUDE_CODE_TASK_LIST_ID set' "$out"
is '0.67: install --list registers the hooks if there are none yet' 7 "$(jq '[.hooks[][].hooks[]] | length' "$local")"
tasks uninstall --local
tasks install --list 'a/b c' --no-todo-tools
has '0.67: install --list says the name that the list has' "use the list '$(jq -r .env.CLAUDE_CODE_TASK_LIST_ID "$local")'" "$out"
tasks uninstall --local
tasks install --list other --no-todo-tools
is '0.67: create does not say who sees the task if the settings name the list' '' "$(terminal "$cli" -l other create s | grep 'no session')"
is '0.67: create on a terminal names the list that the sessions use instead' \
    "claude-tasks: no session sees list 'mine': those of this project use 'other', as does claude-tasks without --list" \
    "$(terminal "$cli" -l mine create s | grep 'no session')"
before=$(<"$local")
tasks install --list third --no-todo-tools
is '0.67: install --list is refused if the settings name another list' 21 $rc
has '0.67: that refusal names the way out' "sets CLAUDE_CODE_TASK_LIST_ID to 'other' (remove that line, or: claude-tasks uninstall --local)" "$err"
is '0.67: the refused install changes nothing' "$before" "$(<"$local")"
tasks uninstall --local
deny '0.67: uninstall removes the file that install made' test -e "$local"
printf '{ "env": {"A":"b"},\n\n"x":1 }' >.claude/settings.json
before=$(<.claude/settings.json)
tasks install --no-todo-tools
tasks install --project --list proj --no-todo-tools
is '0.67: install --list sets only the list if the hooks are registered' '{"A":"b","CLAUDE_CODE_TASK_LIST_ID":"proj"} null' "$(command jq -c '.env, .hooks' .claude/settings.json | xargs -d '\n')"
tasks uninstall --project
is '0.67: uninstall restores the bytes of a file that was there' "$before" "$(<.claude/settings.json)"
tasks install --project --list proj --no-todo-tools
sed -i 's/"proj"/"mine"/' .claude/settings.json
tasks uninstall --project
is '0.67: uninstall leaves a list that a person has set since' mine "$(jq -r .env.CLAUDE_CODE_TASK_LIST_ID .claude/settings.json)"
for words in '--user --list x' "--list ''"; do
	eval "tasks install $words --no-todo-tools"
	is "0.67: install $words is refused as a mistake" 64 $rc
done
is '0.67: a file of settings-examples sets the list' my-project "$(jq -r .env.CLAUDE_CODE_TASK_LIST_ID "$top/settings-examples/settings.list.json")"
tasks uninstall

## 0.67: in a terminal the command uses the list that the settings give to sessions
place reach-terminal
mkdir -p proj/.claude proj/deep && cd proj && git init -q .
project=$PWD/.claude/settings.json local=$PWD/.claude/settings.local.json user=$CLAUDE_CONFIG_DIR/settings.json
# shared FILE NAME: let this file name the list
shared() { jq -n --arg n "$2" '{env:{CLAUDE_CODE_TASK_LIST_ID:$n}}' >"$1"; }
# uses NAME LIST FILE: list, run here, uses this list, and says that this file names it
uses() {
	tasks list --json
	is "$1" "$2 no session; CLAUDE_CODE_TASK_LIST_ID in $3" "$(jq -r '"\(.list) \(.why)"' <<<"$out")"
}
tasks create 'before'
shared "$user" of-user
uses '0.67: without options the command uses the list that the settings of the user name' of-user "$user"
shared "$project" of-project
uses '0.67: the settings of the project come before those of the user' of-project "$project"
shared "$local" of-local
uses '0.67: the local settings of the project come before the shared ones' of-local "$local"
cd deep || exit 1
uses '0.67: the settings of the project are found from a directory below' of-local "$local"
cd ..
echo '{' >"$local"
uses '0.67: a settings file that the client ignores names no list' of-project "$project"
shared "$local" ' '
tasks list --json
is '0.67: a blank name in the local settings hides the other files, as for a session' 'proj no session; the directory that holds .git' "$(jq -r '"\(.list) \(.why)"' <<<"$out")"
rm "$local" "$user"
tasks --list mine list --json
is '0.67: --list comes before the settings' mine "$(jq -r .list <<<"$out")"
tasks --dir "$T" list --json
is '0.67: --dir comes before the settings' "$T" "$(jq -r .dir <<<"$out")"
is '0.67: the environment comes before the settings' lab "$(CLAUDE_CODE_TASK_LIST_ID=lab "$cli" list --json | jq -r .list)"
is '0.67: a session comes before the settings' 0123abcd-1111-2222-3333-444455556666 "$(CLAUDE_CODE_SESSION_ID=0123abcd-1111-2222-3333-444455556666 "$cli" list --json | jq -r .list)"
mkdir .tasks
uses '0.67: the settings come before .tasks' of-project "$project"
rmdir .tasks
tasks create shared
is '0.67: create puts the task into the list of the settings, and says nothing in a script' '|1.json' "$err|$(ls "$CLAUDE_CONFIG_DIR/tasks/of-project")"
is '0.67: call uses the list of the settings' shared "$(echo '{"taskId":"1"}' | "$cli" call TaskGet | jq -r .task.subject)"
out=$(printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}' '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"TaskList","arguments":{}}}' | "$cli" mcp)
has '0.67: mcp uses the list of the settings' shared "$(tail -n 1 <<<"$out")"
has '0.67: mcp says which list it uses, and which file names it' "The tasks are in $CLAUDE_CONFIG_DIR/tasks/of-project (no session; CLAUDE_CODE_TASK_LIST_ID in $project)" "$(head -n 1 <<<"$out" | jq -r .result.instructions)"
has '0.67: completion offers the tasks of the list of the settings' shared "$("$cli" words -- get '')"
tasks lists
is '0.67: lists says why the list in use is the one' "* of-project  0/1 done, native (no session; CLAUDE_CODE_TASK_LIST_ID in $project)" "$(grep of-project <<<"$out" | sed 's/, [0-9]*s ago//')"
tasks lists --json
is '0.67: lists --json says why the list in use is the one' "of-project no session; CLAUDE_CODE_TASK_LIST_ID in $project" "$(jq -r '.[] | select(.why) | "\(.list) \(.why)"' <<<"$out")"
tasks status
has '0.67: status says which list is used, and which file names it' "list 'of-project': no session; CLAUDE_CODE_TASK_LIST_ID in $project" "$out"
tasks status --json
is '0.67: status --json says the same' "of-project no session; CLAUDE_CODE_TASK_LIST_ID in $project" "$(jq -r '.list | "\(.name) \(.why)"' <<<"$out")"
note="claude-tasks: using list 'of-project' (no session; CLAUDE_CODE_TASK_LIST_ID in $project)"
is '0.67: on a terminal the first command says which file names the list' "$note" "$(terminal "$cli" list | grep 'using list')"
is '0.67: the second command does not repeat which file names the list' '' "$(terminal "$cli" list | grep 'using list')"
is '0.67: create on a terminal does not say that no session sees the list' '' "$(terminal "$cli" create two | grep 'no session')"
event='{"hook_event_name":"PreToolUse","session_id":"0123abcd-1111-2222-3333-444455556666","cwd":"'$PWD'","tool_name":"TaskUpdate","tool_input":{"taskId":"1","status":"in_progress"}}'
deny '0.67: a hook never reads the settings' grep -q of-project <<<"$("$BUILD/on-pretooluse-task" --explain <<<"$event" 2>&1)"
mkdir -p ../evil/.claude && cd ../evil && git init -q .
shared .claude/settings.json of-project
is '0.67: another repository that names the list of this one is told apart' "${note/proj\/.claude/evil\/.claude}" "$(terminal "$cli" list | grep 'using list')"
shared .claude/settings.json ../../../etc
tasks create inside
is '0.67: the settings of a repository name a list, never a path' "---------etc 1.json" "$(cd "$CLAUDE_CONFIG_DIR/tasks" && echo -- *etc | cut -c4-) $(ls "$CLAUDE_CONFIG_DIR/tasks/---------etc")"
ln -s / "$CLAUDE_CONFIG_DIR/tasks/link"
shared .claude/settings.json link
tasks list
is '0.67: a name in the settings does not follow a symbolic link' 21 $rc

## 0.67: the example of the README
place reach-together
mkdir proj && cd proj && git init -q .
tasks install --list together --no-todo-tools
tasks create 'from a terminal'
is '0.67: after install --list a task from a terminal is in the list of the sessions' 'from a terminal' "$(CLAUDE_CODE_SESSION_ID=0123abcd-1111-2222-3333-444455556666 CLAUDE_CODE_TASK_LIST_ID=$(jq -r .env.CLAUDE_CODE_TASK_LIST_ID .claude/settings.local.json) "$cli" list --json | jq -r '.tasks[].subject')"
tasks uninstall --local

## 1.83: the status line
place reach-statusline
user=$CLAUDE_CONFIG_DIR/settings.json
tasks install --statusline --no-todo-tools
is '1.83: install --statusline registers the status line' "$BUILD/claude-tasks statusline" "$(jq -r .statusLine.command "$user")"
is '1.83: the status line is registered in the form that the client reads' command "$(jq -r .statusLine.type "$user")"
tasks --list bar create one
has '1.83: the registered command prints the progress of the list' '0/1' "$(echo '{}' | CLAUDE_CODE_TASK_LIST_ID=bar sh -c "$(jq -r .statusLine.command "$user")")"
tasks install --statusline --no-todo-tools
has '1.83: a second install --statusline has nothing to do' 'nothing to do' "$out"
tasks uninstall
deny '1.83: uninstall removes the status line' test -e "$user"
echo '{"statusLine":{"type":"command","command":"date"}}' >"$user"
tasks install --statusline --no-todo-tools
is '1.83: install --statusline keeps another status line' date "$(jq -r .statusLine.command "$user")"
has '1.83: install --statusline says how to combine it with another one' 'has another statusLine, which is kept.  To combine them' "$err"
tasks uninstall
is '1.83: uninstall leaves another status line' '{"statusLine":{"type":"command","command":"date"}}' "$(<"$user")"
rm "$user"
tasks install --statusline --no-todo-tools
jq '.statusLine.command = "mine"' "$user" >"$T/s" && cp "$T/s" "$user"
tasks uninstall
is '1.83: uninstall leaves a status line that a person has set since' mine "$(jq -r .statusLine.command "$user")"

## 1.14: when to use the list, and when not
place reach-prompt
skill=$top/settings-examples/skills/task-manager/SKILL.md
has '1.14: the skill says when not to use tasks' 'Do not use it for a question, for a single trivial step' "$(<"$skill")"
# instructions OPTION...: those of the server
instructions() {
	echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}' | "$cli" mcp "$@" 2>/dev/null | jq -r .result.instructions
}
for family in client todo plain all; do
	text=$(instructions --tools $family)
	has "1.14: mcp --tools $family says when not to use tasks" 'Do not use it for a question, a single trivial step' "$text"
	echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | "$cli" mcp --tools $family | jq -r '.result.tools[].name' | sort >"$T/offered"
	grep -oE 'Task[A-Z][a-z]+|Todo[A-Z][a-z]+|[a-z]+_tasks?\b' <<<"$text" | sort -u >"$T/named"
	try "1.14: mcp --tools $family names a tool in its instructions" test -s "$T/named"
	is "1.14: mcp --tools $family names only tools that it offers" '' "$(comm -13 "$T/offered" "$T/named")"
done
mkdir .tasks
has '4.4: mcp names the folder that it uses' "The tasks are in $PWD/.tasks (since there is no list" "$(instructions)"

## 0.61: the skill reaches the user
place reach-skill
git init -q .
user=$CLAUDE_CONFIG_DIR/settings.json
copy=$CLAUDE_CONFIG_DIR/skills/task-manager/SKILL.md
tasks install --skill --no-todo-tools --dry-run
has '0.61: install --skill --dry-run says what it would do' "would change $copy: skill installed" "$out"
deny '0.61: install --skill --dry-run installs nothing' test -e "$copy"
tasks install --skill --no-todo-tools
try '0.61: install --skill puts the skill where the client finds it' cmp "$copy" "$skill"
has '0.61: install --skill says where the skill is' "$copy: skill installed" "$out"
tasks status
has '0.61: status mentions the skill' "$copy: the skill is installed" "$out"
tasks uninstall --dry-run
has '0.61: uninstall --dry-run says that it would remove the skill' "would change $copy: skill removed" "$out"
try '0.61: uninstall --dry-run keeps the skill' test -e "$copy"
tasks install --skill --no-todo-tools
has '0.61: a second install --skill has nothing to do' "$copy: nothing to do" "$out"
is '0.61: doctor finds nothing if the skill is there' '' "$(finding hooks.skill)"
rm "$copy"
is '0.61: doctor says that the skill is missing' "note: $copy, which install made, is missing | claude-tasks install --skill --user" "$(finding hooks.skill)"
tasks install --skill --no-todo-tools
tasks install --project --skill --no-todo-tools
try '0.61: install --project --skill puts the skill into the project' cmp .claude/skills/task-manager/SKILL.md "$skill"
deny '0.61: install --project --skill does not register the hooks twice' test -e .claude/settings.json
tasks uninstall --project
deny '0.61: uninstall --project removes the skill of the project' test -e .claude/skills
tasks uninstall
deny '0.61: uninstall removes the skill of the user' test -e "$CLAUDE_CONFIG_DIR/skills"
deny '0.61: uninstall removes the hooks with the skill' test -e "$user"
tasks install --skill --no-todo-tools
echo mine >>"$copy"
tasks uninstall
try '0.61: uninstall keeps a skill that was changed since' grep -q mine "$copy"
has '0.61: uninstall says that it keeps the changed skill' "$copy was changed since install, and is kept" "$err"
tasks install --skill --no-todo-tools
is '0.61: install --skill does not replace a changed skill' '21 mine' "$rc $(tail -n 1 "$copy")"
has '0.61: that refusal names the way out' 'remove it, then: claude-tasks install --skill' "$err"
deny '0.61: the refused install --skill changes nothing' test -e "$user"
rm "$copy"
echo '{' >"$user"
tasks install --skill --no-todo-tools
is '0.61: install --skill installs nothing beside settings that it cannot read' '1 no' "$rc $(test -e "$copy" && echo yes || echo no)"
