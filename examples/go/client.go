// Package client talks to Safelight from Go. Every operation of operations.graphql is a function in
// generated.go, made by genqlient from the SDL; this file signs in, sends files and loads pictures.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/Khan/genqlient/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// Client is a signed-in connection to one server; hand it to the functions of generated.go. It is
// safe for concurrent use.
type Client struct {
	graphql.Client
	base *url.URL
	http *http.Client
}

// bearer adds the token to requests to one host, and to no other.
type bearer struct {
	token, host string
	next        http.RoundTripper
}

// RoundTrip sends the request with the token.
func (b bearer) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Host == b.host {
		request = request.Clone(request.Context())
		request.Header.Set("Authorization", "Bearer "+b.token)
	}
	return b.next.RoundTrip(request)
}

// New returns a client of the server at address, such as http://127.0.0.1:8000, that sends token:
// an API token, or that of a session. It asks nothing yet.
func New(address, token string) (*Client, error) {
	base, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("reading the address: %w", err)
	}
	if base.Host == "" {
		return nil, fmt.Errorf("%q is no absolute URL", address)
	}
	client := &http.Client{Transport: bearer{token: token, host: base.Host, next: http.DefaultTransport}}
	return &Client{
		Client: graphql.NewClient(base.JoinPath("api/graphql").String(), client),
		base:   base,
		http:   client,
	}, nil
}

// Login signs in with a name and a password. The error of a refusal holds the server's code.
func Login(ctx context.Context, address, username, password string) (*Client, error) {
	body, err := json.Marshal(map[string]string{"username": username, "password": password})
	if err != nil {
		return nil, err
	}
	anyone, err := New(address, "")
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(
		ctx, http.MethodPost, anyone.base.JoinPath("api/auth/login").String(), bytes.NewReader(body),
	)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("logging in: %w", err)
	}
	defer response.Body.Close()
	var answer struct{ Token, Error, Message string }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return nil, fmt.Errorf("logging in: %s: %w", response.Status, err)
	}
	if answer.Token == "" {
		return nil, fmt.Errorf("logging in: %s: %s", answer.Error, answer.Message)
	}
	return New(address, answer.Token)
}

// Picture loads a URL that the server gave, absolute or not. An answer other than 200 is an error.
func (c *Client) Picture(ctx context.Context, address string) (content []byte, mediaType string, err error) {
	response, err := c.send(ctx, http.MethodGet, address, nil, nil)
	if err != nil {
		return nil, "", err
	}
	return response.content, response.header.Get("Content-Type"), nil
}

// Upload writes a file in one piece and returns the path that it got, which with RENAME may be
// another one. A refusal is an error that starts with its code.
func (c *Client) Upload(ctx context.Context, path string, content []byte, conflict ConflictPolicy) (string, error) {
	created, err := CreateUpload(ctx, c, path, int64(len(content)), conflict)
	if err != nil {
		return "", err
	}
	for _, refusal := range created.CreateUpload.UserErrors {
		return "", fmt.Errorf("%s: %s", refusal.Code, refusal.Message)
	}
	upload := created.CreateUpload.Upload
	header := http.Header{}
	for _, h := range upload.Headers {
		header.Set(h.Name, h.Value)
	}
	if _, err := c.send(ctx, http.MethodPut, upload.Url, header, content); err != nil {
		return "", err
	}
	finished, err := FinishUpload(ctx, c, upload.Id)
	if err != nil {
		return "", err
	}
	for _, refusal := range finished.FinishUpload.UserErrors {
		return "", fmt.Errorf("%s: %s", refusal.Code, refusal.Message)
	}
	if finished.FinishUpload.File == nil {
		return "", errors.New("the file has been removed since")
	}
	return finished.FinishUpload.File.Path, nil
}

// Code returns the code of an error that the server answered a GraphQL request with, such as
// NOT_FOUND; empty for any other error.
func Code(err error) string {
	var list gqlerror.List
	if !errors.As(err, &list) || len(list) == 0 {
		return ""
	}
	code, _ := list[0].Extensions["code"].(string)
	return code
}

type answer struct {
	header  http.Header
	content []byte
}

func (c *Client) send(ctx context.Context, method, address string, header http.Header, body []byte) (*answer, error) {
	target, err := c.base.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("reading a URL: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, method, target.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, values := range header {
		request.Header[name] = values
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	if response.StatusCode/100 != 2 {
		return nil, fmt.Errorf("%s %s: %s %s", method, target.Path, response.Status, content)
	}
	return &answer{header: response.Header, content: content}, nil
}
