package main

import (
	"fmt"

	"github.com/safelight/safelight/cmd/safelight/completion"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints a completion script: source <(safelight completion bash).
func (c completionCommand) Run(p *program) error {
	_, err := fmt.Fprint(p.stdout, completion.Script(c.Shell, p.line))
	return err
}
