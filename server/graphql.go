package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strconv"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/server/admission"
)

// graphQLPath is the route of GraphQL.
const graphQLPath = "/api/graphql"

// The media types of responses.
const (
	mediaGraphQL = "application/graphql-response+json"
	mediaJSON    = "application/json"
	mediaEvents  = "text/event-stream"
)

// changesHeader is the response header with the position in the sequence of changes at which an operation began:
// FolderChange.position in the SDL.
const changesHeader = "Safelight-Changes"

// setPosition sets changesHeader before anything is read. Callers without a token see no changes.
func setPosition(c *fiber.Ctx, ctx context.Context) {
	if !auth.FromContext(ctx).IsAnonymous() {
		c.Set(changesHeader, files(ctx).Gallery.ChangePosition(ctx))
	}
}

// graphQLErrors answers the errors of the handlers after it in the GraphQL format.
func (s *Server) graphQLErrors(c *fiber.Ctx) error {
	if err := c.Next(); err != nil {
		return s.failGraphQL(c, err)
	}
	return nil
}

// graphQLPost answers POST /api/graphql: JSON, or a multipart form with files.
func (s *Server) graphQLPost(c *fiber.Ctx) error {
	media := negotiate(c.Get(fiber.HeaderAccept))
	kind, params := contentType(c)
	var raw *graphql.RawParams
	var err error
	switch kind {
	case mediaJSON:
		var b []byte
		if b, err = s.readBody(c); err == nil && isBatch(b) && s.config.GraphQLBatch > 0 {
			return s.executeBatch(c, media, b)
		}
		if err == nil {
			raw, err = decodeParams(b)
		}
	case fiber.MIMEMultipartForm:
		var done func()
		raw, done, err = s.readMultipart(c, params["boundary"])
		defer done()
	default:
		c.Context().SetConnectionClose()
		err = fault.New(fault.InvalidRequest,
			"the body's content type is unknown, expected application/json or multipart/form-data")
	}
	if err != nil {
		return err
	}
	return s.execute(c, media, raw)
}

// graphQLGet answers GET /api/graphql, for queries only.
func (s *Server) graphQLGet(c *fiber.Ctx) error {
	raw, err := queryParams(c)
	if err != nil {
		return err
	}
	return s.execute(c, negotiate(c.Get(fiber.HeaderAccept)), raw)
}

// execute runs one operation and writes its response.
func (s *Server) execute(c *fiber.Ctx, media string, raw *graphql.RawParams) error {
	ctx, stop := requestContext(c, s.config.GraphQLTimeout)
	loan := s.work.Lend()
	ctx = admission.WithLoan(graphql.StartOperationTrace(ctx), loan)
	operation, errs := files(ctx).GraphQL.CreateOperationContext(ctx, raw)
	if errs != nil {
		defer stop()
		response := files(ctx).GraphQL.DispatchError(graphql.WithOperationContext(ctx, operation), first(errs))
		if media == mediaEvents {
			return streamErrors(c, response)
		}
		return writeGraphQL(c, media, graphQLStatus(media, response), response)
	}
	kind := operation.Operation.Operation
	if c.Method() != fiber.MethodPost && kind != ast.Query && (kind != ast.Subscription || media != mediaEvents) {
		defer stop()
		c.Set(fiber.HeaderAllow, fiber.MethodPost)
		return fault.New(fault.MethodNotAllowed, "%s runs queries only, expected POST", c.Method())
	}
	if kind == ast.Query {
		leave, err := s.takeTurn(ctx)
		if err != nil {
			defer stop()
			loan.Release()
			return err
		}
		end := stop
		stop = func() {
			end()
			leave()
		}
	}
	if kind == ast.Subscription || media == mediaEvents {
		return s.stream(c, ctx, stop, operation)
	}
	defer stop()
	setPosition(c, ctx)
	responses, ctx := files(ctx).GraphQL.DispatchOperation(ctx, operation)
	response := responses(ctx)
	if response == nil { // there is no response because the context has ended
		loan.Release()
		return admission.ContextError(ctx)
	}
	if err := writeGraphQL(c, media, graphQLStatus(media, response), response); err != nil {
		loan.Release()
		return err
	}
	s.sendLent(c, loan)
	return nil
}

// queriesPerClient is how many queries of one client run at once; a browser sends at most 6. The 20 connections to the
// database serve requests in the order of their arrival, so the queries of a client with hundreds of connections would
// delay those of all others.
func queriesPerClient() int64 { return int64(max(8, 2*runtime.GOMAXPROCS(0))) }

// takeTurn waits until the client of ctx may run one more query, until leave is called. It returns fault.Overloaded if
// that takes until the end of the time for a query.
func (s *Server) takeTurn(ctx context.Context) (leave func(), err error) {
	leave, err = s.queries.Wait(ctx, clientOf(ctx))
	switch {
	case err == nil:
		return leave, nil
	case errors.Is(err, context.DeadlineExceeded):
		f := fault.New(fault.Overloaded,
			"the client has too many queries, expected at most %d at once", s.queries.PerClient)
		f.RetryAfter = time.Second
		return nil, f
	}
	return nil, admission.ContextError(ctx)
}

// sendLent sends the body and returns its memory to the budget afterwards. That can take long if the client reads
// slowly. A body that fits into the write buffer is copied there at once.
func (s *Server) sendLent(c *fiber.Ctx, loan *admission.Loan) {
	b := c.Response().Body()
	if len(b) <= writeBuffer {
		loan.Release()
		return
	}
	s.sendStream(c, &streamed{Reader: bytes.NewReader(b), closers: []func(){loan.Release}}, int64(len(b)))
}

// maxErrors is the max number of errors in a response.
const maxErrors = 20

// first returns at most maxErrors errors. If there are more, it appends an error that says how many were omitted.
func first(errs gqlerror.List) gqlerror.List {
	if len(errs) <= maxErrors {
		return errs
	}
	more := gqlerror.Errorf("and %d more errors", len(errs)-maxErrors)
	return append(errs[:maxErrors:maxErrors], more)
}

// negotiate selects the media type of the response by the Accept header. It selects an event stream only for clients
// that accept no single response.
func negotiate(accept string) string {
	best, bestQ := mediaJSON, 0.0
	onlyEvents := false
	for media, q := range acceptRanges(accept) {
		switch media {
		case mediaGraphQL, mediaJSON:
			if q > bestQ {
				best, bestQ = media, q
			}
		case "*/*", "application/*":
			bestQ = max(bestQ, q/1000) // an explicit media type takes precedence over a wildcard
		case mediaEvents:
			onlyEvents = true
		}
	}
	if onlyEvents && bestQ == 0 {
		return mediaEvents
	}
	return best
}

// graphQLStatus returns the HTTP status of the response to an operation. An operation that could not run has no data:
// it gets 400, or 200 with the older media type, as the audits of GraphQL over HTTP require. If access to all root
// fields was denied, it gets 401 or 403.
func graphQLStatus(media string, r *graphql.Response) int {
	if len(r.Errors) == 0 {
		return fiber.StatusOK
	}
	if len(r.Data) == 0 || string(r.Data) == "null" && !hasPath(r.Errors) {
		if media == mediaJSON || allHave(r.Errors, persistedQueryNotFound) {
			return fiber.StatusOK
		}
		if allHave(r.Errors, fault.Overloaded) {
			return statusOf[fault.Overloaded]
		}
		return fiber.StatusBadRequest
	}
	if allNull(r.Data) {
		for _, code := range []fault.Code{fault.Forbidden, fault.Unauthenticated} {
			if allHave(r.Errors, code) {
				return statusOf[code]
			}
		}
	}
	return fiber.StatusOK
}

// persistedQueryNotFound is the code that asks a client to send the document. Its status is 200, as in Apollo.
const persistedQueryNotFound fault.Code = "PERSISTED_QUERY_NOT_FOUND"

func hasPath(list gqlerror.List) bool {
	for _, e := range list {
		if len(e.Path) > 0 {
			return true
		}
	}
	return false
}

// allNull reports whether every root field is null.
func allNull(data json.RawMessage) bool {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return false
	}
	for _, v := range fields {
		if string(v) != "null" {
			return false
		}
	}
	return true
}

func allHave(list gqlerror.List, code fault.Code) bool {
	for _, e := range list {
		if e.Extensions["code"] != string(code) {
			return false
		}
	}
	return true
}

// graphQLAnswer is graphql.Response, but omits an empty data.
type graphQLAnswer struct {
	Errors     gqlerror.List   `json:"errors,omitempty"`
	Data       json.RawMessage `json:"data,omitempty"`
	Extensions map[string]any  `json:"extensions,omitempty"`
}

func writeGraphQL(c *fiber.Ctx, media string, status int, r *graphql.Response) error {
	if media == mediaEvents {
		media = mediaJSON
	}
	b, err := marshal(answerOf(r))
	if err != nil {
		return err
	}
	if seconds := retrySeconds(r.Errors); seconds > 0 {
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(seconds))
	}
	return sendGraphQL(c, media, status, b)
}

func answerOf(r *graphql.Response) graphQLAnswer {
	return graphQLAnswer{Errors: r.Errors, Data: r.Data, Extensions: r.Extensions}
}

func sendGraphQL(c *fiber.Ctx, media string, status int, b []byte) error {
	c.Vary(fiber.HeaderAccept, fiber.HeaderAcceptEncoding)
	c.Set(fiber.HeaderContentType, media+"; charset=utf-8")
	c.Set(fiber.HeaderCacheControl, "no-store")
	if len(b) >= minCompressed && acceptQualities(c.Get(fiber.HeaderAcceptEncoding))["gzip"] > 0 {
		// AppendGzipBytesLevel returns nothing if too many responses wait to be compressed.
		if packed := fasthttp.AppendGzipBytesLevel(nil, b, gzipLevel); len(packed) > 0 {
			c.Set(fiber.HeaderContentEncoding, "gzip")
			b = packed
		}
	}
	return c.Status(status).Send(b)
}

// minCompressed is the size in bytes from which a response is compressed: a smaller one fits into one packet anyway.
const minCompressed = 1400

// gzipLevel is a compromise: compared with the default of 6, it needs half the CPU time and gives 4 % more bytes for a
// page of files.
//
// The size of a compressed response can reveal a secret if the response also contains text that an attacker chooses
// (BREACH). The attack requires that the victim's browser sends the attacker's requests with the victim's credentials.
// Our credentials are in the Authorization header, which another site cannot make a browser send. Responses that
// contain tokens come from /api/auth, which does not compress.
const gzipLevel = 4

// retrySeconds returns after how many seconds the whole operation may be tried again: the longest time among its
// errors, or 0 if no error has one.
func retrySeconds(list gqlerror.List) (longest int) {
	for _, e := range list {
		if seconds, ok := e.Extensions[fault.RetryExtension].(int); ok {
			longest = max(longest, seconds)
		}
	}
	return longest
}

// failGraphQL answers a request that is not a valid operation. The error has the GraphQL format.
func (s *Server) failGraphQL(c *fiber.Ctx, err error) error {
	f := s.shown(c, err)
	failHeaders(c, f)
	e := graphQLError(c.UserContext(), f)
	return writeGraphQL(c, negotiate(c.Get(fiber.HeaderAccept)), statusOf[f.Code],
		&graphql.Response{Errors: gqlerror.List{e}})
}

// graphQLError returns an error in the GraphQL format.
func graphQLError(ctx context.Context, f *fault.Error) *gqlerror.Error {
	e := &gqlerror.Error{
		Message: f.Message, Extensions: map[string]any{"code": f.Code, "requestId": fault.RequestID(ctx)},
	}
	if f.Field != "" {
		e.Extensions["field"] = f.Field
	}
	if seconds := f.RetrySeconds(); seconds > 0 {
		e.Extensions[fault.RetryExtension] = seconds
	}
	return e
}
