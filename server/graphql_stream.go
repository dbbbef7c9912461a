package server

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/gofiber/fiber/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/server/admission"
	"github.com/safelight/safelight/server/hotswap"
)

// maxSubscribers is the max number of open subscriptions of all clients.
const maxSubscribers = 2000

// maxSubscriptionTime is how long a subscription may last; clients then connect again.
const maxSubscriptionTime = 24 * time.Hour

// events writes the responses of one operation as server-sent events.
type events struct {
	*Server
	operation *graphql.OperationContext
	replaced  <-chan struct{} // closed when the files are replaced, which ends a subscription; nil for a query
	loan      *admission.Loan // memory of the response that is being made or sent
	sent      chan struct{}   // receives a value when a response was sent
	token     string          // token of a subscription, which is rechecked; empty: no checks
	caller    auth.Identity   // identity of the token when the subscription began
	release   func()
}

// stream answers with server-sent events in the distinct connections mode of GraphQL over SSE: a `next` event for each
// response, then `complete`. It calls stop at the end.
func (s *Server) stream(c *fiber.Ctx, ctx context.Context, stop func(), operation *graphql.OperationContext) error {
	e := events{Server: s, operation: operation, loan: admission.LoanOf(ctx), sent: make(chan struct{}), release: stop}
	if operation.Operation.Operation == ast.Subscription {
		stop() // the timeout for queries does not apply to subscriptions
		leave, err := s.subscribers.Enter(clientOf(c.UserContext()))
		if err != nil {
			return err
		}
		ctx, stop = requestContext(c, maxSubscriptionTime)
		ctx = access.Again(ctx) // rights may change during the subscription
		ctx = admission.WithLoan(ctx, e.loan)
		e.token, e.caller = bearerToken(c), auth.FromContext(ctx)
		e.replaced, e.release = hotswap.From[Files](ctx).Replaced(), func() {
			stop()
			leave()
		}
	}
	hotswap.From[Files](ctx).Again()
	eventHeaders(c)
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) { e.write(ctx, w) })
	return nil
}

func eventHeaders(c *fiber.Ctx) {
	c.Set(fiber.HeaderContentType, mediaEvents)
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set("X-Accel-Buffering", "no")
}

// streamErrors answers an operation that cannot run with an event that contains the errors, because clients of event
// streams read no other response.
func streamErrors(c *fiber.Ctx, r *graphql.Response) error {
	eventHeaders(c)
	next, err := nextEvent(r)
	if err != nil {
		return err
	}
	return c.SendString(next + complete)
}

// nextEvent returns the event that carries a response.
func nextEvent(r *graphql.Response) (string, error) {
	b, err := marshal(answerOf(r))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("event: next\ndata: %s\n\n", b), nil
}

const complete = "event: complete\ndata:\n\n"

// write sends events until the operation is complete, the client disconnects, its token becomes invalid or gets other
// scopes, the files are replaced, or the server stops.
func (e events) write(ctx context.Context, w *bufio.Writer) {
	defer e.release()
	defer e.loan.Release()
	responses := e.responses(ctx)
	beat := time.NewTicker(e.config.Heartbeat)
	defer beat.Stop()
	again := time.NewTicker(e.config.Recheck)
	defer again.Stop()
	for {
		select {
		case <-e.stopStreams:
			e.end(w, nil)
			return
		case <-e.replaced:
			e.end(w, nil)
			return
		case r, more := <-responses:
			if !more {
				e.end(w, nil)
				return
			}
			if err := e.next(w, r); err != nil {
				return // the client has disconnected
			}
			e.loan.Release()
			select {
			case <-ctx.Done():
			case e.sent <- struct{}{}:
			}
		case <-again.C:
			same, err := e.check(ctx)
			if err != nil {
				e.end(w, &graphql.Response{Errors: gqlerror.List{graphQLError(ctx, fault.Of(err))}})
				return
			}
			if !same {
				e.end(w, nil)
				return
			}
		case <-beat.C:
			fmt.Fprint(w, ":\n\n")
			if w.Flush() != nil {
				return
			}
		}
	}
}

// responses runs the operation in a goroutine, which releases its files at the end. The channel closes after the last
// response.
func (e events) responses(ctx context.Context) <-chan *graphql.Response {
	list := make(chan *graphql.Response)
	go func() {
		defer hotswap.From[Files](ctx).Release() // a mutation continues after its client has disconnected
		defer close(list)
		defer func() {
			if v := recover(); v != nil {
				logPanic(ctx, e.Log, v)
			}
		}()
		next, ctx := files(ctx).GraphQL.DispatchOperation(ctx, e.operation)
		for r := next(ctx); r != nil; r = next(ctx) {
			select {
			case <-ctx.Done():
				return
			case list <- r:
			}
			select { // the next response uses the same loan, so wait until this one was sent
			case <-ctx.Done():
				return
			case <-e.sent:
			}
		}
	}()
	return list
}

// check returns an error if the token has expired or was revoked. same is false if the token's role or scopes differ
// from those at the start of the subscription, for example because the role of its account has changed. The client
// then has to connect again.
func (e events) check(ctx context.Context) (same bool, err error) {
	if e.token == "" {
		return true, nil
	}
	i, err := e.identity(ctx, e.token)
	switch fault.CodeOf(err) {
	case "":
		return i.Role == e.caller.Role && slices.Equal(i.Scopes, e.caller.Scopes), nil
	case fault.Unauthenticated:
		return false, err
	}
	return true, nil // the database does not respond; keep the subscription
}

// next sends one response; an error means that the client has disconnected.
func (e events) next(w *bufio.Writer, r *graphql.Response) error {
	event, err := nextEvent(r)
	if err != nil {
		return err
	}
	fmt.Fprint(w, event)
	return w.Flush()
}

// end sends a last response, if there is one, and ends the stream.
func (e events) end(w *bufio.Writer, r *graphql.Response) {
	if r != nil && e.next(w, r) != nil {
		return
	}
	fmt.Fprint(w, complete)
	_ = w.Flush() // an error means that the client has disconnected
}
