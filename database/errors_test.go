package database

import (
	"errors"
	"fmt"
	"testing"

	"github.com/safelight/safelight/fault"
)

type sqlState string

func (s sqlState) Error() string    { return "pq: " + string(s) }
func (s sqlState) SQLState() string { return string(s) }

func TestTranslate(t *testing.T) {
	for _, c := range []struct {
		err  error
		want fault.Code
	}{
		{errors.New("database is locked"), fault.Unavailable},
		{sqlState("57P01"), fault.Unavailable}, {sqlState("53300"), fault.Unavailable},
		{sqlState("08006"), fault.Unavailable},
		{sqlState("23505"), fault.Internal}, {sqlState(""), fault.Internal},
		{errors.New("disk I/O error"), fault.Unavailable}, {errors.New("database or disk is full"), fault.Unavailable},
		{errors.New("attempt to write a readonly database"), fault.Unavailable},
		{errors.New("unable to open database file: no such file or directory"), fault.Unavailable},
		{errors.New("database table is locked"), fault.Unavailable},
		{errors.New("no such table: users"), fault.Internal},
		{errors.New("attempt to write a readonly database: it is being moved"), fault.Unavailable},
		{sqlState("53100"), fault.Unavailable}, {sqlState("25006"), fault.Unavailable},
		{sqlState("58030"), fault.Unavailable},
	} {
		if got := fault.CodeOf(Translate(fmt.Errorf("ent: %w", c.err))); got != c.want {
			t.Errorf("%v: %s, want %s", c.err, got, c.want)
		}
		if c.want == fault.Unavailable && fault.Of(Translate(c.err)).RetryAfter <= 0 {
			t.Errorf("%v: the fault does not say when to try again", c.err)
		}
	}
}
