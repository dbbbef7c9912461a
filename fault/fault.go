// Package fault is Safelight's only error type: a code from a closed list, a message that the caller may see, and a
// cause that the caller must not see. Every package may import it (docs/contributing/decisions/0002).
package fault

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Code is the kind of a failure. The list is closed: the mapping tables of HTTP and GraphQL contain all codes; a test
// verifies that.
type Code string

// The codes.
const (
	Internal Code = "INTERNAL" // a bug or an internal failure; the message is never shown
	Invalid  Code = "INVALID"  // an argument is invalid: a path, an operation, a value
	// the body is not JSON, or a field is missing or of the wrong type
	InvalidRequest       Code = "INVALID_REQUEST"
	Unauthenticated      Code = "UNAUTHENTICATED"       // the token is missing, malformed, expired or revoked
	LoginFailed          Code = "LOGIN_FAILED"          // wrong username or password, or a deactivated account
	Forbidden            Code = "FORBIDDEN"             // the token is valid but lacks a scope
	StepUpRequired       Code = "STEP_UP_REQUIRED"      // the second factor must be confirmed first
	GuestDisabled        Code = "GUEST_DISABLED"        // guest mode is off
	RegistrationDisabled Code = "REGISTRATION_DISABLED" // registration is off
	UnsafeDisabled       Code = "UNSAFE_DISABLED"       // unsigned URLs are not accepted from this caller
	SignatureMismatch    Code = "SIGNATURE_MISMATCH"    // the URL's signature is wrong
	NotFound             Code = "NOT_FOUND"             // the named thing does not exist
	MethodNotAllowed     Code = "METHOD_NOT_ALLOWED"    // the route exists, but not for this method
	// the destination exists, or the current state does not allow the change
	Conflict            Code = "CONFLICT"
	UsernameExists      Code = "USERNAME_EXISTS"       // the username is taken
	Expired             Code = "EXPIRED"               // expire() has passed
	PreconditionFailed  Code = "PRECONDITION_FAILED"   // If-Match or If-Unmodified-Since does not match
	RangeNotSatisfiable Code = "RANGE_NOT_SATISFIABLE" // the requested range is outside of the content
	TooLarge            Code = "TOO_LARGE"             // the body, file, picture or result exceeds a limit
	UnsupportedType     Code = "UNSUPPORTED_TYPE"      // the file is not a picture that this server reads
	UnsupportedFormat   Code = "UNSUPPORTED_FORMAT"    // this build cannot write the output format
	CorruptImage        Code = "CORRUPT_IMAGE"         // the picture cannot be decoded
	RateLimited         Code = "RATE_LIMITED"          // too many attempts; try again later
	Overloaded          Code = "OVERLOADED"            // the queue is full; try again later
	Timeout             Code = "TIMEOUT"               // the work exceeded its time limit
	Canceled            Code = "CANCELED"              // the client disconnected
	Unavailable         Code = "UNAVAILABLE"           // the storage or the database does not respond
)

// Codes returns every code once, in declaration order.
func Codes() []Code {
	return []Code{
		Internal, Invalid, InvalidRequest, Unauthenticated, LoginFailed, Forbidden, StepUpRequired, GuestDisabled,
		RegistrationDisabled, UnsafeDisabled, SignatureMismatch, NotFound, MethodNotAllowed, Conflict,
		UsernameExists, Expired, PreconditionFailed, RangeNotSatisfiable, TooLarge, UnsupportedType,
		UnsupportedFormat, CorruptImage, RateLimited, Overloaded, Timeout, Canceled, Unavailable,
	}
}

// Error is a failure with a code. Message is a sentence without a final period that names the problem and what was
// expected; the caller may see it. Field names the invalid argument; empty if there is none. Err is the cause, which
// may be nil; it is logged but never shown.
type Error struct {
	Code    Code
	Field   string
	Message string
	Err     error
	// RetryAfter is how long the caller should wait before it retries; 0 if waiting does not help.
	RetryAfter time.Duration
}

// Error returns code, message and cause, for logs.
func (e *Error) Error() string {
	s := string(e.Code) + ": " + e.Message
	if e.Field != "" {
		s = string(e.Code) + " (" + e.Field + "): " + e.Message
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause, nil if there is none.
func (e *Error) Unwrap() error { return e.Err }

// RetryExtension is the name of the GraphQL error extension that contains RetrySeconds.
const RetryExtension = "retryAfter"

// RetrySeconds returns RetryAfter in whole seconds and at least 1, or 0 if waiting does not help.
func (e *Error) RetrySeconds() int {
	if e.RetryAfter <= 0 {
		return 0
	}
	return max(1, int((e.RetryAfter+time.Second-1)/time.Second))
}

// New returns an error with the given code and a message formatted like fmt.Sprintf.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// OnField returns an error with the given code that names the invalid argument.
func OnField(code Code, field, format string, args ...any) *Error {
	return &Error{Code: code, Field: field, Message: fmt.Sprintf(format, args...)}
}

// Wrap returns an error with the given code and message, and with err as its cause. The caller may see the message,
// but not the message of err.
func Wrap(err error, code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Err: err}
}

// CodeOf returns the code of the first Error in err's chain, Internal for any other error, and the empty code for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}

// Of returns the first Error in err's chain; any other error becomes an Error with code Internal with the message
// "Internal error" and err as its cause. It returns nil for nil.
func Of(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Code: Internal, Message: "Internal error", Err: err}
}

// WithField replaces Field if err is an Error that names an argument. It is for callers that use another name for the
// argument. It returns any other error unchanged, and nil for nil.
func WithField(err error, field string) error {
	var e *Error
	if !errors.As(err, &e) || e.Field == "" {
		return err
	}
	named := *e
	named.Field = field
	return &named
}

// Quote quotes a caller's text for a message, and truncates it to 40 bytes.
func Quote(s string) string {
	if len(s) > 40 {
		s = s[:40] + "..."
	}
	return strconv.Quote(s)
}

type requestKey struct{}

// WithRequestID returns a context with the id of the request, which appears in logged and shown errors.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

// RequestID returns the id in ctx; empty if there is none.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}
