// Loops that the compiler turns into vector instructions.
#ifndef SL_VECTORS_H
#define SL_VECTORS_H

// SL_VECTORS is for functions with such loops: cgo compiles with -O2, at which older versions of GCC leave them as they
// are.
#if defined(__GNUC__) && !defined(__clang__)
#define SL_VECTORS __attribute__((optimize("O3")))
#else
#define SL_VECTORS
#endif

// SL_UNROLL is before a loop of a constant few turns over an array of vectors, which -O2 otherwise keeps in memory.
#define SL_UNROLL _Pragma("GCC unroll 12")

#endif
