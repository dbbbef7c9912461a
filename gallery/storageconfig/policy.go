package storageconfig

import (
	"errors"
	"io/fs"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// Policy defines which storages admins may choose. The zero value allows no folder and every S3 endpoint.
type Policy struct {
	Overridden bool     // the operator has set the storage, so admins cannot choose
	Default    string   // absolute path of the folder that is used without a choice
	Roots      []string // absolute paths of folders that admins may choose, including everything below
	// Private are folders, such as the data folder, that must not be inside a chosen folder. Unless the
	// chosen folder is Default, it must not be inside one of them either.
	Private []string
	// MountAt returns the mount that overlaps an address. Admins cannot choose such an address. The result is
	// empty if no mount overlaps. nil: there are no mounts.
	MountAt func(address string) storage.Key
	// Control runs before each connection to an S3 endpoint and may reject it.
	Control func(network, address string, c syscall.RawConn) error
}

// folder returns the folder that an admin names, with its symbolic links resolved. It returns fault.Invalid
// if the policy does not allow the folder.
func (p Policy) folder(name string) (string, error) {
	if !filepath.IsAbs(name) || strings.ContainsRune(name, 0) {
		return "", fault.OnField(fault.Invalid, "baseDir", "the folder is not an absolute path")
	}
	dir, err := resolve(name)
	if err != nil {
		return "", fault.OnField(fault.Invalid, "baseDir", "the folder %s cannot be read", name)
	}
	refused := fault.OnField(
		fault.Invalid, "baseDir",
		"the folder %s is outside the folders that the operator allows, expected %s", name,
		strings.Join(append([]string{p.Default}, p.Roots...), ", ")+" or below (setting storage-roots)",
	)
	if p.allows(p.Default, dir) {
		return dir, nil
	}
	for _, private := range p.Private {
		if private, err = resolve(private); err != nil || within(private, dir) || within(dir, private) {
			return "", refused
		}
	}
	for _, root := range p.Roots {
		if p.allows(root, dir) {
			return dir, nil
		}
	}
	return "", refused
}

func (Policy) allows(root, dir string) bool {
	if root == "" {
		return false
	}
	root, err := resolve(root)
	return err == nil && within(root, dir)
}

// checkMounts returns fault.Invalid, which names field, if a mount overlaps an address. Files would then have
// two paths.
func (p Policy) checkMounts(field string, address url.URL) error {
	if p.MountAt == nil {
		return nil
	}
	if name := p.MountAt(address.String()); name != "" {
		return fault.OnField(
			fault.Invalid, field,
			"the mount %s overlaps it, expected a place outside of all mounts (setting storage-mounts)", name,
		)
	}
	return nil
}

// within reports whether dir is root or below it. Symbolic links in both must be resolved.
func within(root, dir string) bool {
	rest, err := filepath.Rel(root, dir)
	return err == nil && rest != ".." && !strings.HasPrefix(rest, "../")
}

// resolve resolves the symbolic links of a path. Its last parts need not exist.
func resolve(name string) (string, error) {
	name = filepath.Clean(name)
	dir, err := filepath.EvalSymlinks(name)
	if err == nil || !errors.Is(err, fs.ErrNotExist) || filepath.Dir(name) == name {
		return dir, err
	}
	if dir, err = resolve(filepath.Dir(name)); err != nil {
		return "", err
	}
	return filepath.Join(dir, filepath.Base(name)), nil
}

var (
	bucketForm = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
	regionForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)
)

// checkS3 returns fault.Invalid, which names the invalid field.
func checkS3(c storage.S3Config) error {
	if !bucketForm.MatchString(c.Bucket) {
		return fault.OnField(
			fault.Invalid, "bucket",
			"%q is not a bucket name, expected 3 to 63 lower-case letters, digits, dots and hyphens",
			c.Bucket,
		)
	}
	if !regionForm.MatchString(c.Region) {
		return fault.OnField(fault.Invalid, "region", "%q is not a region, expected one such as eu-central-1", c.Region)
	}
	if c.Prefix != "" {
		if k, err := storage.ParseKey(c.Prefix); err != nil || string(k) != c.Prefix {
			return fault.OnField(
				fault.Invalid, "baseDir",
				"the prefix is not valid, expected a relative path without a final slash",
			)
		}
	}
	if c.Endpoint != "" {
		u, err := url.Parse(c.Endpoint)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
			u.RawQuery != "" ||
			u.Fragment != "" ||
			strings.Trim(u.Path, "/") != "" {
			return fault.OnField(
				fault.Invalid, "endpoint",
				"the endpoint cannot be read, expected https://host or https://host:port",
			)
		}
	}
	if c.AccessKeyID == "" || c.SecretAccessKey == "" {
		return fault.OnField(
			fault.Invalid, "secretAccessKey",
			"the keys are missing; those of the server's environment are not used for storages that admins choose",
		)
	}
	return nil
}
