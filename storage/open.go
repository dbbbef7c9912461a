package storage

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/safelight/safelight/fault"
)

// Driver opens the stores whose addresses start with one scheme. A new driver implements Store, passes storagetest.Run,
// and is listed in drivers: settings, their documentation and the result cache follow from that.
type Driver struct {
	Scheme string
	Form   string // form of an address, for documentation and errors
	// Open returns fault.Invalid for an address that it cannot use.
	Open  func(ctx context.Context, u *url.URL, o OpenOptions) (Store, error)
	Place func(u *url.URL) string // the folder or bucket of an address, to show to users; without secrets
}

// OpenOptions says how a storage is opened.
type OpenOptions struct {
	ReadOnly    bool        // never write: a folder must exist, and its file system may be read-only
	Credentials Credentials // zero: taken from the environment
}

// Credentials are an access key. String hides them.
type Credentials struct{ ID, Secret, Session string }

// String reports whether there is a key, without showing it.
func (c Credentials) String() string {
	if c == (Credentials{}) {
		return "none"
	}
	return "********"
}

// GoString is String.
func (c Credentials) GoString() string { return c.String() }

// drivers are the drivers of this build, the default first.
var drivers = slices.Concat([]Driver{localDriver, s3Driver}, gsDrivers, azblobDrivers)

// optional are the schemes whose drivers need a build tag of the same name.
var optional = []string{"gs", "azblob"}

// Open returns the store at an address, such as `file:///folder` (or `file:folder`, relative) or
// `s3://bucket/prefix?region=&endpoint=&use_path_style=true`; credentials come from the environment as AWS, Google and
// Azure name them. It returns fault.Invalid for an address that it cannot parse or whose driver is not in this build.
func Open(ctx context.Context, address string) (Store, error) {
	return OpenWith(ctx, address, OpenOptions{})
}

// OpenWith is Open with options.
func OpenWith(ctx context.Context, address string, o OpenOptions) (Store, error) {
	d, u, err := driverOf(address)
	if err != nil {
		return nil, err
	}
	return d.Open(ctx, u, o)
}

// CheckAddress returns fault.Invalid for an address without a driver. The error shows only the scheme of the address.
func CheckAddress(address string) error {
	_, _, err := driverOf(address)
	return err
}

// NeedsTag reports whether the driver of a scheme needs a build tag of the same name.
func NeedsTag(scheme string) bool { return slices.Contains(optional, scheme) }

func driverOf(address string) (Driver, *url.URL, error) {
	u, err := url.Parse(address)
	if err != nil {
		return Driver{}, nil, fault.OnField(
			fault.Invalid, "storage", "the storage address cannot be read, expected %s", Forms(),
		)
	}
	if u.Scheme == localDriver.Scheme && u.Host != "" {
		folder := u.Host + u.EscapedPath()
		return Driver{}, nil, fault.OnField(
			fault.Invalid, "storage",
			"the storage address file://%[1]s has two slashes, expected three for an absolute folder (file:///%[1]s), "+
				"or none for one in the folder where the program is started (file:%[1]s)",
			folder,
		)
	}
	if i := slices.IndexFunc(drivers, func(d Driver) bool { return d.Scheme == u.Scheme }); i >= 0 {
		return drivers[i], u, nil
	}
	if u.Scheme == "" && u.Path != "" {
		form := "file:" + u.EscapedPath()
		if strings.HasPrefix(u.Path, "/") {
			form = "file://" + u.EscapedPath()
		}
		return Driver{}, nil, fault.OnField(
			fault.Invalid, "storage", "the storage address has no scheme, expected %s for this folder", form,
		)
	}
	if NeedsTag(u.Scheme) {
		return Driver{}, nil, fault.OnField(
			fault.Invalid, "storage",
			"this program was built without %[1]s://, expected one built with the tag %[1]s: make build TAGS=%[1]s",
			u.Scheme,
		)
	}
	return Driver{}, nil, fault.OnField(
		fault.Invalid, "storage", "storage %q is unknown, expected %s", u.Scheme, Forms(),
	)
}

// Place returns the scheme of an address and its folder or bucket, both empty for an address that Open rejects.
func Place(address string) (scheme, place string) {
	d, u, err := driverOf(address)
	if err != nil {
		return "", ""
	}
	return d.Scheme, d.Place(u)
}

// Forms returns the forms of addresses, for example "file:///folder or s3://bucket/prefix?...".
func Forms() string { return strings.Join(ofDrivers(func(d Driver) string { return d.Form }), " or ") }

// ShortForms is Forms as a list, without the parameters.
func ShortForms() string {
	return strings.Join(ofDrivers(func(d Driver) string { form, _, _ := strings.Cut(d.Form, "?"); return form }), ", ")
}

func ofDrivers(text func(Driver) string) []string {
	var all []string
	for _, d := range drivers {
		all = append(all, text(d))
	}
	return all
}

// errUnknownParameter is a driver's error for a parameter that it does not have.
var errUnknownParameter = errors.New("unknown parameter")

// eachParameter calls set with every parameter of an address. An error of set becomes fault.Invalid, which names the
// parameter and shows the form of the address.
func eachParameter(u *url.URL, form string, set func(name, value string) error) error {
	for name, values := range u.Query() {
		if err := set(name, values[0]); err != nil {
			return fault.OnField(fault.Invalid, "storage",
				"the parameter %s of the storage address is not valid, expected %s", name, form)
		}
	}
	return nil
}

// shownEndpoint returns an endpoint without user, password and query, to show to users.
func shownEndpoint(text string) string {
	scheme, rest, found := strings.Cut(text, "://")
	if found {
		scheme += "://"
	} else {
		scheme, rest = "", text
	}
	rest, _, _ = strings.Cut(rest[strings.LastIndex(rest, "@")+1:], "?")
	return scheme + rest
}

// prefixOf returns the prefix of all names of a bucket, from the path of its address: empty, or with a final slash.
func prefixOf(path string) string {
	if path = strings.Trim(path, "/"); path == "" {
		return ""
	}
	return path + "/"
}

var localDriver = Driver{Scheme: "file", Form: "file:///folder", Place: folderOf,
	Open: func(_ context.Context, u *url.URL, o OpenOptions) (Store, error) {
		folder := folderOf(u)
		if folder == "" {
			return nil, fault.OnField(
				fault.Invalid, "storage", "the storage address names no folder, expected file:///folder",
			)
		}
		return openLocal(folder, o.ReadOnly)
	}}

// folderOf returns the folder of a file URL, relative for file:folder.
func folderOf(u *url.URL) string {
	if u.Opaque != "" {
		return u.Opaque
	}
	return u.Path
}
