//go:build azblob

package storage

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"github.com/safelight/safelight/fault"
)

// azblobForm is the form of the address of a container of Azure Blob Storage.
const azblobForm = "azblob://account/container/prefix?endpoint=&anonymous=true"

var azblobDrivers = []Driver{{Scheme: "azblob", Form: azblobForm, Open: openAzblob, Place: func(u *url.URL) string {
	name, _, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	return u.Host + "/" + name
}}}

var (
	azblobAccount   = regexp.MustCompile(`^[a-z0-9]{3,24}$`)
	azblobContainer = regexp.MustCompile(`^(\$root|[a-z0-9][a-z0-9-]{1,61}[a-z0-9])$`)
)

// openAzblob returns the store at an address, without connecting to it.
func openAzblob(_ context.Context, u *url.URL, o OpenOptions) (Store, error) {
	endpoint, anonymous := "https://"+u.Host+".blob.core.windows.net", false
	err := eachParameter(u, azblobForm, func(name, value string) (err error) {
		switch name {
		case "endpoint":
			endpoint = strings.TrimRight(value, "/")
		case "anonymous":
			anonymous, err = strconv.ParseBool(value)
		default:
			err = errUnknownParameter
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	name, prefix, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if !azblobAccount.MatchString(u.Host) || !azblobContainer.MatchString(name) {
		return nil, fault.OnField(
			fault.Invalid, "storage",
			"Azure does not accept %q as an account and %q as its container, expected %s", u.Host, name,
			azblobForm,
		)
	}
	if err := checkEndpoint(endpoint, true); err != nil {
		return nil, err
	}
	transport, b := newTransport(nil, http.ProxyFromEnvironment), &breaker{}
	c := azblobAccess{account: u.Host, container: endpoint + "/" + name, anonymous: anonymous, own: o.Credentials}
	c.client = policy.ClientOptions{
		Transport: azblobTransport{timeoutTransport{transport, b, isAzblobList}},
		Telemetry: policy.TelemetryOptions{Disabled: true},
		Retry:     policy.RetryOptions{MaxRetries: maxTries - 1, RetryDelay: firstPause, MaxRetryDelay: lastPause},
	}
	client, err := c.open()
	if err != nil {
		return nil, err
	}
	return &bucket{
		o: &azblobContainerClient{client: client, prefix: prefixOf(prefix), transport: transport, breaker: b},
	}, nil
}

// azblobTransport counts the requests of a change.
type azblobTransport struct{ next http.RoundTripper }

// Do implements policy.Transporter.
func (t azblobTransport) Do(r *http.Request) (*http.Response, error) {
	countTry(r)
	return t.next.RoundTrip(r)
}

func isAzblobList(r *http.Request) bool { return r.URL.Query().Get("comp") == "list" }

// azblobAccess chooses the credentials of a container.
type azblobAccess struct {
	account, container string // account name, and URL of the container
	anonymous          bool
	own                Credentials
	client             policy.ClientOptions
}

// open uses the first of these: the key of a mount; AZURE_STORAGE_KEY, unless AZURE_STORAGE_ACCOUNT names another
// account; AZURE_STORAGE_SAS_TOKEN; an identity of Microsoft Entra, which is AZURE_TENANT_ID and AZURE_CLIENT_ID with a
// secret or certificate, the workload identity of AKS, or the managed identity of the machine.
func (c azblobAccess) open() (*container.Client, error) {
	options := &container.ClientOptions{ClientOptions: c.client}
	if c.anonymous {
		return azblobOpened(container.NewClientWithNoCredential(c.container, options))
	}
	account, key := firstEnv("AZURE_STORAGE_ACCOUNT"), os.Getenv("AZURE_STORAGE_KEY")
	if account != "" && account != c.account {
		key = ""
	}
	if c.own.ID != "" {
		if key = c.own.Secret; c.own.ID != c.account {
			return nil, fault.OnField(
				fault.Invalid, "storage", "the key is of the account %s, expected one of %s", c.own.ID,
				c.account,
			)
		}
	}
	if key != "" {
		shared, err := container.NewSharedKeyCredential(c.account, key)
		if err != nil {
			return nil, fault.OnField(fault.Invalid, "storage", "the key of the Azure account is not base64")
		}
		return azblobOpened(container.NewClientWithSharedKeyCredential(c.container, shared, options))
	}
	if err := checkEndpoint(c.container, false); err != nil {
		return nil, err
	}
	if token := strings.TrimPrefix(os.Getenv("AZURE_STORAGE_SAS_TOKEN"), "?"); token != "" {
		return azblobOpened(container.NewClientWithNoCredential(c.container+"?"+token, options))
	}
	identity, err := c.identity()
	if err != nil {
		return nil, err
	}
	return azblobOpened(container.NewClient(c.container, identity, options))
}

func azblobOpened(client *container.Client, err error) (*container.Client, error) {
	if err != nil {
		return nil, fault.OnField(fault.Invalid, "storage", "the Azure address cannot be used, expected %s", azblobForm)
	}
	return client, nil
}

func (c azblobAccess) identity() (azcore.TokenCredential, error) {
	// The token client has its own transport, because a failure to get a token says nothing about the storage.
	options := azcore.ClientOptions{Retry: c.client.Retry}
	var chain []azcore.TokenCredential
	if os.Getenv("AZURE_CLIENT_SECRET") != "" || os.Getenv("AZURE_CLIENT_CERTIFICATE_PATH") != "" {
		found, err := azidentity.NewEnvironmentCredential(
			&azidentity.EnvironmentCredentialOptions{ClientOptions: options},
		)
		if err != nil {
			return nil, fault.OnField(
				fault.Invalid, "storage",
				"the Azure identity of the environment is incomplete, expected AZURE_TENANT_ID and AZURE_CLIENT_ID too",
			)
		}
		chain = append(chain, found)
	}
	if os.Getenv("AZURE_FEDERATED_TOKEN_FILE") != "" {
		workload := &azidentity.WorkloadIdentityCredentialOptions{ClientOptions: options}
		if found, err := azidentity.NewWorkloadIdentityCredential(workload); err == nil {
			chain = append(chain, found)
		}
	}
	managed := &azidentity.ManagedIdentityCredentialOptions{ClientOptions: options}
	if id := os.Getenv("AZURE_CLIENT_ID"); id != "" {
		managed.ID = azidentity.ClientID(id)
	}
	if found, err := azidentity.NewManagedIdentityCredential(managed); err == nil {
		chain = append(chain, found)
	}
	return azidentity.NewChainedTokenCredential(chain, nil)
}
