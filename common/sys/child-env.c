/*
 * The environment of a command.
 *
 * Hooks inherit the client's environment.  Left out is what changes the
 * meaning of a command without being seen in it (as sudo does), what
 * would point git at another repository, and the client's secrets.
 * A gate also gets nothing of the client's session: its verdict must not depend on it.
 * A gate that needs one of them says so ("pass"), or sets it ("env").
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "os/os.h"
#include "sys/child.h"

/* A trailing '*' matches any rest. */
typedef char env_name[28];

static const env_name scrubbed[] = {
	"LD_*", "DYLD_*", "MALLOC_*", "GLIBC_TUNABLES", "GCONV_PATH", "LOCPATH", "NLSPATH",
	"HOSTALIASES", "RES_OPTIONS", "TZDIR", /* the loader and the C library */
	"BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "BASH_FUNC_*", "PS4", "IFS", "CDPATH",
	"GLOBIGNORE", "POSIXLY_CORRECT", "FPATH", "ZDOTDIR", "NULLCMD", "READNULLCMD", /* shells */
	"PERLLIB", "PERL5*", "PERLIO_DEBUG", "PYTHON*", "RUBYLIB", "RUBYOPT", "NODE_OPTIONS",
	"NODE_PATH", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH",
	"AWKPATH", "AWKLIBPATH", /* interpreters */
	"MAKEFLAGS", "MFLAGS", "MAKEFILES", "MAKEOVERRIDES", "GNUMAKEFLAGS", "MAKELEVEL", /* make */
	"GIT_*", /* another repository, index or configuration */
	"ANTHROPIC_*", "CLAUDE_CODE_MESSAGING_*", "CLAUDE_CODE_OAUTH_*", /* secrets */
};

static const env_name harmless[] = { "GIT_AUTHOR_*", "GIT_COMMITTER_*", "GIT_EDITOR", "GIT_PAGER",
	"GIT_TERMINAL_PROMPT", "GIT_SSH_COMMAND", "GIT_SSL_*", "GIT_CEILING_DIRECTORIES" };

static bool
listed(const env_name *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		size_t len = strlen(list[i]);

		if (list[i][len - 1] == '*' ? strncmp(list[i], name, len - 1) == 0
					    : strcmp(list[i], name) == 0)
			return true;
	}
	return false;
}

/* What describes the client's session, and changes with the terminal or the event. */
static const env_name session[] = { "CLAUDE*", "TRACEPARENT", "TRACESTATE", "SSH_*", "GPG_TTY",
	"TERM", "TERM_*", "TERMCAP", "TERMINAL_*", "COLORTERM", "COLORFGBG", "COLUMNS", "LINES",
	"WINDOWID", "LC_TERMINAL*", "TMUX*", "STY", "WINDOW", "ZELLIJ*", "ITERM_*", "KITTY_*",
	"WEZTERM_*", "ALACRITTY_*", "GHOSTTY_*", "KONSOLE_*", "VTE_VERSION", "GNOME_TERMINAL_*",
	"VSCODE_*", "WT_*", "XDG_SESSION_*", "XDG_VTNR", "XDG_SEAT*", "INVOCATION_ID",
	"JOURNAL_STREAM", "SYSTEMD_EXEC_PID", "SHLVL", "PWD", "OLDPWD", "_" };

bool
child_env_scrubbed(const char *name)
{
	return listed(scrubbed, sizeof(scrubbed) / sizeof(scrubbed[0]), name) &&
	       !listed(harmless, sizeof(harmless) / sizeof(harmless[0]), name);
}

static bool
left_out(const char *name, bool sessionless)
{
	return child_env_scrubbed(name) ||
	       (sessionless && listed(session, sizeof(session) / sizeof(session[0]), name));
}

/* Is NAME=... in the list? */
static bool
is_set(const struct strings *list, const char *name, size_t len)
{
	for (size_t i = 0; list != NULL && i < list->count; i++)
		if (strncmp(list->item[i], name, len) == 0 && list->item[i][len] == '=')
			return true;
	return false;
}

void
child_env(
    struct strings *out, const struct strings *env, const struct strings *pass, bool sessionless)
{
	for (char **e = os_environment(); e != NULL && *e != NULL; e++) {
		size_t len = strcspn(*e, "=");
		char *name = mem_copy(*e, len);

		if ((*e)[len] == '=' && !is_set(env, name, len) &&
		    (!left_out(name, sessionless) || (pass != NULL && strings_has(pass, name))))
			strings_add(out, *e);
		free(name);
	}
	strings_add_all(out, env);
}
