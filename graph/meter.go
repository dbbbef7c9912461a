package graph

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/safelight/safelight/fault"
)

// The memory that a response takes while it is created and sent. Measured: 90,000 values with 2 MB of text
// increase the resident memory by 48 MB.
const (
	valueMemory = 400 // bytes per value besides its text
	textMemory  = 4   // bytes per byte of text: in the row, twice in the JSON, and spare capacity
)

// valuesExtension is the name of the extension that stores an operation's number of values.
const valuesExtension = "values"

// Memory counts the memory of the response to a request until it is sent.
type Memory interface {
	// Take reserves bytes, and waits until they are available. It returns fault.Overloaded if that takes too
	// long.
	Take(ctx context.Context, bytes int64) error
	// Grow reserves bytes without waiting. It returns fault.Overloaded if they are not available.
	Grow(bytes int64) error
}

// unlimited is Memory without a limit.
type unlimited struct{}

func (unlimited) Take(context.Context, int64) error { return nil }
func (unlimited) Grow(int64) error                  { return nil }

// metered stops operations whose response exceeds MaxBytes, and counts the memory that a response takes.
type metered struct{ Config }

// ExtensionName implements graphql.HandlerExtension.
func (metered) ExtensionName() string { return "Metered" }

// Validate implements graphql.HandlerExtension.
func (metered) Validate(graphql.ExecutableSchema) error { return nil }

// meter counts the size of one response. For a subscription, that is the response of one event.
type meter struct {
	most   int64 // maximum size of the response
	memory Memory
	bytes  atomic.Int64 // current size of the response
	taken  atomic.Int64 // memory that was reserved so far
	stop   context.CancelFunc
	mu     sync.Mutex
	failed error // why the operation was stopped
}

type meterKey struct{}

// meterOf returns the meter of the current response, or nil if there is none.
func meterOf(ctx context.Context) *meter {
	m, _ := ctx.Value(meterKey{}).(*meter)
	return m
}

// InterceptResponse implements graphql.ResponseInterceptor.
func (x metered) InterceptResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	if !graphql.HasOperationContext(ctx) {
		return next(ctx)
	}
	o := graphql.GetOperationContext(ctx)
	if o.Operation == nil { // the response contains only errors
		return next(ctx)
	}
	m := &meter{most: x.MaxBytes, memory: x.MemoryOf(ctx)}
	values, _ := o.Stats.GetExtension(valuesExtension).(int)
	if err := m.memory.Take(ctx, int64(values)*valueMemory); err != nil {
		return stoppedWith(ctx, err)
	}
	inner, stop := context.WithCancel(context.WithValue(ctx, meterKey{}, m))
	defer stop()
	m.stop = stop
	r := next(inner)
	if r != nil {
		m.count(int64(len(r.Data))-m.bytes.Load(), 0) // adds the names of types, which are not in fields
	}
	err := m.err()
	if err == nil {
		return r
	}
	if o.Operation.Operation == ast.Mutation {
		f := *fault.Of(err)
		f.Message += ". Changes that the operation made before stay"
		err = &f
	}
	return stoppedWith(ctx, err)
}

// stoppedWith returns the response to an operation that was stopped.
func stoppedWith(ctx context.Context, err error) *graphql.Response {
	return &graphql.Response{Errors: gqlerror.List{refusal(ctx, err)}}
}

// InterceptField implements graphql.FieldInterceptor. It counts the field. Once the operation is stopped, it
// does not resolve any fields.
func (metered) InterceptField(ctx context.Context, next graphql.Resolver) (any, error) {
	m := meterOf(ctx)
	if m == nil {
		return next(ctx)
	}
	if err := m.err(); err != nil {
		return nil, err
	}
	v, err := next(ctx)
	if err == nil {
		n := textOf(v)
		m.count(int64(len(graphql.GetFieldContext(ctx).Field.Alias)+4)+n, n*textMemory)
	}
	return v, err
}

// count adds to the size of the response, and to its memory besides that for values. It stops the operation
// if a limit is exceeded.
func (m *meter) count(bytes, memory int64) {
	if n := m.bytes.Add(bytes); n > m.most {
		m.fail(fault.New(
			fault.TooLarge,
			"the answer is larger than %d bytes: ask for fewer items or fields, or for them in several operations",
			m.most,
		))
		return
	}
	const step = 64 << 10 // the estimate for a value includes small texts
	if n := m.taken.Add(memory); n/step > (n-memory)/step {
		if err := m.memory.Grow(n/step*step - (n-memory)/step*step); err != nil {
			m.fail(err)
		}
	}
}

func (m *meter) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failed == nil {
		m.failed = err
		m.stop()
	}
}

func (m *meter) err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.failed
}

// textOf returns the length in bytes of a field's value in JSON. It returns 0 for a value that has fields.
func textOf(v any) int64 {
	switch v := v.(type) {
	case string:
		return quoted(v)
	case *string:
		if v == nil {
			return 4
		}
		return quoted(*v)
	case []string:
		n := int64(2)
		for _, s := range v {
			n += quoted(s) + 1
		}
		return n
	case map[string]any:
		b, _ := json.Marshal(v) // cannot fail, because the value was decoded from JSON
		return int64(len(b))
	}
	return 8
}

// quoted returns the length of a text in JSON.
func quoted(s string) int64 {
	n := len(s) + 2
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ':
			n += 5
		case c == '"' || c == '\\':
			n++
		}
	}
	return int64(n)
}

// stopped reports whether the operation was stopped.
func stopped(ctx context.Context) bool {
	m := meterOf(ctx)
	return m != nil && m.err() != nil
}
