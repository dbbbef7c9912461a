package main

import (
	"fmt"

	"github.com/safelight/safelight/schema"
)

type schemaCommand struct{}

// Run prints the GraphQL schema.
func (schemaCommand) Run(p *program) error {
	_, err := fmt.Fprint(p.stdout, schema.SDL())
	return err
}
