# reach.sh: how a person gets at the three layouts, the settings, the skill.  See check-seeds.
# shellcheck shell=bash disable=SC2154

## 0.3: a list begins in each of the three layouts
git init -q . 2>/dev/null
name=work
native=$CLAUDE_CONFIG_DIR/tasks/$name
tasks new
is '0.3: new makes the native list, and says what is next' "new native list: $native
next: claude-tasks create SUBJECT" "$out"
tasks create one
is '0.3: the next command works' 1.json "$(ls "$native")"
tasks new --form document
is '0.3: refused where there are tasks' 21 $rc
has '0.3: and it says why' 'already has a list; name another directory' "$err"
is '0.3: the refused call changed nothing' 1.json "$(ls "$native")"
mkdir -p "$CLAUDE_CONFIG_DIR/tasks/torn"
echo '{' >"$CLAUDE_CONFIG_DIR/tasks/torn/1.json"
tasks new --form document --list torn
is '0.3: refused beside a file that cannot be read' '21 1.json' "$rc $(ls "$CLAUDE_CONFIG_DIR/tasks/torn")"
tasks new --form document --list third
is '0.3: a document in the list of a name' "new document list: $CLAUDE_CONFIG_DIR/tasks/third/tasks.json
next: claude-tasks --list third create SUBJECT" "$out"
is '0.3: an empty document' '0 2' "$(jq -r '"\(.tasks | length) \(.version)"' "$CLAUDE_CONFIG_DIR/tasks/third/tasks.json")"
tasks --list third create one
has '0.3: a task goes into the document' '"one"' "$(jq -c '.tasks[0]' "$CLAUDE_CONFIG_DIR/tasks/third/tasks.json")"
tasks new --form document "$PWD/mine here"
has '0.3: a document in a directory' "next: claude-tasks --dir '$PWD/mine here' create SUBJECT" "$out"
try '0.3: its file' test -f 'mine here/tasks.json'
tasks new --form folder
is '0.3: a folder, which needs --dir beside a native list' "new folder list: $PWD/.tasks
next: claude-tasks --dir $PWD/.tasks create SUBJECT" "$out"
tasks --dir .tasks create one
has '0.3: a task goes into the folder' task_ "$(ls .tasks)"
mkdir other
tasks new --form folder other --json
is '0.3: DIR is the directory that gets .tasks' "$PWD/other/.tasks folder" "$(jq -r '"\(.dir) \(.layout)"' <<<"$out")"
for words in '--form nativ' '--form folder --list x' '--form native .tasks' '--dir a b'; do
	# shellcheck disable=SC2086
	tasks new $words
	is "0.3: new $words is a mistake" 64 $rc
done

## 4.4: .tasks of the working directory is used where the project has no list
tasks list
is '4.4: a native list comes first' '#1 [pending] one' "$out"
is '4.4: and then there is nothing to say' '' "$err"
place reach-folder
mkdir proj && cd proj && git init -q . && mkdir .tasks
tasks create 'Write the parser'
is '4.4: create uses .tasks' 1 "$(find .tasks -name 'task_*.json' | wc -l)"
is '4.4: it says so' "claude-tasks: using $PWD/.tasks (no session and no list 'proj'; .tasks of the working directory)" "$err"
deny '4.4: no native list was made' test -e "$CLAUDE_CONFIG_DIR/tasks/proj"
tasks list --json
is '4.4: list names it' "$PWD/.tasks folder 1" "$(jq -r '"\(.dir) \(.layout) \(.tasks | length)"' <<<"$out")"
has '4.4: with the reason' '.tasks of the working directory' "$(jq -r .why <<<"$out")"
echo '{"subject":"b","description":"b"}' >"$T/in"
out=$("$cli" call TaskCreate <"$T/in" 2>"$T/err")
is '4.4: call uses it' 2 "$(find .tasks -name 'task_*.json' | wc -l)"
has '4.4: call says so' "using $PWD/.tasks" "$(cat "$T/err")"
out=$(echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"TaskList","arguments":{}}}' | "$cli" mcp 2>"$T/err")
has '4.4: mcp uses it' 'Write the parser' "$out"
tasks --list proj list
has '4.4: --list still names the native one' "no tasks in list 'proj'" "$out"
out=$(CLAUDE_CODE_TASK_LIST_ID=lab "$cli" list 2>&1)
has '4.4: a list in the environment comes first' "no tasks in list 'lab'" "$out"
out=$(CLAUDE_CODE_SESSION_ID=0123abcd-1111-2222-3333-444455556666 "$cli" list 2>&1)
has '4.4: a session has its own list' "no tasks in list '0123abcd-" "$out"
event='{"hook_event_name":"PreToolUse","session_id":"0123abcd-1111-2222-3333-444455556666","cwd":"'$PWD'","tool_name":"TaskUpdate","tool_input":{"taskId":"1","status":"in_progress"}}'
out=$("$BUILD/on-pretooluse-task" --explain <<<"$event" 2>&1)
deny '4.4: a hook never guesses it' grep -q '\.tasks' <<<"$out"
out=$("$BUILD/on-pretooluse-task" --explain <<<"${event/0123abcd-1111-2222-3333-444455556666/}" 2>&1)
deny '4.4: not even without a session' grep -q '\.tasks' <<<"$out"
mkdir linked && cd linked && git init -q . && ln -s ../.tasks .tasks
tasks list
has '4.4: a symbolic link is not used' "no tasks in list 'linked'" "$out"
