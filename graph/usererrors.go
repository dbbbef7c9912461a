package graph

import (
	"context"

	"github.com/google/uuid"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/graph/model"
)

// forUsers contains the codes of errors that the caller can fix. They are reported in the payload. All others
// are errors of the operation.
var forUsers = map[fault.Code]bool{
	fault.Invalid: true, fault.NotFound: true, fault.Conflict: true, fault.TooLarge: true, fault.UnsupportedType: true,
	fault.CorruptImage: true, fault.RateLimited: true, fault.Expired: true,
}

// refuse sets the user errors of a payload. It returns all other errors.
func refuse(list *[]*model.UserError, err error) (failed error) {
	*list, failed = userErrors(err)
	return failed
}

// changed returns the id of what a mutation changed, for its payload. It returns nil if err is not nil.
func changed(id string, err error) *string {
	if err != nil {
		return nil
	}
	return &id
}

// byID calls change with an id of the API, which field names. It returns the id for the payload as changed does.
func byID(
	ctx context.Context, id, field string, change func(context.Context, uuid.UUID) error,
) (*string, error) {
	parsed, err := parseID(id, field)
	if err == nil {
		err = change(ctx, parsed)
	}
	return changed(id, err), err
}

// userErrors returns an error either as user errors for a payload (never nil), or as an error of the
// operation.
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

// userError converts a fault to the format of the API.
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
