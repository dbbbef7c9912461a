#ifndef SL_SUPERVISOR_H
#define SL_SUPERVISOR_H

// SL_SUPERVISED is the variable of the environment that asks for a supervisor, and tells the server how the one before ended.
#define SL_SUPERVISED "SUPERVISED_SAFELIGHT"

// SL_SUPERVISOR begins a value that asks for one; what follows is room for two numbers.
#define SL_SUPERVISOR "supervisor"

// sl_give_back gives free memory of malloc and the pages of code and constants back to the system, which reads those again when they are used.
void sl_give_back(void);

#endif
