package graph

import (
	"context"
	"strings"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/storageconfig"
	"github.com/safelight/safelight/graph/model"
)

// StorageStatus resolves storageStatus.
func (q query) StorageStatus(ctx context.Context) (*storageconfig.Status, error) {
	status, err := q.rules.Backend.StorageStatus(ctx)
	if err == nil && !auth.FromContext(ctx).Has(auth.ScopeAdmin) {
		status.Place, status.Problem = "", ""
	}
	return status, err
}

type storageFields struct{}

// Kind resolves StorageStatus.kind.
func (storageFields) Kind(_ context.Context, s *storageconfig.Status) (model.StorageKind, error) {
	return model.StorageKind(strings.ToUpper(s.Type)), nil
}

// ConfigureStorage resolves configureStorage.
func (m mutation) ConfigureStorage(
	ctx context.Context,
	input model.StorageInput,
) (*model.ConfigureStoragePayload, error) {
	refused, err := userErrors(m.rules.Backend.ConfigureStorage(ctx, storageInput(input)))
	if err != nil {
		return nil, err
	}
	p := &model.ConfigureStoragePayload{UserErrors: refused}
	if len(refused) > 0 {
		return p, nil
	}
	problem := m.rules.Backend.Use(ctx)
	if p.Storage, err = m.rules.Backend.StorageStatus(ctx); err != nil {
		return nil, err
	}
	// This request, and so its status, still belongs to the previous storage.
	if p.Storage.RestartRequired = problem != nil; problem != nil {
		p.Storage.Problem = fault.Of(problem).Message
		return p, nil
	}
	p.Storage.Reachable = true
	if file := input.File.Value(); file != nil {
		p.Storage.Type, p.Storage.Place = "file", file.BaseDir
	} else {
		p.Storage.Type, p.Storage.Place = "s3", input.S3.Value().Bucket
	}
	return p, nil
}

// TestStorage resolves testStorage. An unusable storage is reported as a result, not as an error.
func (m mutation) TestStorage(ctx context.Context, input model.StorageInput) (*model.TestStoragePayload, error) {
	err := m.rules.Backend.TestStorage(ctx, storageInput(input))
	p := &model.TestStoragePayload{UserErrors: []*model.UserError{}}
	switch fault.CodeOf(err) {
	case "":
		p.Test = &model.StorageTest{Ok: true, Message: "An object was written, read and deleted"}
	case fault.Internal, fault.Canceled:
		return nil, err
	case fault.Conflict:
		p.UserErrors, err = userErrors(err)
		return p, err
	default:
		p.Test = &model.StorageTest{Message: fault.Of(err).Message, StorageCode: optional(storageconfig.Reason(err))}
	}
	return p, nil
}

// storageInput converts a @oneOf input, of which exactly one field is set.
func storageInput(input model.StorageInput) storageconfig.Input {
	s3 := input.S3.Value()
	if file := input.File.Value(); file != nil {
		return storageconfig.Input{Folder: file.BaseDir}
	}
	return storageconfig.S3Input(storageconfig.S3Parts{
		Bucket:          s3.Bucket,
		Prefix:          value(s3.BaseDir.Value()),
		Region:          value(s3.Region.Value()),
		Endpoint:        value(s3.Endpoint.Value()),
		PathStyle:       value(s3.ForcePathStyle.Value()),
		AccessKeyID:     value(s3.AccessKeyID.Value()),
		SecretAccessKey: value(s3.SecretAccessKey.Value()),
		SessionToken:    value(s3.SessionToken.Value()),
	})
}
