//go:build linux

#define _GNU_SOURCE
#include "sandbox.h"
#include "filter.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static sl_sandbox_state state;

sl_sandbox_state sl_sandbox(void) { return state; }

static int sl_threads(void)
{
	int n = 0;
	DIR *d = opendir("/proc/self/task");
	for (struct dirent *e; d && (e = readdir(d));)
		n += e->d_name[0] != '.';
	if (d)
		closedir(d);
	return n;
}

static int sl_limit(int what, unsigned long long value)
{
	struct rlimit r;
	if (getrlimit(what, &r))
		return -1;
	if (r.rlim_max > value)
		r.rlim_max = value;
	r.rlim_cur = r.rlim_max;
	return setrlimit(what, &r);
}

// Landlock's interface, which older headers define only partly.
struct sl_ruleset { uint64_t fs, net, scoped; };
struct sl_beneath { uint64_t allowed; int32_t parent; } __attribute__((packed));

#define SL_READ_FILE (1ULL << 2)
#define SL_READ_DIR (1ULL << 3)

// sl_landlock restricts the process to reading below the given paths, which are one per line.
static int sl_landlock(char *paths)
{
	int abi = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
	if (abi < 1)
		return -errno;
	// Rights by ABI: 13 at first, then refer, truncate, ioctl; TCP from 4 on; signals and abstract sockets from 6 on.
	static const int rights[] = {13, 13, 14, 15, 15, 16};
	struct sl_ruleset set = {(1ULL << rights[abi > 5 ? 5 : abi]) - 1, abi >= 4 ? 3 : 0, abi >= 6 ? 3 : 0};
	int fd = syscall(SYS_landlock_create_ruleset, &set, abi >= 6 ? 24 : abi >= 4 ? 16 : 8, 0);
	if (fd < 0)
		return -errno;
	for (char *rest = paths, *path; (path = strsep(&rest, "\n"));) {
		struct stat st;
		int at = *path ? open(path, O_PATH | O_CLOEXEC) : -1;
		if (at < 0)
			continue; // a missing path cannot be read
		struct sl_beneath rule = {SL_READ_FILE, at};
		if (!fstat(at, &st) && S_ISDIR(st.st_mode))
			rule.allowed |= SL_READ_DIR;
		syscall(SYS_landlock_add_rule, fd, 1, &rule, 0);
		close(at);
	}
	int code = syscall(SYS_landlock_restrict_self, fd, 0) ? -errno : abi;
	close(fd);
	return code;
}

// sl_uncap gives up all capabilities of the thread, which is the only one.
static int sl_uncap(void)
{
	struct { uint32_t version; int32_t pid; } head = {0x20080522, 0};
	struct { uint32_t effective, permitted, inheritable; } none[2] = {{0}};
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	return syscall(SYS_capset, &head, none) ? -errno : 1;
}

static void sl_first_victim(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		if (write(fd, "800", 3) < 0) {} // it is a wish
		close(fd);
	}
}

// sl_timer_slack is how many nanoseconds late timers may fire. A worker needs no precise timers, because the server
// enforces its deadlines. While C code runs, Go's runtime checks every 20 microseconds whether to hand off its
// processor, which costs CPU time.
enum { sl_timer_slack = 5000000 };

// With cgo, a rule applies only to the calling thread. So it is set here, before Go's runtime and libvips start any
// threads.
__attribute__((constructor)) static void sl_enter(void)
{
	char *text = getenv("SAFELIGHT_SANDBOX"), *paths;
	unsigned long long data, cpu, stack, file, files;
	if (!text || !(text = strdup(text)))
		return;
	unsetenv("SAFELIGHT_SANDBOX");
	state.active = 1;
	if (sscanf(text, "%llu %llu %llu %llu %llu", &data, &cpu, &stack, &file, &files) != 5 || !(paths = strchr(text, '\n')))
		_exit(70);
	syscall(SYS_close_range, 5, ~0U, 0);
	state.threads = sl_threads();
	sl_first_victim();
	prctl(PR_SET_TIMERSLACK, sl_timer_slack);
	pthread_attr_t attr;
	pthread_attr_init(&attr);
	if (!pthread_attr_setstacksize(&attr, stack))
		pthread_setattr_default_np(&attr);
	pthread_attr_destroy(&attr);
	state.limits = !(sl_limit(RLIMIT_CORE, 0) | sl_limit(RLIMIT_CPU, cpu) | sl_limit(RLIMIT_DATA, data) |
		sl_limit(RLIMIT_FSIZE, file) | sl_limit(RLIMIT_NOFILE, files) | sl_limit(RLIMIT_MEMLOCK, 0) | sl_limit(RLIMIT_MSGQUEUE, 0));
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
		state.landlock = state.seccomp = -errno;
	} else {
		state.landlock = sl_landlock(paths + 1);
	}
	state.caps = sl_uncap();
	if (!state.seccomp)
		state.seccomp = sl_filter();
	free(text);
}
