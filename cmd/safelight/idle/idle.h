#ifndef SL_IDLE_H
#define SL_IDLE_H

// sl_give_back gives free memory of malloc and the pages of code and constants back to the system, which reads those again when they are used.
void sl_give_back(void);

#endif
