#include "sys/signal-pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "os/os.h"

static int ends[2] = { -1, -1 };
static volatile sig_atomic_t came[NSIG];

/* The byte wakes the reader; a full pipe does that too. */
static void
signal_arrived(int sig)
{
	int saved = errno;

	came[sig] = 1;
	(void)!write(ends[1], "", 1);
	errno = saved;
}

int
signal_pipe_open(const int *signals, size_t count)
{
	struct sigaction action = { .sa_handler = signal_arrived, .sa_flags = SA_RESTART };
	sigset_t set;

	if (os_pipe(ends) == -1)
		return -1;
	for (int i = 0; i < 2; i++)
		if (fcntl(ends[i], F_SETFL, O_NONBLOCK) == -1)
			return -1;
	sigfillset(&action.sa_mask);
	sigemptyset(&set);
	for (size_t i = 0; i < count; i++) {
		sigaction(signals[i], &action, NULL);
		sigaddset(&set, signals[i]);
	}
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	return ends[0];
}

int
signal_pipe_next(int fd)
{
	char bytes[64];
	ssize_t n;

	/* First the bytes: one that comes now wakes the reader again. */
	while ((n = read(fd, bytes, sizeof(bytes))) > 0 || (n == -1 && errno == EINTR))
		;
	for (int sig = 1; sig < NSIG; sig++)
		if (came[sig]) {
			came[sig] = 0;
			return sig;
		}
	return 0;
}
