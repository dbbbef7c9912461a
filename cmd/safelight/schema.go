package main

import (
	"fmt"

	"github.com/safelight/safelight/schema"
)

// printSchema prints the GraphQL schema.
func (p *program) printSchema() error {
	_, err := fmt.Fprint(p.stdout, schema.SDL())
	return err
}
