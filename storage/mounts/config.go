package mounts

import (
	"crypto/sha256"
	"encoding/hex"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// Config is one mount.
type Config struct {
	Name     storage.Key // one visible segment of at most maxName bytes
	Address  string      // address for storage.OpenWith
	ReadOnly bool
}

// Form is the form of the text that Parse expects.
const Form = "NAME=URL separated by commas, such as " +
	"archive=s3://bucket/prefix?region=eu-central-1&readonly=true,scans=file:///mnt/scans"

// KeysForm is the form of the text that ParseKeys expects.
const KeysForm = "NAME=KEY:SECRET separated by commas or lines, where NAME is a mount"

// maxName is the max length of a name in bytes, which is part of the ids of trash items.
const maxName = 32

// Parse reads mounts in the form of Form. Its error is fault.Invalid, which does not contain the address.
func Parse(text string) ([]Config, error) {
	var list []Config
	for _, part := range strings.Split(text, ",") {
		name, address, _ := strings.Cut(part, "=")
		c, err := parseOne(strings.TrimSpace(name), strings.TrimSpace(address))
		if err != nil {
			return nil, err
		}
		for _, o := range list {
			if strings.EqualFold(string(o.Name), string(c.Name)) {
				return nil, invalid("%s is mounted twice", c.Name)
			}
		}
		list = append(list, c)
	}
	return list, nil
}

func parseOne(name, address string) (Config, error) {
	k, err := storage.ParseKey(name)
	switch {
	case err != nil || k == "" || string(k) != name && k.Name() != string(k) || k.IsHidden():
		return Config{}, invalid("the name of a mount is not valid for a folder, expected %s", Form)
	case k.Parent() != "":
		return Config{}, invalid(
			"the mount %s is in a folder, expected a name without a slash: mounts are folders of the root",
			k,
		)
	case len(k) > maxName:
		return Config{}, invalid("the name %s has %d bytes, expected at most %d", k, len(k), maxName)
	}
	u, err := url.Parse(address)
	if err != nil || u.User != nil || u.Fragment != "" {
		return Config{}, invalid(
			"the address of %s cannot be read, expected %s without a user or password: keys are set by "+
				"storage-mount-keys",
			k, storage.Forms(),
		)
	}
	c := Config{Name: k}
	q := u.Query()
	if text := q.Get("readonly"); text != "" {
		if c.ReadOnly, err = strconv.ParseBool(text); err != nil {
			return Config{}, invalid("readonly of %s is neither true nor false", k)
		}
	}
	q.Del("readonly")
	u.RawQuery = q.Encode()
	c.Address = u.String()
	if err := storage.CheckAddress(c.Address); err != nil {
		return Config{}, err
	}
	if u.Scheme == fileScheme && !filepath.IsAbs(c.folder()) {
		return Config{}, invalid("the folder of %s is relative, expected file:///folder", k)
	}
	return c, nil
}

// ParseKeys reads access keys by the name of their mount, in the form of KeysForm. Its error is fault.Invalid, which
// does not contain a key.
func ParseKeys(text string) (map[storage.Key]storage.Credentials, error) {
	keys := map[storage.Key]storage.Credentials{}
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' || r == '\r' }) {
		name, pair, _ := strings.Cut(strings.TrimSpace(line), "=")
		id, secret, _ := strings.Cut(strings.TrimSpace(pair), ":")
		k, err := storage.ParseKey(strings.TrimSpace(name))
		if err != nil || k == "" || id == "" || secret == "" {
			return nil, invalid("an access key is incomplete")
		}
		keys[k] = storage.Credentials{ID: id, Secret: secret}
	}
	return keys, nil
}

const fileScheme = "file"

// folder returns the folder of a mount with a file address; empty for other mounts.
func (c Config) folder() string {
	if scheme, place := storage.Place(c.Address); scheme == fileScheme {
		return place
	}
	return ""
}

// Place returns the address without its parameters.
func (c Config) Place() string {
	u, err := url.Parse(c.Address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host + u.Path
}

// String returns a readable description of the mount.
func (c Config) String() string {
	text := string(c.Name) + " is " + c.Place()
	if c.ReadOnly {
		text += ", read-only"
	}
	return text
}

// salt is a suffix for ETags that is different for each mount.
func (c Config) salt() string {
	sum := sha256.Sum256([]byte(c.Place()))
	return "-" + hex.EncodeToString(sum[:4])
}

// checkApart returns fault.Invalid if a mount overlaps another mount or a private address.
func checkApart(list []Config, private []string) error {
	for i, c := range list {
		for _, o := range list[:i] {
			if c.overlaps(o) {
				return invalid("the mounts %s and %s overlap, expected separate folders or prefixes", o.Name, c.Name)
			}
		}
	}
	for _, place := range private {
		if name := At(list, place); name != "" {
			return invalid("the mount %s overlaps the main storage or the data folder, which holds keys", name)
		}
	}
	return nil
}

// At returns the name of a mount that overlaps an address; empty if none does.
func At(list []Config, address string) storage.Key {
	for _, c := range list {
		if c.overlaps(Config{Address: address}) {
			return c.Name
		}
	}
	return ""
}

func (c Config) overlaps(o Config) bool {
	if a, b := c.folder(), o.folder(); a != "" && b != "" {
		return within(resolved(a), resolved(b))
	}
	a, errA := url.Parse(c.Address)
	b, errB := url.Parse(o.Address)
	return errA == nil && errB == nil && a.Scheme == b.Scheme && a.Host == b.Host && server(a) == server(b) &&
		within(strings.Trim(a.Path, "/"), strings.Trim(b.Path, "/"))
}

// server returns the normalized endpoint of an address; empty for the default service of the scheme, where the
// bucket's name alone identifies it.
func server(address *url.URL) string {
	e, err := url.Parse(address.Query().Get("endpoint"))
	if err != nil {
		return address.Query().Get("endpoint")
	}
	if name := strings.ToLower(e.Hostname()); name != "" && !strings.HasSuffix(name, ".amazonaws.com") {
		port := e.Port()
		if port == "80" || port == "443" {
			port = ""
		}
		return net.JoinHostPort(name, port) + strings.TrimSuffix(e.Path, "/")
	}
	return ""
}

// within reports whether one of two paths contains the other, or both are equal.
func within(a, b string) bool {
	a, b = strings.TrimSuffix(a, "/")+"/", strings.TrimSuffix(b, "/")+"/"
	return a == "/" || b == "/" || strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

// resolved returns the path of a folder with symbolic links resolved, for the part that exists.
func resolved(folder string) string {
	folder = filepath.Clean(folder)
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		return real
	}
	if parent := filepath.Dir(folder); parent != folder {
		return filepath.Join(resolved(parent), filepath.Base(folder))
	}
	return folder
}

func invalid(format string, args ...any) error {
	return fault.OnField(fault.Invalid, "storage-mounts", format, args...)
}
