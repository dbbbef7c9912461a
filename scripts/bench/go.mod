// The benchmark, apart from the program's own packages: only the standard library.
module github.com/safelight/safelight/scripts/bench

go 1.26.0
