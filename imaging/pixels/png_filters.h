// The filters of PNG rows (W3C PNG, 9.2), by their filter bytes.
#ifndef SL_PNG_FILTERS_H
#define SL_PNG_FILTERS_H

enum { sl_filter_none, sl_filter_sub, sl_filter_up, sl_filter_average, sl_filter_paeth, sl_filter_count };

#endif
