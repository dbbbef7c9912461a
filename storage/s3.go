package storage

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"

	"github.com/safelight/safelight/fault"
)

// s3Form is the form of an address.
const s3Form = "s3://bucket/prefix?region=&endpoint=&use_path_style=true"

var s3Driver = Driver{Scheme: "s3", Form: s3Form, Open: openS3Address, Place: func(u *url.URL) string { return u.Host }}

// S3Config is a bucket with its credentials. Nothing is read from the environment.
type S3Config struct {
	Bucket, Prefix, Region string
	Endpoint               string // empty: Amazon's endpoint of the region
	PathStyle              bool   // the bucket is part of the path, not of the host name
	AccessKeyID            string
	SecretAccessKey        string
	SessionToken           string
	// Control is called before each connection, with the resolved address; nil: all are allowed.
	Control func(network, address string, c syscall.RawConn) error
}

// OpenS3 returns the store of a bucket, without connecting to it. It returns fault.Invalid if S3 does not accept the
// bucket's name, or if the endpoint is not a URL of scheme, host and port.
func OpenS3(_ context.Context, c S3Config) (Store, error) {
	// No proxy is used, because it would connect on behalf of this program and bypass Control.
	return openS3(
		c,
		credentials.NewStaticV4(c.AccessKeyID, c.SecretAccessKey, c.SessionToken),
		newTransport(c.Control, nil),
	)
}

// openS3Address opens the bucket of an address, with the credentials of o, or with those that s3Credentials finds.
func openS3Address(_ context.Context, u *url.URL, o OpenOptions) (Store, error) {
	c := S3Config{
		Bucket:   u.Host,
		Prefix:   strings.Trim(u.Path, "/"),
		Region:   firstEnv("AWS_REGION", "AWS_DEFAULT_REGION"),
		Endpoint: firstEnv("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
	}
	err := eachParameter(u, s3Form, func(name, value string) (err error) {
		switch name {
		case "region":
			c.Region = value
		case "endpoint":
			c.Endpoint = value
		case "use_path_style":
			c.PathStyle, err = strconv.ParseBool(value)
		default:
			err = errUnknownParameter
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	keys := s3Credentials()
	if own := o.Credentials; own.ID != "" {
		keys = credentials.NewStaticV4(own.ID, own.Secret, own.Session)
	}
	return openS3(c, keys, newTransport(nil, http.ProxyFromEnvironment))
}

func firstEnv(names ...string) string {
	for _, name := range names {
		if value := os.Getenv(name); value != "" {
			return value
		}
	}
	return ""
}

func openS3(c S3Config, keys *credentials.Credentials, transport *http.Transport) (Store, error) {
	if c.Bucket == "" {
		return nil, fault.OnField(fault.Invalid, "storage", "the S3 address names no bucket, expected %s", s3Form)
	}
	if s3utils.CheckValidBucketName(c.Bucket) != nil {
		return nil, fault.OnField(fault.Invalid, "storage", "S3 does not accept %q as a bucket's name", c.Bucket)
	}
	if c.Region == "" {
		c.Region = "us-east-1"
	}
	if c.Endpoint == "" {
		c.Endpoint = "https://s3." + c.Region + ".amazonaws.com"
	}
	base, err := url.Parse(strings.TrimRight(c.Endpoint, "/"))
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.Path != "" {
		return nil, fault.OnField(
			fault.Invalid, "storage",
			"the S3 endpoint %q is not a URL of scheme and host, expected one such as https://s3.example.com",
			shownEndpoint(c.Endpoint),
		)
	}
	lookup := minio.BucketLookupDNS
	// A certificate covers only one label below the endpoint, and an IP address has no names below it.
	if c.PathStyle || strings.Contains(c.Bucket, ".") || net.ParseIP(base.Hostname()) != nil {
		lookup = minio.BucketLookupPath
	}
	b := &breaker{}
	client, err := minio.New(base.Host, &minio.Options{
		Creds:        keys,
		Secure:       base.Scheme == "https",
		Transport:    conditions{timeoutTransport{transport, b, isS3List}},
		Region:       c.Region,
		BucketLookup: lookup,
		MaxRetries:   maxTries,
	})
	if err != nil {
		return nil, fault.OnField(fault.Invalid, "storage", "the S3 endpoint %s cannot be used: %v", c.Endpoint, err)
	}
	return &bucket{o: &s3Bucket{
		client: client, bucket: c.Bucket, prefix: prefixOf(c.Prefix), transport: transport, breaker: b,
	}}, nil
}

// Reason returns the error code of an object store, such as AccessDenied; empty if err contains no such response.
func Reason(err error) string {
	var refused minio.ErrorResponse
	if errors.As(err, &refused) {
		return refused.Code
	}
	var other *refusal
	if errors.As(err, &other) {
		return other.code
	}
	return ""
}
