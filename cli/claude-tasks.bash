# bash completion for claude-tasks
#
# `claude-tasks words` prints the candidates for the word at the cursor; see completions.c.  If there
# are several, each is shown with its description: an id with its subject.

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
