package graph

import (
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/graph/model"
)

// forUsers are the codes of errors that the caller can fix; they are part of a payload. All others are errors of the
// operation.
var forUsers = map[fault.Code]bool{
	fault.Invalid: true, fault.NotFound: true, fault.Conflict: true, fault.TooLarge: true, fault.UnsupportedType: true,
	fault.CorruptImage: true, fault.RateLimited: true, fault.Expired: true,
}

// named is userErrors for a payload that names what the operation changed: the id, nil if err is not.
func named(id string, err error) (changed *string, refused []*model.UserError, failed error) {
	if refused, failed = userErrors(err); err == nil {
		changed = &id
	}
	return changed, refused, failed
}

// userErrors splits an error: user errors for a payload, never nil, or the error of the operation.
func userErrors(err error) ([]*model.UserError, error) {
	if err == nil {
		return []*model.UserError{}, nil
	}
	f := fault.Of(err)
	if !forUsers[f.Code] {
		return nil, err
	}
	return []*model.UserError{userError(f)}, nil
}

// userError returns a fault in the form of the API.
func userError(f *fault.Error) *model.UserError {
	e := &model.UserError{Code: f.Code, Message: f.Message}
	if f.Code == fault.Internal {
		e.Message = "Internal error"
	}
	if f.Field != "" {
		e.Field = &f.Field
	}
	if seconds := int32(f.RetrySeconds()); seconds > 0 {
		e.RetryAfter = &seconds
	}
	return e
}
