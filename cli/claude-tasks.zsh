#compdef claude-tasks
#
# zsh completion for claude-tasks: `claude-tasks words` prints the candidates.

_claude_tasks() {
	local line
	local -a candidates
	for line in "${(@f)$("${words[1]}" words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
		[[ -z $line ]] && continue
		if [[ $line == :files ]]; then
			_files
			return
		fi
		candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
	done
	_describe -V 'claude-tasks' candidates
}

if [ "${funcstack[1]}" = _claude_tasks ]; then
	_claude_tasks "$@"
else
	compdef _claude_tasks claude-tasks
fi
