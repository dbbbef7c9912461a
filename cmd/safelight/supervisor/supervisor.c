//go:build linux

#define _GNU_SOURCE
#include "supervisor.h"

#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// sl_relocates reports whether the loader writes addresses into segments without PF_W.
static int sl_relocates(const struct dl_phdr_info *info)
{
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			for (const ElfW(Dyn) *d = (const void *) (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr); d->d_tag != DT_NULL; d++)
				if (d->d_tag == DT_TEXTREL || (d->d_tag == DT_FLAGS && d->d_un.d_val & DF_TEXTREL))
					return 1;
	return 0;
}

// sl_drop unmaps pages of a library that are as in its file: those of segments that nothing writes.
static int sl_drop(struct dl_phdr_info *info, size_t size, void *page)
{
	uintptr_t mask = *(uintptr_t *) page - 1;
	if (sl_relocates(info))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = info->dlpi_phdr + i;
		uintptr_t from = info->dlpi_addr + p->p_vaddr, to = (from + p->p_memsz) & ~mask;
		from = (from + mask) & ~mask;
		if (p->p_type == PT_LOAD && !(p->p_flags & PF_W) && from < to)
			madvise((void *) from, to - from, MADV_DONTNEED); // it is a wish
	}
	return 0;
}

void sl_give_back(void)
{
	uintptr_t page = sysconf(_SC_PAGESIZE);
	malloc_trim(0);
	dl_iterate_phdr(sl_drop, &page);
}

// sl_timer_slack is by how many nanoseconds timers may be late, instead of 50,000. While C code runs, Go's runtime looks every 20 microseconds whether a processor is to be
// given away: that alone took 4 % of the CPU of a page (docs/decisions/0068).
enum { sl_timer_slack = 1000000 };

// sl_slacken is before Go's runtime starts because threads inherit it.
__attribute__((constructor)) static void sl_slacken(void)
{
	prctl(PR_SET_TIMERSLACK, sl_timer_slack); // it is a wish
}

// The pauses before a server is started again, in milliseconds.
enum { sl_min_pause = 250, sl_max_pause = 30000 };

// sl_long_life is for how many seconds a server has to run so that the next pause is sl_min_pause.
enum { sl_long_life = 60 };

// sl_crashed reports whether a process crashed: by a signal that operators do not send to stop it, or with Go's exit code for panics.
static int sl_crashed(int status)
{
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status) == 2; // Go's panics
	switch (WTERMSIG(status)) {
	case SIGINT:
	case SIGTERM:
	case SIGHUP:
	case SIGQUIT:
	case SIGPIPE:
		return 0;
	}
	return 1;
}

// sl_exit_code returns what a shell would.
static int sl_exit_code(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

// sl_ended reaps all that ended, orphaned workers too if this is process 1, and reports whether the server was among them.
static int sl_ended(pid_t server, int *status)
{
	int one, found = 0;
	for (pid_t pid; (pid = waitpid(-1, &one, WNOHANG)) > 0;)
		if (pid == server) {
			*status = one;
			found = 1;
		}
	return found;
}

// sl_shared is memory of supervisor and server: whether the server listens to signals, and the last one that asked it to stop. Before it listens, Go's runtime would
// end it at once, with work half done.
static struct {
	int listening, stop;
} *sl_shared;

void sl_listens(void)
{
	if (!sl_shared)
		return;
	__atomic_store_n(&sl_shared->listening, 1, __ATOMIC_SEQ_CST);
	int stop = __atomic_load_n(&sl_shared->stop, __ATOMIC_SEQ_CST);
	if (stop)
		kill(getpid(), stop);
}

void sl_hold(void)
{
	sigset_t stops;
	sigemptyset(&stops);
	sigaddset(&stops, SIGINT);
	sigaddset(&stops, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &stops, NULL);
}

static void sl_stop(pid_t server, int s)
{
	__atomic_store_n(&sl_shared->stop, s, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&sl_shared->listening, __ATOMIC_SEQ_CST))
		kill(server, s);
}

// sl_watch passes signals on until the server ends, and returns its status. It sets stopping if the server was asked to stop: by SIGQUIT, too, after which Go ends
// with the exit code of a panic.
static int sl_watch(pid_t server, const sigset_t *watched, int *stopping)
{
	for (int status;;) {
		int s = sigwaitinfo(watched, NULL);
		if (s == SIGCHLD) {
			if (sl_ended(server, &status))
				return status;
		} else if (s > 0) {
			*stopping |= s == SIGINT || s == SIGTERM || s == SIGQUIT;
			if (s == SIGINT || s == SIGTERM)
				sl_stop(server, s);
			else
				kill(server, s); // it may have just ended
		}
	}
}

static double sl_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void sl_die(const char *what)
{
	perror(what);
	_exit(1);
}

// sl_supervise returns in the server only. Go's runtime, which has threads, could not fork; and it would need 8 MB to wait here.
__attribute__((constructor)) static void sl_supervise(void)
{
	static const int passed[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD };
	char *told = getenv(SL_SUPERVISED);
	size_t room = told ? strlen(told) : 0;
	if (!told || strncmp(told, SL_SUPERVISOR, strlen(SL_SUPERVISOR)))
		return;
	sigset_t watched, before;
	sigemptyset(&watched);
	for (size_t i = 0; i < sizeof(passed) / sizeof(*passed); i++)
		sigaddset(&watched, passed[i]);
	signal(SIGCHLD, SIG_DFL); // children of a process that ignores it cannot be waited for
	sigprocmask(SIG_BLOCK, &watched, &before);
	sigdelset(&before, SIGINT); // which sl_hold blocked
	sigdelset(&before, SIGTERM);
	prctl(PR_SET_NAME, program_invocation_short_name); // it is "exe" after Start
	pid_t self = getpid();
	sl_shared = mmap(NULL, sizeof *sl_shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sl_shared == MAP_FAILED)
		sl_die("safelight: memory of supervisor and server");
	for (int status = 0, pause = 0, stopping = 0;;) {
		double began = sl_now();
		sl_shared->listening = 0;
		pid_t server = fork();
		if (server < 0)
			sl_die("safelight: starting the server");
		if (!server) {
			if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != self)
				sl_die("safelight: the server has no supervisor");
			sigprocmask(SIG_SETMASK, &before, NULL);
			snprintf(told, room + 1, "%d %d", status, pause); // in place: Go reads the environment where the kernel put it
			return;
		}
		sl_give_back();
		int last = pause;
		status = sl_watch(server, &watched, &stopping);
		if (stopping || !sl_crashed(status))
			_exit(sl_exit_code(status));
		int brief = sl_now() - began < sl_long_life + last / 1e3;
		pause = !last || !brief ? sl_min_pause : last < sl_max_pause / 2 ? 2 * last : sl_max_pause;
	}
}
