# fish completion for claude-tasks: `claude-tasks words` prints the candidates.

function __claude_tasks_words
	set -l words (commandline -opc)
	set -l program $words[1]
	set -e words[1]
	$program words -- $words (commandline -ct) 2>/dev/null
end

function __claude_tasks_files
	contains -- :files (__claude_tasks_words)
end

complete -c claude-tasks -f
complete -c claude-tasks -n 'not __claude_tasks_files' -k -a '(__claude_tasks_words)'
complete -c claude-tasks -n __claude_tasks_files -F
