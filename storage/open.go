package storage

import (
	"context"
	"net/url"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/s3blob" // the s3:// scheme

	"github.com/safelight/safelight/fault"
)

// Open returns the store at an address: `file:///folder` (or `file:folder`, relative), or
// `s3://bucket/prefix?region=&endpoint=&use_path_style=true`; credentials of S3 come from the
// environment as AWS names them. fault.Invalid for an address it cannot read.
func Open(ctx context.Context, address string) (Store, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fault.OnField(fault.Invalid, "storage", "the storage address cannot be read, expected file:///folder or s3://bucket/prefix")
	}
	switch u.Scheme {
	case "file":
		dir := u.Path
		if u.Opaque != "" {
			dir = u.Opaque
		} else if u.Host != "" {
			dir = u.Host + u.Path
		}
		if dir == "" {
			return nil, fault.OnField(fault.Invalid, "storage", "the storage address names no folder, expected file:///folder")
		}
		return OpenLocal(dir)
	case "s3":
		return openS3(ctx, u)
	}
	return nil, fault.OnField(fault.Invalid, "storage", "storage %q is unknown, expected file:///folder or s3://bucket/prefix", u.Scheme)
}

func openS3(ctx context.Context, u *url.URL) (Store, error) {
	prefix := u.Path
	u.Path = ""
	b, err := blob.OpenBucket(ctx, u.String())
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "the S3 address cannot be used, expected s3://bucket/prefix?region=&endpoint=&use_path_style=true")
	}
	if len(prefix) > 1 {
		b = blob.PrefixedBucket(b, prefix[1:]+"/")
	}
	return OpenBucket(b), nil
}
