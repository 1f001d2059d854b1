# bash completion for claude-tasks
#
# claude-tasks itself knows what could stand at the cursor; see words.c.  Where there is a
# choice, each candidate is shown with what it is: an id with its subject.

_claude_tasks() {
	local current=${COMP_WORDS[COMP_CWORD]} line word
	local -a candidates=() shown=()
	[ "$current" = '=' ] && current=
	COMPREPLY=()
	while IFS= read -r line; do
		if [ "$line" = :files ]; then
			compopt -o filenames 2>/dev/null
			mapfile -t COMPREPLY < <(compgen -f -- "$current")
			return
		fi
		word=${line%%$'\t'*}
		[[ $word == "$current"* ]] || continue
		candidates+=("$word")
		if [ "${line#*$'\t'}" ]; then
			shown+=("$word  (${line#*$'\t'})")
		else
			shown+=("$word")
		fi
	done < <("${COMP_WORDS[0]}" words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
	if [ ${#candidates[@]} -le 1 ]; then
		COMPREPLY=("${candidates[@]}")
	else
		COMPREPLY=("${shown[@]}")
		compopt -o nosort 2>/dev/null
	fi
}
complete -F _claude_tasks claude-tasks
