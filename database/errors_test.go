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
		{sqlState("57P01"), fault.Unavailable}, {sqlState("53300"), fault.Unavailable}, {sqlState("08006"), fault.Unavailable},
		{sqlState("23505"), fault.Internal}, {sqlState(""), fault.Internal}, {errors.New("disk I/O error"), fault.Internal},
	} {
		if got := fault.CodeOf(Translate(fmt.Errorf("ent: %w", c.err))); got != c.want {
			t.Errorf("%v: %s, want %s", c.err, got, c.want)
		}
	}
}
