#include <string.h>

#include "jpeg_optimal.h"

enum {
	sl_all_ones = 256,		// a symbol that does not occur, for the code that no symbol may have
	sl_all_symbols = 257,
	sl_longest = 32,		// before codes are limited to 16 bits
	sl_too_often = 1000000000, // libjpeg passes over symbols that occur more often
};

// sl_trees are the trees of K.2 while they are joined: those that are left, in the order of their symbols.
typedef struct {
	int left, symbol[sl_all_symbols];
	size_t count[sl_all_symbols];
	int next[sl_all_symbols]; // of the symbols in a tree, by symbol; -1 after the last
	uint8_t length[sl_all_symbols];
} sl_trees;

// sl_rarest finds the two trees that occur least; of equal ones, the last.
static int sl_rarest(const sl_trees *t, int *first, int *second)
{
	size_t a = sl_too_often, b = sl_too_often;
	*first = *second = -1;
	for (int n = 0; n < t->left; n++) {
		if (t->count[n] <= a) {
			b = a;
			*second = *first;
			a = t->count[n];
			*first = n;
		} else if (t->count[n] <= b) {
			b = t->count[n];
			*second = n;
		}
	}
	return *second >= 0;
}

// sl_deepen makes all codes of a tree longer by a bit, and returns its last symbol.
static int sl_deepen(sl_trees *t, int symbol)
{
	t->length[symbol]++;
	while (t->next[symbol] >= 0) {
		symbol = t->next[symbol];
		t->length[symbol]++;
	}
	return symbol;
}

// sl_join joins the second tree to the first.
static void sl_join(sl_trees *t, int first, int second)
{
	t->count[first] += t->count[second];
	t->next[sl_deepen(t, t->symbol[first])] = t->symbol[second];
	sl_deepen(t, t->symbol[second]);
	t->left--;
	memmove(&t->symbol[second], &t->symbol[second + 1], (t->left - second) * sizeof t->symbol[0]);
	memmove(&t->count[second], &t->count[second + 1], (t->left - second) * sizeof t->count[0]);
}

// sl_limit shortens codes of more than 16 bits (figure K.3), and leaves out that of all ones.
static void sl_limit(uint8_t *lengths)
{
	int n;
	for (n = sl_longest; n > 16; n--)
		while (lengths[n] > 0) {
			int shorter = n - 2;
			while (lengths[shorter] == 0)
				shorter--;
			lengths[n] -= 2;
			lengths[n - 1]++;
			lengths[shorter + 1] += 2;
			lengths[shorter]--;
		}
	while (lengths[n] == 0)
		n--;
	lengths[n]--;
}

int sl_optimal_init(sl_optimal *table, const size_t *counts)
{
	sl_trees t = { 0 };
	uint8_t lengths[sl_longest + 1] = { 0 };
	int first, second;
	for (int n = 0; n < sl_all_symbols; n++) {
		t.next[n] = -1;
		if (n == sl_all_ones || counts[n] > 0) {
			t.symbol[t.left] = n;
			t.count[t.left++] = n == sl_all_ones ? 1 : counts[n];
		}
	}
	while (sl_rarest(&t, &first, &second))
		sl_join(&t, first, second);
	for (int n = 0; n < sl_all_symbols; n++) {
		if (t.length[n] > sl_longest)
			return 0;
		lengths[t.length[n]]++;
	}
	lengths[0] = 0;
	sl_limit(lengths);
	memcpy(table->lengths, lengths, sizeof table->lengths);
	table->n = 0;
	for (int length = 1; length <= sl_longest; length++) // those with longer codes are last
		for (int n = 0; n < sl_all_ones; n++)
			if (t.length[n] == length)
				table->symbols[table->n++] = n;
	return 1;
}
