/*
 * macOS: sysctl(3), libproc, fcntl(2), renameatx_np(2).  os-portable.c has the rest.
 *
 * A sandbox may forbid to read other processes (EPERM); they are then not shown.
 */
#include "os/os.h"

#include <sys/mount.h>
#include <sys/proc.h>
#include <sys/stat.h>
#include <sys/sysctl.h>
#include <sys/time.h>

#include <errno.h>
#include <fcntl.h>
#include <libproc.h>
#include <mach-o/dyld.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uuid/uuid.h>

#define PROCESSES_ROOM (256u << 10) /* bytes; about 400 processes */
#define PROCESSES_TRIES 8           /* each with twice the room */
#define CLOCK_SET_US 60000000       /* how far the clock may have been set back during a command */

/* --- Processes --- */

/* Of any user, and one that nobody has waited for yet; the kernel says nothing of a pid that is
 * not there. */
static int
process_find(pid_t pid, struct kinfo_proc *k)
{
	int name[] = { CTL_KERN, KERN_PROC, KERN_PROC_PID, pid };
	size_t len = sizeof(*k);

	if (sysctl(name, 4, k, &len, NULL, 0) == -1)
		return errno == ESRCH ? 0 : -1;
	return len == sizeof(*k) && k->kp_proc.p_pid == pid;
}

/* Microseconds since 1970, taken at the fork; setting the clock later does not change it. */
static uint64_t
process_start(const struct kinfo_proc *k)
{
	const struct timeval *t = &k->kp_proc.p_starttime;

	return (uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_usec;
}

int
os_process_read(pid_t pid, struct os_process *p)
{
	struct kinfo_proc k;
	int found = process_find(pid, &k);

	if (found != 1)
		return found;
	/* Of a program started through a symbolic link it is the name of the target. */
	snprintf(p->name, sizeof(p->name), "%.*s", MAXCOMLEN, k.kp_proc.p_comm);
	p->ended = k.kp_proc.p_stat == SZOMB;
	p->parent = k.kp_eproc.e_ppid;
	p->start = process_start(&k);
	return 1;
}

bool
os_process_same(uint64_t start, uint64_t other)
{
	return start == other;
}

/*
 * Strings from its stack: argc, the path of the program, NULs up to a multiple of a pointer's size,
 * the arguments, the environment, and some of the kernel's own, in the same form.  A process can
 * write over all of them but argc.  Of Apple's own programs, and others that are signed as
 * restricted, the kernel leaves out what comes after the arguments.
 *
 * The buffer has the largest size that the kernel accepts: into one that is too small it puts the
 * last strings, not the first.  args, env: where these begin in text.
 */
static bool
process_strings(pid_t pid, struct buf *text, size_t *args, size_t *env)
{
	int name[] = { CTL_KERN, KERN_PROCARGS2, pid }, argc;
	const size_t room = sizeof(argc) + ARG_MAX;
	size_t len = room, at;

	buf_reset(text);
	buf_need(text, room);
	if (sysctl(name, 3, text->data, &len, NULL, 0) == -1 || len <= sizeof(argc) || len > room)
		return false;
	text->len = len;
	text->data[len] = '\0';
	memcpy(&argc, text->data, sizeof(argc));
	at = sizeof(argc) + strlen(text->data + sizeof(argc));
	while (at < len && text->data[at] == '\0')
		at++;
	*args = at;
	for (; argc > 0 && at < len; argc--)
		at += strlen(text->data + at) + 1;
	*env = at < len ? at : len;
	return true;
}

bool
os_process_words(pid_t pid, struct buf *words)
{
	size_t args, env;

	if (!process_strings(pid, words, &args, &env) || args == env) {
		buf_reset(words);
		return false;
	}
	words->len = env - args;
	memmove(words->data, words->data + args, words->len);
	words->data[words->len] = '\0';
	if (words->data[words->len - 1] != '\0')
		buf_putc(words, '\0');
	return true;
}

int
os_process_has_env(pid_t pid, const char *assignment)
{
	struct buf text = { 0 };
	size_t args, env = 0;
	int has = -1;

	if (process_strings(pid, &text, &args, &env) && env < text.len)
		has = 0;
	for (size_t at = env; has == 0 && at < text.len; at += strlen(text.data + at) + 1)
		has = strcmp(text.data + at, assignment) == 0;
	buf_free(&text);
	return has;
}

/* Of any user's process. */
bool
os_process_program(pid_t pid, char path[PATH_MAX])
{
	return proc_pidpath(pid, path, PATH_MAX) > 0;
}

/* Of this user's processes only. */
bool
os_process_cwd(pid_t pid, char path[PATH_MAX])
{
	struct proc_vnodepathinfo info;
	int n = proc_pidinfo(pid, PROC_PIDVNODEPATHINFO, 0, &info, sizeof(info));

	if (n != (int)sizeof(info) || info.pvi_cdir.vip_path[0] == '\0')
		return false;
	return strlcpy(path, info.pvi_cdir.vip_path, PATH_MAX) < PATH_MAX;
}

bool
os_processes_shown(int *error)
{
	struct kinfo_proc k;
	int found = process_find(getppid(), &k);

	*error = found == -1 ? errno : 0;
	return found == 1;
}

bool
os_self(char path[PATH_MAX])
{
	char said[PATH_MAX];
	uint32_t room = sizeof(said);

	if (_NSGetExecutablePath(said, &room) == 0)
		return realpath(said, path) != NULL;
	errno = ENAMETOOLONG;
	return false;
}

/* The kernel changes it with the clock. */
int64_t
os_boot_s(void)
{
	int name[] = { CTL_KERN, KERN_BOOTTIME };
	struct timeval t = { 0 };
	size_t len = sizeof(t);

	return sysctl(name, 2, &t, &len, NULL, 0) == 0 ? t.tv_sec : 0;
}

/* Its host name follows the network that it is in. */
void
os_machine_name(char *name, size_t size)
{
	const struct timespec wait = { 1, 0 };
	uuid_string_t text = "";
	uuid_t uuid;

	if (gethostuuid(uuid, &wait) == 0)
		uuid_unparse_lower(uuid, text);
	strlcpy(name, text, size);
}

void
os_boot_name(char *name, size_t size)
{
	size_t len = size;

	if (sysctlbyname("kern.bootsessionuuid", name, &len, NULL, 0) == -1)
		len = 0;
	name[len < size ? len : size - 1] = '\0';
}

/* --- Children --- */

static struct kinfo_proc *
process_list(size_t *count)
{
	int name[] = { CTL_KERN, KERN_PROC, KERN_PROC_ALL };
	struct kinfo_proc *list = NULL, *more;
	size_t room = PROCESSES_ROOM, len;

	for (int n = 0; n < PROCESSES_TRIES; n++, room *= 2) {
		if ((more = realloc(list, room)) == NULL)
			break;
		list = more;
		len = room;
		if (sysctl(name, 3, list, &len, NULL, 0) == 0) {
			*count = len / sizeof(*list);
			return list;
		}
		if (errno != ENOMEM)
			break;
	}
	free(list);
	return NULL;
}

struct processes {
	struct kinfo_proc *item;
	struct known {
		pid_t session;
		bool ours;
	} * known; /* of each */
	size_t count;
	uint64_t since; /* when this process was started; 0 unknown */
};

static bool
processes_read(struct processes *all)
{
	struct os_process self;

	*all = (struct processes){ 0 };
	all->item = process_list(&all->count);
	all->known = calloc(all->count + 1, sizeof(*all->known));
	if (all->item == NULL || all->known == NULL)
		return false;
	all->since = os_process_read(getpid(), &self) == 1 ? self.start : 0;
	for (size_t i = 0; i < all->count; i++)
		all->known[i].session = getsid(all->item[i].kp_proc.p_pid);
	return true;
}

/*
 * A child, a member of the leader's group or session, or one with the mark.  To read all
 * environments takes long; one that is older than this process cannot have the mark.
 */
static bool
is_found(const struct processes *all, size_t i, pid_t leader, const char *mark)
{
	const struct kinfo_proc *k = &all->item[i];

	if (leader != -1 && k->kp_eproc.e_ppid == getpid())
		return true;
	if (leader > 0 && (k->kp_eproc.e_pgid == leader || all->known[i].session == leader))
		return true;
	return mark != NULL && k->kp_eproc.e_ucred.cr_uid == geteuid() &&
	       process_start(k) + CLOCK_SET_US >= all->since &&
	       os_process_has_env(k->kp_proc.p_pid, mark) == 1;
}

/* Was the session made after this process?  Then all its members come from one of ours: with one
 * marked process the shell is found whose environment is hidden. */
static bool
session_is_young(const struct processes *all, pid_t session)
{
	if (session <= 1 || session == getsid(0) || all->since == 0)
		return false;
	for (size_t i = 0; i < all->count; i++)
		if (all->item[i].kp_proc.p_pid == session)
			return process_start(&all->item[i]) >= all->since;
	return true; /* its leader has ended */
}

/* Those below a process of ours, and those of its session. */
static bool
find_more(struct processes *all, size_t of)
{
	pid_t pid = all->item[of].kp_proc.p_pid, session = all->known[of].session;
	bool young = session_is_young(all, session), more = false;

	for (size_t i = 0; i < all->count; i++) {
		const struct kinfo_proc *k = &all->item[i];

		if (all->known[i].ours || k->kp_proc.p_pid <= 1 || k->kp_proc.p_pid == getpid() ||
		    (k->kp_eproc.e_ppid != pid && !(young && all->known[i].session == session)))
			continue;
		all->known[i].ours = more = true;
	}
	return more;
}

static void
find_ours(struct processes *all, pid_t leader, const char *mark)
{
	bool more = true;

	for (size_t i = 0; i < all->count; i++) {
		const struct extern_proc *p = &all->item[i].kp_proc;

		all->known[i].ours = p->p_pid > 1 && p->p_pid != getpid() && p->p_stat != SZOMB &&
				     is_found(all, i, leader, mark);
	}
	while (more) {
		more = false;
		for (size_t i = 0; i < all->count; i++)
			more = (all->known[i].ours && find_more(all, i)) || more;
	}
}

/*
 * A pid may have been given to another process since it was listed, unless it is a child's.  So the
 * start is compared once more.  What remains is the time between that and kill(), in which the
 * process would have to end, be waited for, and all other pids be used up.
 */
unsigned
os_kill_children(pid_t leader, const char *mark, int sig)
{
	struct processes all;
	struct kinfo_proc now;
	bool any = processes_read(&all);
	unsigned killed = 0;

	if (any)
		find_ours(&all, leader, mark);
	for (size_t i = 0; any && i < all.count; i++) {
		pid_t pid = all.item[i].kp_proc.p_pid;

		if (!all.known[i].ours || process_find(pid, &now) != 1 ||
		    now.kp_proc.p_stat == SZOMB ||
		    process_start(&now) != process_start(&all.item[i]))
			continue;
		kill(pid, sig);
		killed += pid != leader;
	}
	free(all.known);
	free(all.item);
	return killed;
}

/* --- Descriptors --- */

/* fsync() does not empty the disk's own cache; not every file system can do what does. */
int
os_flush(int fd)
{
	if (fcntl(fd, F_FULLFSYNC) != -1)
		return 0;
	if (errno == EIO || errno == ENOSPC || errno == EDQUOT || errno == EINTR)
		return -1;
	return fsync(fd);
}

/* It is given back when the file is closed, as far as nothing was written there. */
int
os_reserve(int fd, off_t len)
{
	fstore_t more = { .fst_flags = F_ALLOCATEALL, .fst_posmode = F_PEOFPOSMODE };
	struct stat st;

	if (fstat(fd, &st) == -1)
		return -1;
	/* It is counted from the end of what the file has, which may be after its length. */
	more.fst_length = len - (st.st_blocks * 512 > st.st_size ? st.st_blocks * 512 : st.st_size);
	return more.fst_length <= 0 ? 0 : fcntl(fd, F_PREALLOCATE, &more);
}

/* --- Files --- */

/* Of a file with several links it may be any of them. */
size_t
os_fd_path(int fd, char path[PATH_MAX])
{
	return fcntl(fd, F_GETPATH, path) != -1 ? strnlen(path, PATH_MAX - 1) : 0;
}

/* O_EVTONLY: without keeping its file system from being unmounted.  A socket cannot be opened. */
int
os_pin(int dirfd, const char *name)
{
	return openat(dirfd, name, O_EVTONLY | O_SYMLINK | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

int
os_open_dir(const char *path)
{
#ifdef O_SEARCH
	return open(path, O_SEARCH | O_DIRECTORY | O_CLOEXEC);
#else
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
#endif
}

int
os_open_target(int dirfd, const char *name, char path[PATH_MAX])
{
	int fd = openat(dirfd, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), saved;

	if (fd == -1 || os_fd_path(fd, path) > 0)
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

int
os_exchange(int dirfd, const char *a, const char *b)
{
	int rc = renameatx_np(dirfd, a, dirfd, b, RENAME_SWAP);

	if (rc == -1 && errno == ENOTSUP)
		errno = ENOSYS;
	return rc;
}

/* Those whose flock() and modes the kernel itself keeps.  What runs in user space (macFUSE, FSKit)
 * can call itself local; msdos and exfat have no modes, so no mark on a lock directory. */
bool
os_fs_local(int fd, dev_t dev)
{
	static const char *const types[] = { "apfs", "hfs", "zfs" };
	struct statfs fs;

	(void)dev;
	if (fstatfs(fd, &fs) == -1 || (fs.f_flags & MNT_LOCAL) == 0)
		return false;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strncmp(fs.f_fstypename, types[i], sizeof(fs.f_fstypename)) == 0)
			return true;
	return false;
}

static int64_t
time_ms(const struct timespec *t)
{
	return (int64_t)t->tv_sec * 1000 + t->tv_nsec / 1000000;
}

void
os_file_times(int dirfd, const char *name, int64_t *written, int64_t *made)
{
	struct stat st;

	*written = *made = 0;
	if (fstatat(dirfd, name, &st, 0) == -1)
		return;
	*written = *made = time_ms(&st.st_mtimespec);
	/* 0 and -1: the file system does not keep it. */
	if (st.st_birthtimespec.tv_sec > 0)
		*made = time_ms(&st.st_birthtimespec);
}
