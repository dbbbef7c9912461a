package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set by the linker: -X main.version=v1.2.3.
var version = "dev"

// printVersion prints the same as --version.
func (p *program) printVersion() error {
	_, err := fmt.Fprintln(p.stdout, versionLine())
	return err
}

// versionLine returns version, commit and Go's version.
func versionLine() string {
	return fmt.Sprintf("safelight %s%s %s %s/%s", version, commit(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// commit returns " (1234567)" if the build recorded the commit.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 7 {
			return " (" + s.Value[:7] + ")"
		}
	}
	return ""
}
