package storage

import (
	"bufio"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/ec2rolecreds"
	"github.com/aws/aws-sdk-go-v2/credentials/endpointcreds"
)

// s3Credentials finds credentials where AWS tools look for them: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, the
// profile AWS_PROFILE of the shared credentials file, the endpoint of an ECS task or EKS pod identity, and the role of the
// EC2 instance. They are looked for when the first request needs them, and again before they expire.
func s3Credentials() aws.CredentialsProvider {
	return aws.NewCredentialsCache(aws.CredentialsProviderFunc(func(ctx context.Context) (aws.Credentials, error) {
		if c := (aws.Credentials{AccessKeyID: os.Getenv("AWS_ACCESS_KEY_ID"), SecretAccessKey: os.Getenv("AWS_SECRET_ACCESS_KEY"),
			SessionToken: os.Getenv("AWS_SESSION_TOKEN"), Source: "environment"}); c.HasKeys() {
			return c, nil
		}
		if c, err := sharedCredentials(); c.HasKeys() || err != nil {
			return c, err
		}
		if endpoint := containerEndpoint(); endpoint != "" {
			return endpointcreds.New(endpoint, containerToken).Retrieve(ctx)
		}
		if strings.EqualFold(os.Getenv("AWS_EC2_METADATA_DISABLED"), "true") {
			return aws.Credentials{}, errors.New("no S3 credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
		}
		return ec2rolecreds.New().Retrieve(ctx)
	}))
}

// containerEndpoint returns the address that ECS or EKS names; empty elsewhere.
func containerEndpoint() string {
	if path := os.Getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"); path != "" {
		return "http://169.254.170.2" + path
	}
	return os.Getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI")
}

func containerToken(o *endpointcreds.Options) {
	o.AuthorizationToken = os.Getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN")
	if file := os.Getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); file != "" {
		o.AuthorizationTokenProvider = endpointcreds.TokenProviderFunc(func() (string, error) {
			token, err := os.ReadFile(file)
			return strings.TrimSpace(string(token)), err
		})
	}
}

// sharedCredentials reads a profile of the shared credentials file; no keys if there is none.
func sharedCredentials() (aws.Credentials, error) {
	file := os.Getenv("AWS_SHARED_CREDENTIALS_FILE")
	if file == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return aws.Credentials{}, nil
		}
		file = filepath.Join(home, ".aws", "credentials")
	}
	f, err := os.Open(file)
	if err != nil {
		return aws.Credentials{}, nil // as if it were empty: most machines have none
	}
	defer f.Close()
	profile := firstEnv("AWS_PROFILE", "AWS_DEFAULT_PROFILE")
	if profile == "" {
		profile = "default"
	}
	c, inside := aws.Credentials{Source: file}, false
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(line, "[") {
			inside = strings.TrimSpace(strings.Trim(line, "[]")) == profile
			continue
		}
		name, value, _ := strings.Cut(line, "=")
		if value = strings.TrimSpace(value); !inside {
			continue
		}
		switch strings.TrimSpace(name) {
		case "aws_access_key_id":
			c.AccessKeyID = value
		case "aws_secret_access_key":
			c.SecretAccessKey = value
		case "aws_session_token":
			c.SessionToken = value
		}
	}
	return c, lines.Err()
}
