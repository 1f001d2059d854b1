# texts.sh: what a change of a subject or description leaves, on every layout; undo gives it back.
#
# shellcheck shell=bash disable=SC2034,SC2154

dir=$PWD/lists
list="--dir $dir"
esc=$'\e'

# on LAYOUT: a new, empty list of this layout
on() {
	layout=$1
	rm -rf "$dir" "$CLAUDE_CONFIG_DIR/task-hooks"
	list="--dir $dir"
	case $layout in
	native) mkdir -p "$dir" ;;
	document) document "$dir" ;;
	folder) mkdir -p "$dir/.tasks" && list="--dir $dir/.tasks" ;;
	esac
}

# t ARGUMENT...: claude-tasks on that list
t() {
	# shellcheck disable=SC2086
	tasks $list "$@"
}

# call TOOL INPUT: a tool on that list
call() {
	# shellcheck disable=SC2086
	out=$("$cli" $list call "$1" <<<"$2" 2>"$T/err")
	rc=$?
}

# make ARGUMENT...: a new task; its id is in $id
make() {
	t create "$@" --json
	id=$(jq -r .id <<<"$out")
}

# all: every task, as JSON, without the times of its last change and what is empty
all() {
	find "$dir" -name '*.json' | sort | xargs cat |
	    jq -cS '(.tasks // [.])[] | del(.updated_at) | if .metadata == {} then del(.metadata) else . end | if .activeForm == "" then del(.activeForm) else . end'
}

# bytes: every byte of the tasks
bytes() { find "$dir" -name '*.json' | sort | xargs cat; }

# member ID JQ: of a task as it is stored
member() {
	# shellcheck disable=SC2086
	"$cli" $list get "$1" --json | jq -r ".task | $2"
}

block='<macf_task_metadata version=\"1.0\">\ntask_type: BUG\n</macf_task_metadata>'
text=$'T\n\nB\nC'

## undo of a change of each field
for layout in native document folder; do
	on $layout
	make Second && second=$id
	if [ $layout = document ]; then
		call TodoWrite '{"id":"a","description":"T\n\nB\nC"}'
		id=a
	else
		make T -d "$text"
	fi
	before=$(all)
	while read -r only command; do
		[[ $only = all || $only = *$layout* ]] || continue
		eval "$command"
		is "0.53: $layout: $command" 0 $rc
		deny "0.53: $layout: $command changes the task" test "$before" = "$(all)"
		t undo
		is "0.53: $layout: undo of: $command" "0 $before" "$rc $(all)"
	done <<-'END'
		all t update $id -d D
		all t update $id -d $'D\n\nE'
		all t update $id --subject S
		all t update $id --subject S -d $'D\n\nE'
		all t update $id --status blocked
		all t update $id --owner eve
		all t update $id --blocked-by $second
		all t update $id --subject S --owner eve --status in_progress
		native,document t update $id --active-form F
		native,document t update $id --set priority=high
		native,document t update $id --parent $second
		all t update $id -d "$(printf "D\n\n$block")"
		all call TaskUpdate "{\"taskId\":\"$id\",\"subject\":\"S\"}"
		all call TaskUpdate "{\"taskId\":\"$id\",\"description\":\"D\\n\\n$block\"}"
		all call TaskUpdate "{\"taskId\":\"$id\",\"subject\":\"S\",\"description\":\"D\"}"
		all call TodoWrite "{\"id\":\"$id\",\"description\":\"D\\nE\\nF\"}"
	END
	t update "$id" -d D
	t update "$id" --subject S
	t update "$id" -d $'E\nF'
	t undo
	t undo
	t undo
	is "0.53: $layout: three changes are undone one after another" "0 $before" "$rc $(all)"
done

## what a tool has read can be written back
for layout in native document folder; do
	for row in 'T -d B' 'T -d T' $'T -d T\nB' 'T' $'\e[2m#1\e[0m\ T -d B' '--kind mission M' '--kind mission M -d B'; do
		on $layout
		eval "make ${row//$'\n'/$'\'\\n\''}"
		before=$(bytes)
		call TaskGet "{\"taskId\":\"$id\"}"
		call TaskUpdate "$(jq -c '.task | {taskId: .id, subject, description}' <<<"$out")"
		is "0.53: $layout: ${row@Q}: TaskUpdate with the texts of TaskGet changes nothing" "0 [] $before" "$rc $(jq -c .updatedFields <<<"$out") $(bytes)"
	done
done
on document
call TodoWrite '{"id":"a","description":"T\n\nB"}'
before=$(bytes)
call TaskGet '{"taskId":"a"}'
call TaskUpdate "$(jq -c '.task | {taskId: .id, subject, description}' <<<"$out")"
is '0.53: TaskUpdate with the texts of TaskGet does not repeat the first line of a tasks.json task' "$before" "$(bytes)"
for row in 'S|T\n\nB|S\n\nB' 'T|T\n\nD|T\n\nD' 'S|S\n\nD|S\n\nD' 'S|D|S\n\nD' 'S|T|S'; do
	IFS='|' read -r subject description want <<<"$row"
	call TodoWrite '{"id":"a","description":"T\n\nB"}'
	call TaskUpdate "{\"taskId\":\"a\",\"subject\":\"$subject\",\"description\":\"$description\"}"
	is "0.53: TaskUpdate with subject $subject, description $description" "$(printf "$want")" "$(member a .description)"
done
