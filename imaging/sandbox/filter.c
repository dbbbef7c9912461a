//go:build linux

#define _GNU_SOURCE
#include "filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define SL_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define SL_ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef SL_ARCH

// What Go's runtime, glibc, GLib, libvips and the codecs need besides existing memory and threads. There is no socket,
// connect, bind, execve, fork, ptrace, kill of others, rename, unlink, chmod, mount, bpf or io_uring among them.
static const int allowed[] = {
	SYS_read, SYS_write, SYS_pread64, SYS_pwrite64, SYS_readv, SYS_writev, SYS_close, SYS_lseek, SYS_fstat, SYS_newfstatat, SYS_statx,
	SYS_fstatfs, SYS_statfs, SYS_faccessat, SYS_readlinkat, SYS_getdents64, SYS_getcwd, SYS_fcntl, SYS_dup, SYS_dup3, SYS_pipe2,
	SYS_ftruncate, SYS_memfd_create, SYS_fadvise64,
	SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_mincore, SYS_brk, SYS_membarrier, SYS_get_mempolicy,
	SYS_futex, SYS_set_robust_list, SYS_set_tid_address, SYS_gettid, SYS_getpid, SYS_getppid, SYS_exit, SYS_exit_group,
	SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall,
	SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_getparam, SYS_sched_getscheduler, SYS_getpriority,
	SYS_nanosleep, SYS_clock_nanosleep, SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday,
	SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_eventfd2, SYS_ppoll, SYS_pselect6,
	SYS_recvmsg, SYS_sendmsg, SYS_recvfrom, SYS_sendto, SYS_getsockopt, SYS_getsockname, SYS_getpeername,
	SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_uname, SYS_sysinfo, SYS_getrusage, SYS_times, SYS_getrandom, SYS_getcpu,
#ifdef SYS_rseq
	SYS_rseq,
#endif
	SYS_faccessat2, SYS_close_range, SYS_epoll_pwait2,
#ifdef __x86_64__
	SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_getdents, SYS_dup2, SYS_pipe, SYS_poll, SYS_select, SYS_epoll_create, SYS_epoll_wait,
	SYS_eventfd, SYS_time, SYS_arch_prctl, SYS_getrlimit,
#endif
};

static struct sock_filter program[400];
static int length;

static void sl_emit(unsigned short code, unsigned k, unsigned char yes, unsigned char no)
{
	program[length++] = (struct sock_filter){code, yes, no, k};
}

static void sl_load(unsigned offset) { sl_emit(BPF_LD | BPF_W | BPF_ABS, offset, 0, 0); }
static void sl_return(unsigned what) { sl_emit(BPF_RET | BPF_K, what, 0, 0); }
static unsigned sl_low(int arg) { return offsetof(struct seccomp_data, args) + 8 * arg; }

#define SL_REFUSE(error) (SECCOMP_RET_ERRNO | (error))

// sl_when decides about a call with a test (BPF_JSET, BPF_JEQ) of the low half of one of its arguments.
static void sl_when(int call, int arg, unsigned test, unsigned k, unsigned yes, unsigned no)
{
	sl_emit(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
	sl_load(sl_low(arg));
	sl_emit(BPF_JMP | test | BPF_K, k, 0, 1);
	sl_return(yes);
	sl_return(no);
}

static void sl_prctl(void)
{
	sl_emit(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 5);
	sl_load(sl_low(0));
	sl_emit(BPF_JMP | BPF_JEQ | BPF_K, 0x53564d41, 1, 0); // PR_SET_VMA
	sl_emit(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_NAME, 0, 1);
	sl_return(SECCOMP_RET_ALLOW);
	sl_return(SL_REFUSE(EPERM));
}

int sl_filter(void)
{
	sl_load(offsetof(struct seccomp_data, arch));
	sl_emit(BPF_JMP | BPF_JEQ | BPF_K, SL_ARCH, 1, 0);
	sl_return(SECCOMP_RET_KILL_PROCESS);
	sl_load(offsetof(struct seccomp_data, nr));
	for (unsigned n = 0; n < sizeof allowed / sizeof *allowed; n++) {
		sl_emit(BPF_JMP | BPF_JEQ | BPF_K, allowed[n], 0, 1);
		sl_return(SECCOMP_RET_ALLOW);
	}
	const unsigned yes = SECCOMP_RET_ALLOW, no = SL_REFUSE(EPERM), writes = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
	sl_when(SYS_openat, 2, BPF_JSET, writes, SL_REFUSE(EACCES), yes);
#ifdef __x86_64__
	sl_when(SYS_open, 1, BPF_JSET, writes, SL_REFUSE(EACCES), yes);
#endif
	sl_when(SYS_clone, 0, BPF_JSET, CLONE_THREAD, yes, no);
	sl_when(SYS_clone3, 0, BPF_JEQ, 0, SL_REFUSE(ENOSYS), SL_REFUSE(ENOSYS)); // glibc falls back to clone
	sl_when(SYS_tgkill, 0, BPF_JEQ, getpid(), yes, no);
	sl_when(SYS_kill, 0, BPF_JEQ, getpid(), yes, no);
	sl_when(SYS_prlimit64, 0, BPF_JEQ, 0, yes, no);
	sl_prctl();
	sl_return(no);
	struct sock_fprog whole = {length, program};
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &whole) ? -errno : 1;
}

#else

int sl_filter(void) { return -ENOSYS; }

#endif
