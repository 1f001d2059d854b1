#include "sys/signal-pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "os/os.h"

static int ends[2] = { -1, -1 };

/* A full pipe has something to read in it: that is enough to wake the reader. */
static void
signal_arrived(int sig)
{
	unsigned char byte = (unsigned char)sig;
	int saved = errno;

	(void)!write(ends[1], &byte, 1);
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
	unsigned char byte;
	ssize_t n;

	while ((n = read(fd, &byte, 1)) == -1 && errno == EINTR)
		;
	return n == 1 ? byte : 0;
}
