module github.com/safelight/safelight/scripts/imagor

go 1.25.0

require github.com/cshum/imagor v1.4.15
