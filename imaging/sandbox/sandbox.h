#ifndef SL_SANDBOX_H
#define SL_SANDBOX_H

// The result of the constructor: 0 if a step was not done, -errno if the kernel refused it.
typedef struct {
	int active;   // the process was started as a sandbox
	int threads;  // threads that were already running; 1 is correct
	int landlock; // the ABI version in use
	int seccomp;  // 1: the filter is set
	int caps;     // 1: all capabilities are gone
	int limits;   // 1: all limits are set
} sl_sandbox_state;

sl_sandbox_state sl_sandbox(void);

#endif
