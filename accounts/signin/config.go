// Package signin signs people in through OpenID Connect providers. It sends the browser to a provider, and
// verifies the response. Package accounts decides which account the person gets, and what it may do.
package signin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/safelight/safelight/auth"
)

// Config is a provider in the file of the setting sign-in-providers.
type Config struct {
	ID     string `json:"id"`     // used in the redirect URI, BASE_URL/signin/ID
	Name   string `json:"name"`   // label of the button
	Issuer string `json:"issuer"` // issuer exactly as the provider writes it
	// The client that is registered at the provider. Its secret is read from a file or an environment
	// variable, never from the configuration itself. A public client has no secret.
	ClientID         string `json:"clientId"`
	ClientSecretFile string `json:"clientSecretFile"`
	ClientSecretEnv  string `json:"clientSecretEnv"`
	// Scopes are requested in addition to openid; empty: profile and email.
	Scopes []string `json:"scopes"`
	// RolesClaim is the name of a claim, a text or a list, whose values determine the role at each sign-in.
	// It is read from the ID token or else from the userinfo endpoint. Dots separate the names of nested
	// objects. Empty: roles are not mapped.
	RolesClaim string   `json:"rolesClaim"`
	Admins     []string `json:"admins"` // values for the role admin; empty: users keep their current role
	Users      []string `json:"users"`  // values for the role user; empty: everyone who is not an admin
	// LinkByEmail links a new subject to the account whose username is the subject's e-mail address, if the
	// provider has verified the address.
	LinkByEmail    bool `json:"linkByEmail"`
	CreateAccounts bool `json:"createAccounts"` // a new subject gets an account
	EndSession     bool `json:"endSession"`     // logging out also logs out at the provider

	secret string
}

var providerID = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// Load reads a file of providers and their secrets. Errors name the file, the provider and the field.
func Load(file string, getenv func(string) string) ([]Config, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the sign-in providers: %w", err)
	}
	var all []Config
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		return nil, fmt.Errorf("%s is not a JSON list of sign-in providers: %w", file, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%s has text after the list of sign-in providers", file)
	}
	seen := map[string]bool{}
	for i := range all {
		c := &all[i]
		if err := c.complete(getenv); err != nil {
			return nil, fmt.Errorf("%s, provider %q: %w", file, c.ID, err)
		}
		if seen[c.ID] {
			return nil, fmt.Errorf("%s has two providers with the id %q", file, c.ID)
		}
		seen[c.ID] = true
	}
	return all, nil
}

// complete checks the fields and reads the secret.
func (c *Config) complete(getenv func(string) string) error {
	switch {
	case !providerID.MatchString(c.ID):
		return fmt.Errorf("id must have 1 to 32 lowercase letters, digits and hyphens")
	case c.Name == "" || len(c.Name) > 100:
		return fmt.Errorf("name must have 1 to 100 bytes")
	case c.ClientID == "":
		return fmt.Errorf("clientId is missing")
	case c.ClientSecretFile != "" && c.ClientSecretEnv != "":
		return fmt.Errorf("clientSecretFile and clientSecretEnv are both set, expected one")
	case c.RolesClaim == "" && len(c.Admins)+len(c.Users) > 0:
		return fmt.Errorf("admins and users need rolesClaim")
	case c.RolesClaim != "" && len(c.Admins)+len(c.Users) == 0:
		return fmt.Errorf("rolesClaim needs admins or users, else every admin would become a user")
	}
	if err := checkURL(c.Issuer); err != nil {
		return fmt.Errorf("issuer %q %w", c.Issuer, err)
	}
	if c.ClientSecretFile != "" {
		data, err := os.ReadFile(c.ClientSecretFile)
		if err != nil {
			return fmt.Errorf("reading clientSecretFile: %w", err)
		}
		if c.secret = strings.TrimSpace(string(data)); c.secret == "" {
			return fmt.Errorf("the file %s of the client secret is empty", c.ClientSecretFile)
		}
	}
	if c.ClientSecretEnv != "" {
		if c.secret = getenv(c.ClientSecretEnv); c.secret == "" {
			return fmt.Errorf("the variable %s of the client secret is not set", c.ClientSecretEnv)
		}
	}
	if len(c.Scopes) == 0 {
		c.Scopes = []string{"profile", "email"}
	}
	return nil
}

// checkURL returns an error unless a URL of a provider uses https, or http on this computer.
func checkURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return fmt.Errorf("is not a URL of a server")
	}
	ip := net.ParseIP(u.Hostname())
	local := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	if u.Scheme != "https" && (u.Scheme != "http" || !local) {
		return fmt.Errorf("is not https, which only a provider on localhost may do without")
	}
	return nil
}

// role returns the role for claims. The role is empty if it does not change. denied reports that the person
// has no access.
func (c *Config) role(claims map[string]any) (role auth.Role, denied bool) {
	if c.RolesClaim == "" {
		return "", false
	}
	values := valuesOf(claims, c.RolesClaim)
	has := func(wanted []string) bool {
		return slices.ContainsFunc(values, func(v string) bool { return slices.Contains(wanted, v) })
	}
	switch {
	case has(c.Admins):
		return auth.RoleAdmin, false
	case len(c.Users) > 0 && !has(c.Users):
		return "", true
	case len(c.Admins) == 0:
		return "", false
	}
	return auth.RoleUser, false
}

// claimOf returns a claim. The name of a claim may contain dots, for example if it is a URL.
func claimOf(claims map[string]any, path string) (value any, ok bool) {
	if value, ok = claims[path]; ok {
		return value, true
	}
	name, rest, deeper := strings.Cut(path, ".")
	inner, isObject := claims[name].(map[string]any)
	if !deeper || !isObject {
		return nil, false
	}
	return claimOf(inner, rest)
}

// valuesOf returns the texts of a claim.
func valuesOf(claims map[string]any, path string) []string {
	value, _ := claimOf(claims, path)
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		var texts []string
		for _, one := range v {
			if text, ok := one.(string); ok {
				texts = append(texts, text)
			}
		}
		return texts
	}
	return nil
}
