// Loops that the compiler turns into vector instructions.
#ifndef SL_VECTORS_H
#define SL_VECTORS_H

// SL_VECTORS is for functions with such loops: cgo compiles with -O2, at which older versions of GCC do not vectorize.
#if defined(__GNUC__) && !defined(__clang__)
#define SL_VECTORS __attribute__((optimize("O3")))
#else
#define SL_VECTORS
#endif

// SL_UNROLL precedes a loop with a small constant number of iterations over an array of vectors, which -O2 would
// otherwise keep in memory.
#define SL_UNROLL _Pragma("GCC unroll 12")

#endif
