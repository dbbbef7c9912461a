#ifndef SL_SUPERVISOR_H
#define SL_SUPERVISOR_H

// SL_SUPERVISED is the variable of the environment that asks for a supervisor, and tells the server how the one before ended.
#define SL_SUPERVISED "SUPERVISED_SAFELIGHT"

// SL_SUPERVISOR begins a value that asks for one; what follows is room for two numbers.
#define SL_SUPERVISOR "supervisor"

// sl_hold blocks signals that ask to stop in this thread, so that the program that it becomes finds those that came meanwhile.
void sl_hold(void);

// sl_listens says that the server listens to these signals, and repeats one that came before.
void sl_listens(void);

// sl_give_back gives free memory of malloc and the pages of code and constants back to the system, which reads those again when they are used.
void sl_give_back(void);

#endif
