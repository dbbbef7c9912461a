package storage

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// s3Bucket speaks S3's REST protocol with one bucket. It holds the few requests that a store needs: the SDK's client
// with all of S3 is ten megabytes of program.
type s3Bucket struct {
	base   *url.URL // of the bucket, without a final slash
	bucket string
	prefix string // of all names, empty or with a final slash
	region string
	keys   aws.CredentialsProvider
	signer *v4.Signer
	client *http.Client
}

func newS3Signer() *v4.Signer {
	return v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })
}

// s3Error is a refusal of S3's.
type s3Error struct {
	Status  int    `xml:"-"`
	Code    string // such as NoSuchKey; of a HEAD, whose answer has no body, the status text
	Message string
}

// Error implements error.
func (e *s3Error) Error() string {
	return strings.TrimSpace(fmt.Sprintf("S3 answered %d %s: %s", e.Status, e.Code, e.Message))
}

// s3Call is one request.
type s3Call struct {
	method, name string // name without prefix; empty with bucket
	onBucket     bool
	query        url.Values
	header       http.Header
	body         []byte
}

const (
	maxS3Tries  = 3
	s3Backoff   = 100 * time.Millisecond // doubles with each try
	maxS3Answer = 16 << 20               // bytes of XML
)

// do sends a request, again if the answer says that it may help, and returns an answer of 2xx. The caller closes its body.
func (s *s3Bucket) do(ctx context.Context, c s3Call) (*http.Response, error) {
	for try := 1; ; try++ {
		response, err := s.send(ctx, c)
		if err == nil && response.StatusCode/100 == 2 {
			return response, nil
		}
		if err == nil {
			err = refusal(response)
		}
		if try == maxS3Tries || ctx.Err() != nil || !worthRetrying(err) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(s3Backoff<<(try-1) + rand.N(s3Backoff)):
		}
	}
}

// worthRetrying reports whether the same request may succeed a moment later.
func worthRetrying(err error) bool {
	var refused *s3Error
	if !errors.As(err, &refused) {
		return true // of the network
	}
	return refused.Status >= 500 && refused.Status != http.StatusNotImplemented || refused.Status == http.StatusTooManyRequests
}

func (s *s3Bucket) send(ctx context.Context, c s3Call) (*http.Response, error) {
	u := *s.base
	if !c.onBucket {
		u.Path += "/" + s.prefix + c.name
		u.RawPath = s.base.EscapedPath() + "/" + escapeS3(s.prefix+c.name)
	} else if u.Path == "" {
		u.Path = "/"
	}
	u.RawQuery = c.query.Encode()
	request, err := http.NewRequestWithContext(ctx, c.method, u.String(), bytes.NewReader(c.body))
	if err != nil {
		return nil, err
	}
	request.URL = &u
	for name, values := range c.header {
		request.Header[name] = values
	}
	sum := sha256.Sum256(c.body)
	hash := hex.EncodeToString(sum[:])
	request.Header.Set("X-Amz-Content-Sha256", hash)
	keys, err := s.keys.Retrieve(ctx)
	if err != nil {
		return nil, fmt.Errorf("finding the S3 credentials: %w", err)
	}
	if err := s.signer.SignHTTP(ctx, keys, request, hash, "s3", s.region, time.Now()); err != nil {
		return nil, fmt.Errorf("signing the S3 request: %w", err)
	}
	return s.client.Do(request)
}

// refusal reads and closes an answer that is not 2xx.
func refusal(response *http.Response) error {
	defer response.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(response.Body, maxS3Answer)) // without it the status says enough
	e := &s3Error{}
	_ = xml.Unmarshal(text, e)
	e.Status = response.StatusCode
	if e.Code == "" {
		e.Code = strings.ReplaceAll(http.StatusText(e.Status), " ", "")
	}
	switch {
	case e.Status == http.StatusNotFound && e.Code != "NoSuchBucket":
		return errors.Join(errMissing, e)
	case e.Status == http.StatusPreconditionFailed, e.Code == "ConditionalRequestConflict":
		return errors.Join(errTaken, e)
	}
	return e
}

// answer reads the XML of an answer and closes it. Some answers of 200 are refusals in their body.
func answer(response *http.Response, into any) error {
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxS3Answer))
	if err != nil {
		return err
	}
	if e := (&s3Error{Status: response.StatusCode}); bytes.Contains(text, []byte("<Error>")) && xml.Unmarshal(text, e) == nil && e.Code != "" {
		return e
	}
	return xml.Unmarshal(text, into)
}

// escapeS3 escapes a name as the signature wants it: all but letters, digits, -._~ and slashes.
func escapeS3(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~/", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
