// The functions of reduceh.c in AVX2.
#ifndef SL_REDUCEH_AVX2_H
#define SL_REDUCEH_AVX2_H

#include "reduce_block.h"

void sl_reduceh_avx2(const sl_axis *s, const int16_t *columns, sl_output_rows to);
void sl_reduceh_premultiplied_avx2(const sl_axis *s, const int16_t *columns, sl_output_rows to);
void sl_reduceh_yuv_avx2(const sl_axis *const s[3], const int16_t *const columns[3], sl_output_rows to);

#endif
