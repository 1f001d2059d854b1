# todo.sh: both forms of TodoWrite, on lists of every layout.
#
# shellcheck shell=bash disable=SC2154

mkdir native .tasks
document doc

# write DIR AGENT INPUT: TodoWrite by this agent
write() {
	out=$(CLAUDE_TASKS_AGENT=$2 "$cli" --dir "$1" call TodoWrite <<<"$3" 2>"$T/err")
	rc=$?
	err=$(<"$T/err")
}
# todos ITEM...: the input for these items: "content/status"
todos() {
	printf '%s\n' "$@" | jq -Rnc '{todos: [inputs | select(. != "") | split("/") |
	    {content: .[0], status: {p: "pending", i: "in_progress", c: "completed"}[.[1]], activeForm: "Doing \(.[0])"}]}'
}
# own AGENT: its own list beside that of $dir, as the other commands name it
own() {
	"$cli" lists --json 2>/dev/null | jq -r '.[].list' | grep -- "^$prefix-[0-9a-f]*-todo-$1\$"
}
# items NAME: the items of an own list, as a call would have sent them, in no order
items() {
	"$cli" --list "$1" list --all --json | jq -r '[.tasks[] | "\(.subject)/\(.status[0:1])"] | sort | join(" ")'
}
# old: oldTodos of the answer
old() { jq -r '[.oldTodos[] | "\(.content)/\(.status[0:1])"] | join(" ")' <<<"$out"; }
# bytes DIR: every name and byte of all lists, and of the claims
bytes() {
	find "$CLAUDE_CONFIG_DIR/tasks" "$1" -type f ! -name .lock | sort | xargs -r grep -H '' 2>/dev/null
	cat "$CLAUDE_CONFIG_DIR"/task-hooks/*/claims.json 2>/dev/null
}
# refused NAME STATUS WORDS DIR AGENT INPUT: the answer has these words, and nothing has changed
refused() {
	local before
	before=$(bytes "$4")
	write "$4" "$5" "$6"
	if [ "$rc" != "$2" ]; then
		fail "$1" "status $rc, not $2: $out$err"
	elif [[ $(jq -r .error <<<"$out") != *"$3"* ]]; then
		fail "$1" "expected: $3
actual:   $out"
	else
		is "$1" "$before" "$(bytes "$4")"
	fi
}

## 0.32: one task for each call, on every layout
for dir in native doc .tasks; do
	write $dir ann '{"description":"Fix it\nin all places","assignee":"zoe"}'
	id=$(jq -r .task.id <<<"$out")
	is "0.32: TodoWrite creates a task ($dir)" '0 Fix it
in all places pending zoe' "$rc $(jq -r '.task | "\(.description) \(.status) \(.assignee)"' <<<"$out")"
	write $dir zoe "{\"id\":\"$id\",\"description\":\"Fix all\",\"status\":\"in_progress\"}"
	is "0.32: TodoWrite updates a task ($dir)" "0 $id Fix all in_progress zoe" "$rc $(jq -r '.task | "\(.id) \(.description) \(.status) \(.assignee)"' <<<"$out")"
	write $dir ann '{"id":"own-id","description":"With an id"}'
	is "0.32: TodoWrite makes a task with the id of the call ($dir)" '0 own-id' "$rc $(jq -r .task.id <<<"$out")"
done

## 1.7 to 1.10: the caller's own list, beside a list of every layout
seed='[{"content":"Fix the login bug","status":"in_progress","activeForm":"Fixing the login bug"},{"content":"Run tests","status":"pending","activeForm":"Running tests"}]'
for dir in native doc .tasks; do
	main=$(find "$dir" -type f ! -name .lock | sort | xargs cat)
	prefix=$(basename $dir | tr . -)
	write $dir ann "{\"todos\":$seed}"
	is "1.7: the first call ($dir)" "0 {\"oldTodos\":[],\"newTodos\":$seed}" "$rc $out"
	write $dir ann "{\"todos\":$seed}"
	is "1.7: the next one has what was there ($dir)" "0 {\"oldTodos\":$seed,\"newTodos\":$seed}" "$rc $out"
	list=$(own ann)
	is "1.10: the own list is a list as any ($dir)" 'Fix the login bug/i Run tests/p' "$(items "$list")"
	tasks --list "$list" list
	has "1.10: the commands show the list of an agent ($dir)" '#1 [in_progress] Fix the login bug (ann)' "$out"
	write $dir bob "$(todos Other/p)"
	is "1.10: another agent has another one ($dir)" '0 ' "$rc $(old)"
	write $dir ann "$(todos 'Run tests/i' Ship/p 'Fix the login bug/c')"
	is "1.8: the list is replaced as a whole ($dir)" '0 Fix the login bug/c Run tests/i Ship/p' "$rc $(items "$list")"
	write $dir ann "$(todos Ship/c Land/c)"
	is "1.8: the list has the order in which it was sent ($dir)" '0 Run tests/i Ship/p Fix the login bug/c' "$rc $(old)"
	is "1.9: it is emptied when every item is completed ($dir)" 'Ship/c Land/c|' \
	    "$(jq -r '[.newTodos[] | "\(.content)/\(.status[0:1])"] | join(" ")' <<<"$out")|$(items "$list")"
	write $dir ann '{"todos":[]}'
	is "1.9: an empty list is possible ($dir)" '0 {"oldTodos":[],"newTodos":[]}' "$rc $out"
	write $dir bob "$(todos Other/p)"
	is "1.10: the other one was not changed ($dir)" '0 Other/p' "$rc $(old)"
	is "1.10: the list that agents share is not changed ($dir)" "$main" "$(find "$dir" -type f ! -name .lock | sort | xargs cat)"
done

## Whose list it is
dir=native prefix=native
for who in 'a b' a-b 'a/b' "$(printf 'n%.0s' {1..60})"; do
	write native "$who" "$(todos Of/p | jq -c --arg w "$who" '.todos[0].content += " \($w)"')"
done
for who in 'a b' a-b 'a/b'; do
	write native "$who" '{"todos":[]}'
	is "1.10: '$who' has a list of its own" "Of $who" "$(jq -r '[.oldTodos[].content] | join(" ")' <<<"$out")"
done
(
	unset CLAUDE_TASKS_AGENT
	export CLAUDE_CODE_SESSION_ID=0f1e2d3c-0000-4000-8000-000000000001
	todos One/i | "$cli" --dir native call TodoWrite >/dev/null
)
is '1.10: without a name the session has the list' 'One/i' "$(items "$(own 0f1e2d3c-0000-4000-8000-000000000001)")"
todos Mine/p | "$cli" --dir native call TodoWrite >/dev/null
is '1.10: at a shell the list is that of the person' 'Mine/p' "$(items "$(own ada)")"

## What an item is
write native eve "$(todos A/p B/p C/p)"
list=$(own eve)
file() { grep -l "\"subject\": \"$1\"" "$CLAUDE_CONFIG_DIR/tasks/$list"/[0-9]*.json; }
b=$(file B)
jq '.extra = {"kept": [1]}' "$b" >"$T/task" && cp "$T/task" "$b"
write native eve "$(todos C/p New/p B/i)"
is '1.8: an item that stays keeps its file' "$b" "$(file B)"
is '1.8: an item that stays keeps the fields of other writers' '{"kept":[1]} in_progress Doing B eve' "$(jq -r '"\(.extra | tojson) \(.status) \(.activeForm) \(.owner)"' "$b")"
write native eve "$(todos New/p C/p B/i)"
is '1.8: an item that was added between others is returned in its place' 'C/p New/p B/i' "$(old)"
write native eve "$(todos B/p B/p New/p B/p)"
is '1.8: items in a new order are returned in that order' 'New/p C/p B/i' "$(old)"
write native eve "$(todos B/c B/p New/p B/i)"
is '1.8: items of the same content are separate tasks' 'B/p B/p New/p B/p|4' "$(old)|$(items "$list" | wc -w)"
write native eve "$(todos B/p New/p B/i)"
is '1.8: items of the same content keep their own status' 'B/c B/p New/p B/i|B/i B/p New/p' "$(old)|$(items "$list")"
write native eve "$(todos New/c B/i)"
write native eve "$(todos New/i B/p)"
is '1.7: a completed item can be reopened' '0 B/p New/i' "$rc $(items "$list")"
tasks --list "$list" create 'By hand'
write native eve "$(todos New/i B/p)"
is '1.7: a task that another command added comes last' 'New/i B/p By hand/p' "$(old)"
is '1.7: a task that another command added has its subject as active form' 'By hand' "$(jq -r '.oldTodos[2].activeForm' <<<"$out")"
long=$(printf 'Line one\n\n- \u00e9 "quoted" \\ \u2028')
write native eve "$(jq -nc --arg c "$long" '{todos: [{content: $c, status: "pending", activeForm: $c}]}')"
write native eve "$(todos New/i B/p)"
is '1.7: every text comes back as it was' "$long$long" "$(jq -r '.oldTodos[0] | .content + .activeForm' <<<"$out")"
"$cli" --list "$list" undo >/dev/null
is '1.8: undo takes back the call as a whole' "$(head -n 1 <<<"$long")" "$(items "$list" | sed 's,/p,,' | head -n 1)"
write native eve "$(jq -nc '{todos: [range(120) | {content: "Step \(.)", status: (if . == 3 then "in_progress" else "pending" end), activeForm: "f"}]}')"
write native eve '{"todos":[]}'
is '1.8: a long list too is one change' '0 120 Step 0 Step 3 in_progress Step 119' \
    "$rc $(jq -r '.oldTodos | "\(length) \(.[0].content) \(.[3] | "\(.content) \(.status)") \(.[119].content)"' <<<"$out")"

write native new "$(todos A/c B/p C/c D/i E/c F/p)"
is '1.7: new completed items can come before other new ones' '0 A/c B/p C/c D/i E/c F/p' "$rc $(items "$(own new)")"
write native new "$(todos G/c A/c H/p C/c)"
is '1.7: new completed items can be added to a list that has completed items' '0 A/c C/c G/c H/p' "$rc $(items "$(own new)")"
write native last "$(todos A/i)"
last=$(own last)
write native last "$(todos A/c)"
for then in A/c A/i ''; do
	tasks --list "$last" undo
	is "1.9: undo takes back the removal, the completion, the creation: '$then'" "0 $then" "$rc $(items "$last")"
done

## Refusals
write native eve "$(todos A/i B/p)"
forms='{"todos": [{"content": '
for row in '{}|neither' '{"status":"pending"}|neither' '{"todos":[],"description":"x"}|both' '{"todos":[],"id":"1"}|both'; do
	refused "1.7: ${row%|*}: the input has one form" 64 "$forms" native eve "${row%|*}"
	has "1.7: ${row%|*}: and the answer says what is wrong" "${row#*|}" "$out"
done
item='{"content":"x","status":"pending","activeForm":"y"}'
while IFS='|' read -r words filter; do
	refused "1.7: an entry without sense: $filter" 64 "$words" native eve "$(jq -c "$filter" <<<"{\"todos\":[$item,$item]}")"
done <<'END'
'content' of entry 2 of 'todos' must not be empty|.todos[1].content = ""
'activeForm' of entry 1 of 'todos' must not be empty|.todos[0].activeForm = ""
'status' of entry 2 of 'todos' must be one of pending, in_progress, completed|.todos[1].status = "blocked"
entry 2 of 'todos' needs 'activeForm'|del(.todos[1].activeForm)
entry 1 of 'todos' has no member 'id'|.todos[0].id = "1"
entry 2 of 'todos' must be an object, not a string|.todos[1] = "x"
'content' of entry 2 of 'todos' must be a string, not a number|.todos[1].content = 1
'todos' must be an array, not an object|.todos = {}
at most 200 are possible|.todos = [range(201) | {content: "x", status: "pending", activeForm: "y"}]
END
refused '1.7: content that has only spaces is refused' 21 'item 2: content cannot be empty' native eve "$(jq -c '.todos[1].content = "  "' <<<"{\"todos\":[$item,$item]}")"
refused '1.7: a first call with both forms is refused' 64 "$forms" native nobody '{"todos":[],"id":"1"}'
is '1.7: a refused first call does not create the list' '' "$(own nobody)"

## The client was started again: what it had claimed is claimed anew
write native eve "$(todos A/i B/i C/i D/p)"
bash -c ':' &
gone=$!
wait $gone
claims=$CLAUDE_CONFIG_DIR/task-hooks/$list/claims.json
jq --argjson pid $gone '.claims[] += {pid: $pid, pid_start: 1}' "$claims" >"$T/claims" && cp "$T/claims" "$claims"
write native eve "$(todos A/c B/i C/i D/i)"
is '1.7: items that a client that is gone had claimed can be continued' '0 A/c B/i C/i D/i|3' "$rc $(items "$list")|$(jq '[.claims[] | select(.pid != '$gone')] | length' "$claims")"

## An own list that somebody made a tasks.json
tasks new --form document --list "${list%eve}doc"
write native doc "$(todos B/p A/i | jq -c '.todos[0].content = "B\nand more"')"
write native doc "$(todos A/i Z/p)"
is '1.8: an own list can be a tasks.json' '0 B
and more/p A/i Doing A|A/i Z/p' "$rc $(old) $(jq -r '.oldTodos[1].activeForm' <<<"$out")|$(items "${list%eve}doc")"

## A gate of the call makes another one: what is replaced is what is there then
write native eve "$(todos A/i B/p)"
todos A/i B/p Between/p >"$T/between"
cat >"$CLAUDE_CONFIG_DIR/task-hooks.json" <<END
{"durability":"off","gates":[{"name":"again","run":["sh","-c",
 "[ -e $T/ran ] || { >$T/ran; CLAUDE_TASKS_AGENT=eve CLAUDE_CONFIG_DIR=$CLAUDE_CONFIG_DIR $cli --dir $PWD/native call TodoWrite <$T/between; }"]}]}
END
write native eve "$(todos A/c B/i C/p)"
is '1.8: a call that another one came before replaces that one' '0 A/i B/p Between/p|A/c B/i C/p' "$rc $(old)|$(items "$list")"

## A gate of the call makes the task that the call would make
other=native/other.json
cat >"$CLAUDE_CONFIG_DIR/task-hooks.json" <<END
{"durability":"off","gates":[{"name":"other","run":["sh","-c",
 "echo '{\\"id\\":\\"other\\",\\"subject\\":\\"S\\",\\"description\\":\\"\\",\\"status\\":\\"pending\\",\\"blocks\\":[],\\"blockedBy\\":[]}' >$PWD/$other"]}]}
END
write native ann '{"id":"other","description":"Never made","status":"completed"}'
has '0.32: a task that another program made meanwhile is not replaced' 'already a task #other' "$out"
rm -f $other
tasks --dir native restore --all
is '0.32: restore does not make the task of a refused call' no "$([ -e $other ] && echo yes || echo no)"

## Gates
cat >"$CLAUDE_CONFIG_DIR/task-hooks.json" <<END
{"durability":"off","todo":{"one_in_progress":true},
 "gates":[{"name":"never","run":["sh","-c","echo \$CLAUDE_TASK_SUBJECT >>$T/judged; exit 1"],"pass":["CLAUDE_TASK_SUBJECT"],"when":{"subject":"Bad*"}}]}
END
write native eve "$(todos A/i Bad/p C/p)"
refused '1.7: a gate refuses the whole call' 20 never native eve "$(todos A/c Bad/c New/i)"
refused '1.7: a gate refuses a call that would empty the list' 20 never native eve "$(todos A/c Bad/c C/c)"
refused '1.7: a gate refuses a new completed item' 20 never native eve "$(todos A/i 'Bad new/c')"
rm -f "$T/judged"
jq '.status = "completed"' "$(file Bad)" >"$T/task" && cp "$T/task" "$(file Bad)"
write native eve "$(todos Bad/c A/c C/p)"
is '1.7: no gate runs for an item that was completed before' '0 no' "$rc $([ -e "$T/judged" ] && echo yes || echo no)"
write native eve "$(todos Bad/c A/c C/c)"
is '1.9: no gate runs for completed items when the list is emptied' '0 no ' "$rc $([ -e "$T/judged" ] && echo yes || echo no) $(items "$list")"
refused '1.7: a second item in progress is refused if the settings say so' 21 'this project allows one' native eve "$(todos A/i B/i)"
write native eve "$(todos A/p B/p)"
tasks --list "$list" depend "$(basename "$(file A)" .json)" --on "$(basename "$(file B)" .json)"
refused '1.7: an item that waits for another cannot start' 13 'blocked by' native eve "$(todos A/i B/p)"
refused '1.7: an item that waits for another cannot be completed' 13 'blocked by' native eve "$(todos A/c B/p)"
echo '{"durability":"off"}' >"$CLAUDE_CONFIG_DIR/task-hooks.json"
