package main

import "fmt"

type schemaCommand struct{}

// Run prints the GraphQL schema.
func (schemaCommand) Run(p *program) error {
	_, err := fmt.Fprintln(p.stdout, sdl())
	return err
}
