#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>

#include "agent/agent.h"
#include "agent/claim.h"
#include "base/buf.h"
#include "base/error.h"
#include "config/config.h"
#include "gate/verify.h"
#include "list/list.h"
#include "list/store.h"
#include "task/task.h"
#include "json/out.h"

/*
 * What every command of claude-tasks uses: its arguments, its list, its output.
 *
 * main() finds the command in the table, parses its flags, and calls it with
 * a struct cli.  A command writes its output to cli->out (sent to
 * standard output when it returns, or by cli_flush()), and returns its exit
 * status: EXIT_DONE, or what one of the cli_fail functions returned.
 *
 *	int
 *	get_main(struct cli *c)
 *	{
 *		if (cli_open(c, false) == -1)
 *			return c->status;
 *		...
 *	}
 */

/* Exit statuses; claude-tasks(1) has the table. Never 2: that is a hook's refusal. */
enum {
	EXIT_DONE = 0,
	EXIT_FAULT = 1,      /* a system call or a file failed */
	EXIT_UNKNOWN = 10,   /* task_not_found; also for a list, a file, a line to undo */
	EXIT_TAKEN = 11,     /* already_claimed */
	EXIT_RESOLVED = 12,  /* already_resolved */
	EXIT_BLOCKED = 13,   /* blocked */
	EXIT_AGENT = 14,     /* agent_busy */
	EXIT_LOCKED = 15,    /* a lock could not be acquired in time: try again */
	EXIT_PARTLY = 16,    /* of many tasks some are written, the others not */
	EXIT_GATE = 20,      /* a gate or a built-in check refused the completion */
	EXIT_RULE = 21,      /* a rule refused: a cycle, an unsafe undo, a command for a person */
	EXIT_UNTRUSTED = 22, /* the gate file is not trusted */
	EXIT_FINDINGS = 30,  /* doctor, status, log --verify: problems were found */
	EXIT_MISUSE = 64,    /* the command line is wrong */
};

struct flag {
	const char *name;  /* "status", without dashes */
	char letter;       /* 's', or 0 */
	const char *value; /* what its value is called in the help; NULL: it takes none */
	const char *help;
};

struct command; /* commands.h */

struct flag_value {
	const struct flag *flag;
	const char *value;
};

enum paint {
	PAINT_NONE,
	PAINT_OFF,
	PAINT_BOLD,
	PAINT_DIM,
	PAINT_RED,
	PAINT_GREEN,
	PAINT_YELLOW,
	PAINT_CYAN,
	PAINT_MAGENTA,
	PAINT_ORANGE, /* these three by the bright colours */
	PAINT_BLUE,
	PAINT_PINK
};

struct cli {
	const struct command *command;
	struct flag_value *flags;
	size_t flag_count;
	const char **operand;
	int operands;

	const char *list_name, *list_dir; /* --list, --dir */
	bool list_named;                  /* the user was told of an unusual list */
	bool json;
	bool one_line; /* --version */
	bool terminal; /* standard output is one */
	bool color, ascii;
	int columns;

	struct list list;
	struct store store;
	bool syncs;            /* there are sync commands */
	struct config *config; /* cli_config(); NULL: not read yet */
	struct buf out;
	char *agent_name; /* set by cli_act_as(); NULL: see cli_agent() */
	char *client;     /* an MCP client's name, and the session of its call: cli_call_from() */
	char *session;
	/* Called when a gate of a tool call starts or ends; see verify.h. */
	void (*progress)(
	    void *, enum verify_moment, const struct gate *, const struct gate_result *);
	void *progress_arg;
	struct strings
	    warnings; /* of the tool call that runs: tool_call() adds them to its answer */
	int status;   /* what the last cli_fail function returned */
};

/*
 * The command line: `claude-tasks [flags] [command] [flags] [operands]`.  Flags may be anywhere,
 * `--` ends them, `--flag=value` and `--flag value` are the same, letters may be joined.  The
 * default command is `list`.  For an unknown word the nearest known one is printed.  EXIT_DONE, or
 * EXIT_MISUSE with the message printed; c->command is set in either case.
 */
int cli_args_parse(struct cli *, int argc, char **argv);
void cli_args_free(struct cli *);
/* The flag that a word names ("--name", "-n"), of the command or common; NULL: none. */
const struct flag *cli_args_find(const struct command *, const char *word);
extern const struct flag cli_args_common[]; /* flags of every command; ends with a NULL name */

/* The flags that were passed. */
bool cli_flag(const struct cli *, const char *name);
const char *cli_value(const struct cli *, const char *name); /* the last one, or NULL */
/* All values of a repeated flag, also split at commas. */
void cli_values(const struct cli *, const char *name, struct strings *);
/* A whole number in [min, max], or `otherwise` if it was not passed; -1 after cli_misuse(). */
int64_t cli_number(struct cli *, const char *name, int64_t min, int64_t max, int64_t otherwise);
/* Task ids of all operands, of a word, or all values of a flag, each once: "3", "#3", "3,4"; -1
 * after cli_misuse().  They open the list, if there is one: a word that is the id of one of its
 * tasks is that id. */
int cli_operand_ids(struct cli *, struct strings *);
int cli_word_ids(struct cli *, const char *word, struct strings *);
int cli_value_ids(struct cli *, const char *name, struct strings *);
/* The operand as one task id, NULL after cli_misuse(). */
const char *cli_id(struct cli *, int operand);
/* 0, or -1 after cli_misuse(). */
int cli_task_status(struct cli *, const char *word, enum task_status *);

/* list_find(), with the list that the client's settings name where there is no session. */
int cli_list_find(struct list *, struct list_query, struct error *);
/* Find the list, also if it was found before.  Says so if it is the .tasks of the working directory
 * or if the client's settings name it. */
int cli_list(struct cli *, struct error *);
/* Is there a person at the terminal who was not told this line yet?  `file` of the list's state
 * records what was told. */
bool cli_tell_once(struct cli *, const char *file, const char *line);
/* cli_find() finds the list; cli_open() also opens it, once: 1, 0 if it does not exist yet, -1. */
int cli_find(struct cli *);
int cli_open(struct cli *, bool make);
/* cli_open() of the list of this name, which is borrowed, instead of the open one. */
int cli_open_list(struct cli *, const char *name, bool make);
/* cli_open() for a command on this task: 0; -1 if it failed, or after cli_no_task(): no list. */
int cli_open_for(struct cli *, const char *id);
/* Close it again.  If it was changed, the sync commands of the settings run, detached. */
void cli_close(struct cli *);
void cli_settings(struct cli *); /* of the store that was opened: durability, sync */
/* The settings, read once for a command or a line to the MCP server; NULL: they cannot be read. */
const struct config *cli_config(struct cli *, struct error *);
void cli_forget_config(struct cli *);
/* The gate file that governs here, to be recorded with a claim, which binds the list to it; none
 * (config NULL) if the settings cannot be read. */
void cli_govern(struct cli *, struct governing *);
struct deadline cli_deadline(void); /* until when a command waits for a lock */

/*
 * Who acts.  `session` is that of the MCP request, else the environment's; without one, `client`
 * (of an MCP server) and its process are all that is known, and without a client it is a shell.
 * `name` is --agent, else CLAUDE_TASKS_AGENT, else cli_act_as()'s; without a name and a session
 * the client's, else the user's.
 */
void cli_agent(const struct cli *, struct agent *);
/* What an MCP client says of itself and of the session of a call; NULL, or what cannot be used:
 * nothing. */
void cli_call_from(struct cli *, const char *client, const char *session);
/* The login name, from USER or LOGNAME; NULL: not set. */
const char *cli_login_name(void);
/* The name set by --agent, CLAUDE_TASKS_AGENT or cli_act_as(); NULL: none. */
const char *cli_agent_name(const struct cli *);
/* Use this agent name from now on, unless one was passed; NULL: stop using it. */
void cli_act_as(struct cli *, const char *name);
/*
 * Was the command started by an agent?  CLAUDECODE is set, to any value, or a process above is
 * Claude Code, or not all of them can be seen.  cli_person_only() then fails: "only a person may
 * WHAT: ask the user to run COMMAND in ..."; else it is EXIT_DONE.  The use is recorded, with the
 * person (who, where, from which terminal): in the journal if there is a list, else in a file
 * beside trust.json.
 */
bool cli_by_agent(void);
int cli_person_only(struct cli *, const char *what, const char *command);
/* The script that an interpreter of JavaScript runs; NULL: none, or it is another program.  words:
 * its NUL-terminated command line. */
const char *cli_person_script(const struct buf *words);
struct json_object *cli_person(void);
void cli_person_record(struct cli *, const char *event, const char *why);

/* One line on standard error (with --json also an object on standard output). */
int cli_fail(struct cli *, int status, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same; with --json the object has more members.  Takes it. */
int cli_refuse(struct cli *, int status, const char *text, struct json_object *);
const char *cli_status_name(int status);           /* "already_claimed" */
int cli_status(enum error_kind);                   /* the exit status for a kind */
int cli_error(struct cli *, const struct error *); /* prints it; returns cli_status() */
int cli_misuse(struct cli *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "unknown KIND 'word'; did you mean 'x'?"; the known words if none is near. */
int cli_unknown(
    struct cli *, const char *kind, const char *word, const char *const *known, size_t count);
int cli_unknown_command(struct cli *, const char *word);
/* Says why the task cannot be read, or names the command that lists the tasks. */
int cli_no_task(struct cli *, const char *id);
/* " --list NAME" or " --dir DIR", as it was passed, for a command that is offered; owned. */
char *cli_list_option(const struct cli *);
/* How a message names the list: "list 'NAME'", or the path of a folder or another directory; owned.
 */
char *cli_list_shown(const struct cli *);
/* cli_no_task() if that is the error, else cli_error(). */
int cli_task_error(struct cli *, const char *id, const struct error *);
void cli_note(struct cli *, const char *fmt, ...)
    __attribute__((format(printf, 2, 3))); /* standard error, no failure */

/*
 * Output.  cli_print() and cli_format() are for text from tasks: every %s is made safe by
 * text_show(), on one line, cut at the precision (%.60s) or 1000 characters.  Conversions: %s %d
 * %zu.
 */
void cli_print(struct cli *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void cli_format(struct buf *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void cli_flush(struct cli *);
void cli_json(struct cli *, struct json_object *);      /* takes it; adds the newline */
void cli_json_line(struct cli *, struct json_object *); /* the same on one line, always */
/* Replace the file; "-": standard output.  An exit status. */
int cli_write_file(struct cli *, const char *path, const struct buf *);
const char *cli_paint(const struct cli *, enum paint);
bool cli_confirm(struct cli *, const char *question); /* --yes, or asked on the terminal */

/* On SIGINT, SIGTERM, SIGHUP and SIGQUIT release the locks before the signal ends the process. */
void cli_signals(void);
/* The handler calls this function first; NULL: none. */
void cli_on_signal(void (*)(void));

/* The commands, by file. */
int list_main(struct cli *);
int get_main(struct cli *);
int lists_main(struct cli *);
int tree_main(struct cli *);
int why_main(struct cli *);
int log_main(struct cli *);
int agents_main(struct cli *);
int statusline_main(struct cli *);
int watch_main(struct cli *);
int create_main(struct cli *);
int update_main(struct cli *);
int claim_main(struct cli *);
int complete_main(struct cli *);
int release_main(struct cli *);
int delete_main(struct cli *);
int clear_main(struct cli *);
int depend_main(struct cli *);
int undo_main(struct cli *);
int restore_main(struct cli *);
int call_main(struct cli *);
int mcp_main(struct cli *);
int new_main(struct cli *);
int import_main(struct cli *);
int export_main(struct cli *);
int rehome_main(struct cli *);
int init_main(struct cli *);
int trust_main(struct cli *);
int untrust_main(struct cli *);
int verify_main(struct cli *);
int receipts_main(struct cli *);
int pause_main(struct cli *);
int install_main(struct cli *);
int uninstall_main(struct cli *);
int status_main(struct cli *);
int doctor_main(struct cli *);
int completions_main(struct cli *);
int help_main(struct cli *);
int version_main(struct cli *);

#endif
