// What reduce_across.c does, by instructions that not every x86 has.
#ifndef SL_REDUCE_ACROSS_AVX2_H
#define SL_REDUCE_ACROSS_AVX2_H

#include "reduce_block.h"

void sl_across_avx2(const sl_side *s, const int16_t *columns, sl_rows to);
void sl_across_alpha_avx2(const sl_side *s, const int16_t *columns, sl_rows to);
void sl_across_planes_avx2(const sl_side *const s[3], const int16_t *const columns[3], sl_rows to);

#endif
