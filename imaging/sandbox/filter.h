#ifndef SL_FILTER_H
#define SL_FILTER_H

#include <sys/syscall.h>

// The C library of Debian 11, with which releases are built, does not define these calls, but newer C libraries make
// them. Their numbers are the same on all architectures.
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

// sl_filter refuses all system calls except those that decoding needs. It returns 1, or -errno.
int sl_filter(void);

#endif
