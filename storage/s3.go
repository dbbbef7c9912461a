package storage

import (
	"context"
	"errors"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"gocloud.dev/blob"
	"gocloud.dev/blob/s3blob"

	"github.com/safelight/safelight/fault"
)

// S3Config names a bucket and who may use it. Nothing comes from the environment.
type S3Config struct {
	Bucket, Prefix, Region string
	Endpoint               string // empty: Amazon's, of the region
	PathStyle              bool   // the bucket stands in the path, not in the host's name
	AccessKeyID            string
	SecretAccessKey        string
	SessionToken           string
	// Control is asked before each connection, with the address that the name became; nil lets all pass.
	Control func(network, address string, c syscall.RawConn) error
}

// OpenS3 returns the store of a bucket. It connects to nothing yet; fault.Invalid for a bucket that has no name.
func OpenS3(ctx context.Context, c S3Config) (Store, error) {
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: c.Control}
	client := s3.New(s3.Options{
		Region:       c.Region,
		UsePathStyle: c.PathStyle,
		Credentials:  credentials.NewStaticCredentialsProvider(c.AccessKeyID, c.SecretAccessKey, c.SessionToken),
		HTTPClient: &http.Client{
			// no proxy: it would connect where Control does not see it
			Transport: &http.Transport{DialContext: dialer.DialContext, TLSHandshakeTimeout: 10 * time.Second, ForceAttemptHTTP2: true,
				MaxIdleConnsPerHost: 64, IdleConnTimeout: 90 * time.Second},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, func(o *s3.Options) {
		if c.Endpoint != "" {
			o.BaseEndpoint = aws.String(c.Endpoint)
		}
	})
	b, err := s3blob.OpenBucket(ctx, client, c.Bucket, nil)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "the S3 bucket %q cannot be used", c.Bucket)
	}
	if c.Prefix != "" {
		b = blob.PrefixedBucket(b, c.Prefix+"/")
	}
	return OpenBucket(b), nil
}

// Reason returns the code with which S3 refused, such as AccessDenied; empty when err is no refusal of S3's.
func Reason(err error) string {
	var refused smithy.APIError
	if errors.As(err, &refused) {
		return refused.ErrorCode()
	}
	return ""
}
