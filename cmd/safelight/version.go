package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set by the linker: -X main.version=v1.2.3.
var version = "dev"

type versionCommand struct{}

// Run prints version, commit and Go's version on one line.
func (versionCommand) Run(p *program) error {
	_, err := fmt.Fprintf(p.stdout, "safelight %s%s %s %s/%s\n", version, commit(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
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
