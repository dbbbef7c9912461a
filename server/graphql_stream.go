package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"

	"github.com/99designs/gqlgen/graphql"
	"github.com/gofiber/fiber/v2"
)

// stream answers with server-sent events in the distinct connections mode of GraphQL over SSE: a `next` event for each
// response, then `complete`. It calls stop at the end.
func (s *Server) stream(c *fiber.Ctx, ctx context.Context, stop func(), operation *graphql.OperationContext) error {
	c.Set(fiber.HeaderContentType, mediaEvents)
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set("X-Accel-Buffering", "no")
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		defer stop()
		responses, ctx := s.GraphQL.DispatchOperation(ctx, operation)
		for {
			r := responses(ctx)
			if r == nil {
				break
			}
			b, err := json.Marshal(graphQLAnswer{Errors: r.Errors, Data: r.Data, Extensions: r.Extensions})
			if err != nil {
				s.Log.ErrorContext(ctx, "writing an event", "error", err)
				return
			}
			fmt.Fprintf(w, "event: next\ndata: %s\n\n", b)
			if w.Flush() != nil {
				return // the client has disconnected
			}
		}
		fmt.Fprint(w, "event: complete\ndata:\n\n")
		_ = w.Flush() // an error means that the client has disconnected
	})
	return nil
}
