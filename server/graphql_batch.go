package server

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/99designs/gqlgen/graphql"
	"github.com/gofiber/fiber/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/server/admission"
	"github.com/safelight/safelight/server/limits"
)

// isBatch reports whether a body is a JSON list: several operations in one request.
func isBatch(b []byte) bool {
	b = bytes.TrimSpace(b)
	return len(b) > 0 && b[0] == '['
}

// executeBatch runs the operations of a batch one after the other and answers with the list of their responses. The
// limits of an operation apply to each of them, except for the timeout and the memory for responses, which they share.
func (s *Server) executeBatch(c *fiber.Ctx, media string, body []byte) error {
	list, err := s.decodeBatch(body)
	if err != nil {
		return err
	}
	if media == mediaEvents {
		return fault.New(fault.InvalidRequest, "a batch cannot be streamed, expected one operation")
	}
	ctx, stop := requestContext(c, s.config.GraphQLTimeout)
	defer stop()
	leave, err := s.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer leave()
	loan := s.work.Lend()
	ctx = admission.WithLoan(ctx, loan)
	setPosition(c, ctx)
	answers := make([]graphQLAnswer, len(list))
	for i, raw := range list {
		answers[i] = answerOf(respond(ctx, raw))
	}
	b, err := marshal(answers)
	if err == nil {
		err = sendGraphQL(c, media, fiber.StatusOK, b)
	}
	if err != nil {
		loan.Release()
		return err
	}
	s.sendLent(c, loan)
	return nil
}

// decodeBatch decodes a list of operations.
func (s *Server) decodeBatch(body []byte) ([]*graphql.RawParams, error) {
	if err := limits.CheckJSON(body); err != nil {
		return nil, err
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(body, &parts); err != nil {
		return nil, fault.New(fault.InvalidRequest, "the body is not JSON, expected an object or a list of objects")
	}
	if n := len(parts); n == 0 || n > s.config.GraphQLBatch {
		return nil, fault.New(fault.InvalidRequest, "the batch has %d operations, expected 1 to %d",
			n, s.config.GraphQLBatch)
	}
	list := make([]*graphql.RawParams, len(parts))
	for i, part := range parts {
		var err error
		if list[i], err = decodeOperation(part); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// respond runs one operation of a batch.
func respond(ctx context.Context, raw *graphql.RawParams) *graphql.Response {
	ctx = graphql.StartOperationTrace(ctx)
	operation, errs := files(ctx).GraphQL.CreateOperationContext(ctx, raw)
	if errs == nil && operation.Operation.Operation == ast.Subscription {
		errs = gqlerror.List{graphQLError(ctx, fault.New(fault.InvalidRequest,
			"a batch cannot have a subscription, expected queries and mutations"))}
	}
	if errs != nil {
		return files(ctx).GraphQL.DispatchError(graphql.WithOperationContext(ctx, operation), first(errs))
	}
	responses, ctx := files(ctx).GraphQL.DispatchOperation(ctx, operation)
	if r := responses(ctx); r != nil {
		return r
	}
	return &graphql.Response{Errors: gqlerror.List{graphQLError(ctx, fault.Of(admission.ContextError(ctx)))}}
}
