package graph

import (
	"context"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/backend"
	"github.com/safelight/safelight/graph/model"
)

// StorageStatus answers storageStatus.
func (q query) StorageStatus(ctx context.Context) (*backend.Status, error) {
	status, err := q.rules.Backend.StorageStatus(ctx)
	if err == nil && !auth.FromContext(ctx).Has(auth.ScopeAdmin) {
		status.Place, status.Problem = "", ""
	}
	return status, err
}

// ConfigureFileStorage answers configureFileStorage.
func (m mutation) ConfigureFileStorage(ctx context.Context, input model.FileStorageInput) (*model.StorageConfigResult, error) {
	return m.configureStorage(ctx, backend.Input{Folder: input.BaseDir})
}

// ConfigureS3Storage answers configureS3Storage.
func (m mutation) ConfigureS3Storage(ctx context.Context, input model.S3StorageInput) (*model.StorageConfigResult, error) {
	return m.configureStorage(ctx, s3Input(input))
}

func (m mutation) configureStorage(ctx context.Context, in backend.Input) (*model.StorageConfigResult, error) {
	if err := m.rules.Backend.ConfigureStorage(ctx, in); err != nil {
		return nil, err
	}
	r := &model.StorageConfigResult{Success: true, Timestamp: time.Now(), Message: "The storage works and is in use; files are not moved"}
	if err := m.rules.Backend.Use(ctx); err != nil {
		r.RestartRequired, r.Message = true, "The storage works and is chosen, but this server still uses the one before: "+fault.Of(err).Message
	}
	return r, nil
}

func s3Input(in model.S3StorageInput) backend.Input {
	return backend.S3Input(backend.S3Parts{
		Bucket: in.Bucket, Prefix: value(in.BaseDir.Value()), Region: value(in.Region.Value()), Endpoint: value(in.Endpoint.Value()), PathStyle: value(in.ForcePathStyle.Value()),
		AccessKeyID: value(in.AccessKeyID.Value()), SecretAccessKey: value(in.SecretAccessKey.Value()), SessionToken: value(in.SessionToken.Value()),
	})
}

// TestStorageConfig answers testStorageConfig. An unusable storage is a result, not an error.
func (m mutation) TestStorageConfig(ctx context.Context, input model.StorageConfigInput) (*model.StorageTestResult, error) {
	in, err := storageInput(input)
	if err != nil {
		return nil, err
	}
	err = m.rules.Backend.TestStorage(ctx, in)
	switch fault.CodeOf(err) {
	case "":
		return &model.StorageTestResult{Success: true, Message: "An object was written, read and deleted"}, nil
	case fault.Internal, fault.Canceled, fault.Conflict:
		return nil, err
	}
	r := &model.StorageTestResult{Message: fault.Of(err).Message}
	if code := backend.Reason(err); code != "" {
		r.Details = &code
	}
	return r, nil
}

func storageInput(in model.StorageConfigInput) (backend.Input, error) {
	switch file, s3 := in.FileConfig.Value(), in.S3Config.Value(); {
	case in.Type == model.StorageTypeFile && file != nil && s3 == nil:
		return backend.Input{Folder: file.BaseDir}, nil
	case in.Type == model.StorageTypeS3 && s3 != nil && file == nil:
		return s3Input(*s3), nil
	}
	return backend.Input{}, fault.OnField(fault.Invalid, "input", "the input does not match type %s, expected only fileConfig for FILE or only s3Config for S3", in.Type)
}
