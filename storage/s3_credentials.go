package storage

import (
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
)

// metadataTimeout limits a request for credentials. Outside of AWS nothing listens at the address of the metadata
// service.
const metadataTimeout = 5 * time.Second

// s3Credentials finds credentials where AWS's own tools do, when the first request needs them and again before they
// expire: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; the profile AWS_PROFILE of ~/.aws/credentials, then of
// ~/.aws/config, with its credential_process; the web identity of a Kubernetes service account (IRSA); EKS pod identity
// or an ECS task; the role of the EC2 instance.
func s3Credentials() *credentials.Credentials {
	providers := []credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}}
	if file, profile := awsConfig(); file != "" {
		providers = append(providers, &credentials.FileAWSCredentials{Filename: file, Profile: profile})
	}
	onAWS := firstEnv(
		"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI",
	) != ""
	if onAWS || !strings.EqualFold(os.Getenv("AWS_EC2_METADATA_DISABLED"), "true") {
		providers = append(providers, &credentials.IAM{Client: &http.Client{Timeout: metadataTimeout}})
	}
	return credentials.NewChainCredentials(providers)
}

// awsConfig returns the shared configuration file and the name of the profile's section in it; both are empty without
// such a file.
func awsConfig() (file, section string) {
	file = os.Getenv("AWS_CONFIG_FILE")
	if home, err := os.UserHomeDir(); file == "" && err == nil {
		file = home + "/.aws/config"
	}
	if _, err := os.Stat(file); err != nil {
		return "", ""
	}
	if section = os.Getenv("AWS_PROFILE"); section != "" && section != "default" {
		section = "profile " + section
	}
	return file, section
}
