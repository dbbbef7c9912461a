#ifndef SL_SANDBOX_H
#define SL_SANDBOX_H

// What the constructor achieved; 0 where it did not, -errno where the kernel refused.
typedef struct {
	int active;   // the process was started as a sandbox
	int threads;  // that ran already; 1 is right
	int landlock; // the ABI version in use
	int seccomp;  // 1: the filter is set
	int caps;     // 1: all capabilities are gone
	int limits;   // 1: all limits are set
} sl_sandbox_state;

sl_sandbox_state sl_sandbox(void);

#endif
