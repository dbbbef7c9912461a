package graph

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
)

// TestClosedRequestIsNotLogged checks that a client that disconnects causes no error in the log, but that a
// context canceled by the server does.
func TestClosedRequestIsNotLogged(t *testing.T) {
	closed, end := context.WithCancel(graphql.WithPathContext(t.Context(), graphql.NewPathWithField("files")))
	end()
	for _, c := range []struct {
		name   string
		ctx    context.Context
		logged bool
	}{
		{"the client has gone", closed, false},
		{"the client waits", context.WithoutCancel(closed), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			present := presenter(slog.New(slog.NewTextHandler(&log, nil)), nil)
			present(c.ctx, fmt.Errorf("reading: %w", context.Canceled))
			if logged := strings.Contains(log.String(), "level=ERROR"); logged != c.logged {
				t.Errorf("an error was logged: %t, expected %t", logged, c.logged)
			}
		})
	}
}
