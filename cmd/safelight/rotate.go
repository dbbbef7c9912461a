package main

import "fmt"

type keysCommand struct {
	Rotate keysRotate `cmd:"" help:"Create a new token signing key. Existing tokens stay valid until they expire."`
}

type keysRotate struct{}

// Run creates the key; running servers follow at once.
func (keysRotate) Run(p *program) error {
	at, err := p.openExisting()
	if err != nil {
		return err
	}
	defer at.Close()
	if err := at.Accounts.RotateKeys(operator(p.ctx)); err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.stdout, "rotated the key that signs tokens")
	return err
}
