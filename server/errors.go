package server

import (
	"crypto/rand"
	"errors"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/server/connection"
)

// statusOf is the HTTP status of every code.
var statusOf = map[fault.Code]int{
	fault.Internal:             fiber.StatusInternalServerError,
	fault.Invalid:              fiber.StatusBadRequest,
	fault.InvalidRequest:       fiber.StatusBadRequest,
	fault.Unauthenticated:      fiber.StatusUnauthorized,
	fault.LoginFailed:          fiber.StatusUnauthorized,
	fault.Forbidden:            fiber.StatusForbidden,
	fault.StepUpRequired:       fiber.StatusForbidden,
	fault.GuestDisabled:        fiber.StatusForbidden,
	fault.RegistrationDisabled: fiber.StatusForbidden,
	fault.UnsafeDisabled:       fiber.StatusForbidden,
	fault.SignatureMismatch:    fiber.StatusForbidden,
	fault.NotFound:             fiber.StatusNotFound,
	fault.MethodNotAllowed:     fiber.StatusMethodNotAllowed,
	fault.Conflict:             fiber.StatusConflict,
	fault.UsernameExists:       fiber.StatusConflict,
	fault.Expired:              fiber.StatusGone,
	fault.PreconditionFailed:   fiber.StatusPreconditionFailed,
	fault.RangeNotSatisfiable:  fiber.StatusRequestedRangeNotSatisfiable,
	fault.TooLarge:             fiber.StatusRequestEntityTooLarge,
	fault.UnsupportedType:      fiber.StatusUnsupportedMediaType,
	fault.UnsupportedFormat:    fiber.StatusBadRequest,
	fault.CorruptImage:         fiber.StatusUnprocessableEntity,
	fault.RateLimited:          fiber.StatusTooManyRequests,
	fault.Overloaded:           fiber.StatusServiceUnavailable,
	fault.Timeout:              fiber.StatusGatewayTimeout,
	fault.Canceled:             499, // as in nginx, for a client that closed the connection
	fault.Unavailable:          fiber.StatusServiceUnavailable,
}

// localSealed is true for a request whose responses must not reveal the path of the image.
const localSealed = "sealed"

func isSealed(c *fiber.Ctx) bool {
	sealed, _ := c.Locals(localSealed).(bool)
	return sealed
}

// localCode holds the code of the error in the response, for the access log.
const localCode = "code"

// failure is the JSON body of every error.
type failure struct {
	Error     fault.Code `json:"error"`
	Message   string     `json:"message"`
	Field     string     `json:"field,omitempty"`
	RequestID string     `json:"requestId"`
}

// fail answers with err in the error format of the API, or as a page for browsers. The message of an internal error,
// or of an error that is not a fault, goes to the log only. Handlers return their errors to fiberError, unless the
// status is not that of the code.
func (s *Server) fail(c *fiber.Ctx, status int, err error) error {
	f := s.shown(c, err)
	failHeaders(c, f)
	problem := failure{Error: f.Code, Message: f.Message, Field: f.Field, RequestID: fault.RequestID(c.UserContext())}
	if opensPage(c) {
		return s.failPage(c, status, problem)
	}
	return c.Status(status).JSON(problem)
}

// shown returns the part of err that clients may see. It counts the error, and logs the hidden part.
func (s *Server) shown(c *fiber.Ctx, err error) *fault.Error {
	f := fault.Of(err)
	if isSealed(c) && f.Code != fault.Internal && f.Code != fault.Expired {
		s.Log.InfoContext(c.UserContext(), "an image with an encrypted URL failed",
			"requestId", fault.RequestID(c.UserContext()), "error", err)
		f = &fault.Error{
			Code: f.Code, Err: f.Err, RetryAfter: f.RetryAfter,
			Message: "the image cannot be returned; the reason is only in the server's log, because its URL is " +
				"encrypted",
		}
	}
	s.metrics.Failed(f.Code)
	c.Locals(localCode, string(f.Code))
	switch {
	case f.Code == fault.Internal:
		s.Log.ErrorContext(c.UserContext(), "internal error",
			"requestId", fault.RequestID(c.UserContext()), "error", err)
		return fault.New(fault.Internal, "Internal error")
	case f == errStopping, f.Code == fault.Overloaded && f.Err == nil: // these can be many, and are in the access log
	case statusOf[f.Code] >= fiber.StatusInternalServerError:
		s.Log.WarnContext(
			c.UserContext(), "request failed", "requestId", fault.RequestID(c.UserContext()), "error", err,
		)
	}
	return f
}

func failHeaders(c *fiber.Ctx, f *fault.Error) {
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Response().Header.Del(fiber.HeaderETag)
	if f.Code == fault.Unauthenticated {
		c.Set(fiber.HeaderWWWAuthenticate, "Bearer")
	}
	if seconds := f.RetrySeconds(); seconds > 0 {
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(seconds))
	}
}

// fiberError answers errors that handlers return and errors of Fiber itself. For a request that could not be parsed,
// the middleware has not run, so fiberError sets the headers that the middleware would have set.
func (s *Server) fiberError(c *fiber.Ctx, err error) error {
	var theirs *fiber.Error
	if !errors.As(err, &theirs) {
		return s.fail(c, statusOf[fault.Of(err).Code], err)
	}
	if fault.RequestID(c.UserContext()) == "" {
		s.unread(c, theirs)
	}
	status, f := theirs.Code, fault.Wrap(err, fault.InvalidRequest, "the request cannot be read")
	switch theirs.Code {
	case fiber.StatusNotFound:
		f = fault.New(fault.NotFound, "no such route")
	case fiber.StatusMethodNotAllowed:
		f = fault.New(fault.MethodNotAllowed, "this method is not allowed here")
	case fiber.StatusRequestEntityTooLarge:
		f = fault.New(fault.TooLarge, "the request is too large")
	case fiber.StatusRequestHeaderFieldsTooLarge:
		f = fault.New(fault.TooLarge, "the request's headers are larger than %d bytes", maxHeaderBytes)
		if connection.IsInRequestLine(c.Context()) {
			status = fiber.StatusRequestURITooLong
			f = fault.New(fault.TooLarge, "the request line is larger than %d bytes", maxHeaderBytes)
		}
	case fiber.StatusRequestTimeout:
		f = fault.New(fault.InvalidRequest, "the request took too long to arrive")
	default:
		status = fiber.StatusBadRequest
		if err := connection.HeaderError(c.Context()); err != nil {
			f = fault.New(fault.InvalidRequest, "%s", err)
		}
	}
	return s.fail(c, status, f)
}

// unread assigns an id to a request that could not be parsed, and logs it. It logs no content of the request, because
// that may contain a password.
func (s *Server) unread(c *fiber.Ctx, err *fiber.Error) {
	id := rand.Text()
	c.Set(fiber.HeaderXRequestID, id)
	c.SetUserContext(fault.WithRequestID(c.UserContext(), id))
	secureHeaders(c)
	if err.Code != fiber.StatusRequestTimeout {
		connection.Linger(c.Context())
	}
	s.Log.InfoContext(c.UserContext(), "unreadable request", "requestId", id,
		"address", connection.Peer(c.Context()).String(),
		"status", err.Code)
}

func noRoute(*fiber.Ctx) error { return fault.New(fault.NotFound, "no such route") }

func wrongMethod(allowed []string) fiber.Handler {
	list := strings.Join(allowed, ", ")
	return func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderAllow, list)
		c.Context().SetConnectionClose() // an unread body may follow
		return fault.New(fault.MethodNotAllowed, "%s is not allowed here, expected %s", methodOf(c), list)
	}
}
