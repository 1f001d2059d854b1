/*
 * A lock that is left behind delays the client by ten seconds, and a terminal stays in raw mode.
 * The handler restores both with async-signal-safe calls, then lets the signal take its default
 * effect.
 */
#include <signal.h>
#include <stddef.h>

#include "cli.h"
#include "sys/lock.h"

static void (*before_exit)(void);

void
cli_on_signal(void (*fn)(void))
{
	before_exit = fn;
}

static void
on_signal(int sig)
{
	if (before_exit != NULL)
		before_exit();
	lock_release_all();
	signal(sig, SIG_DFL);
	raise(sig);
}

void
cli_signals(void)
{
	static const int caught[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct sigaction old;

	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		/* A signal that nohup or a background shell ignores stays ignored. */
		if (sigaction(caught[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(caught[i], &sa, NULL);
}
