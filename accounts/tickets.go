package accounts

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
	"github.com/safelight/safelight/fault"
)

// ticket is stored by a client between two steps, such as a login whose second factor is missing. It is
// signed for one purpose, it expires, and it can be used only once; the database stores used tickets for all
// servers. Nothing is stored before the step succeeds, so that nobody can fill the database without an
// account.
type ticket struct {
	ID   string    `json:"id"`
	Ends time.Time `json:"ends"`
}

// ticketLifetime is how long a ticket is valid.
const ticketLifetime = 10 * time.Minute

func (a *Accounts) newTicket() ticket {
	return ticket{ID: rand.Text(), Ends: a.config.Now().Add(ticketLifetime)}
}

func (t ticket) ends() time.Time { return t.Ends }

// signTicket encodes and signs v, a struct that embeds a ticket. readTicket decodes it for the same purpose.
func (a *Accounts) signTicket(purpose string, v any) (string, error) {
	return auth.SignValue(a.keys.Derive(purpose)[0], v)
}

// readTicket decodes a text of signTicket into v. It returns errTicket if the text was signed for another purpose
// or by somebody else, or has expired.
func (a *Accounts) readTicket(purpose, text string, v interface{ ends() time.Time }) error {
	if !auth.ReadSigned(text, a.keys.Derive(purpose), v) || !a.config.Now().Before(v.ends()) {
		return errTicket()
	}
	return nil
}

// spend marks a ticket as used. It returns errTicket if it was used before.
func (a *Accounts) spend(ctx context.Context, tx *ent.Tx, t ticket) error {
	fresh, err := a.useOnce(ctx, tx, "ticket:"+t.ID, t.Ends)
	if err == nil && !fresh {
		return errTicket()
	}
	return err
}

func errTicket() error {
	return fault.New(fault.Unauthenticated, "this step has expired or was completed before, start again")
}
