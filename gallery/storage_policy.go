package gallery

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

// StoragePolicy is what the operator lets admins say about where files are kept. The zero value lets them
// choose no folder, and any S3 endpoint.
type StoragePolicy struct {
	Overridden bool     // the operator has named the storage: admins cannot
	Default    string   // the folder without any choice; absolute
	Roots      []string // folders below which, or which, admins may choose; absolute
	Private    []string // what no chosen folder may hold or, but for Default, lie in: the data folder
	// Control is asked before each connection to an S3 endpoint.
	Control func(network, address string, c syscall.RawConn) error
}

// folder returns a folder that an admin names with its symbolic links followed; fault.Invalid when it is not
// for admins to choose.
func (p StoragePolicy) folder(name string) (string, error) {
	if !filepath.IsAbs(name) || strings.ContainsRune(name, 0) {
		return "", fault.OnField(fault.Invalid, "baseDir", "the folder is no absolute path")
	}
	dir, err := resolve(name)
	if err != nil {
		return "", fault.OnField(fault.Invalid, "baseDir", "the folder %s cannot be looked at", name)
	}
	refused := fault.OnField(fault.Invalid, "baseDir", "the folder %s is outside of what the operator allows, expected %s",
		name, strings.Join(append([]string{p.Default}, p.Roots...), ", ")+" or below (setting storage-roots)")
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

func (StoragePolicy) allows(root, dir string) bool {
	if root == "" {
		return false
	}
	root, err := resolve(root)
	return err == nil && within(root, dir)
}

// within reports whether dir is root or lies below it; both are resolved.
func within(root, dir string) bool {
	rest, err := filepath.Rel(root, dir)
	return err == nil && rest != ".." && !strings.HasPrefix(rest, "../")
}

// resolve follows the symbolic links of a path, whose end need not exist.
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

// checkS3 returns fault.Invalid on the field at fault.
func checkS3(c storage.S3Config) error {
	if !bucketForm.MatchString(c.Bucket) {
		return fault.OnField(fault.Invalid, "bucket", "%q is no name of a bucket, expected 3 to 63 lower-case letters, digits, dots and hyphens", c.Bucket)
	}
	if !regionForm.MatchString(c.Region) {
		return fault.OnField(fault.Invalid, "region", "%q is no region, expected one such as eu-central-1", c.Region)
	}
	if c.Prefix != "" {
		if k, err := storage.ParseKey(c.Prefix); err != nil || string(k) != c.Prefix {
			return fault.OnField(fault.Invalid, "baseDir", "the prefix cannot stand before names, expected a relative path without a final slash")
		}
	}
	if c.Endpoint != "" {
		u, err := url.Parse(c.Endpoint)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "" {
			return fault.OnField(fault.Invalid, "endpoint", "the endpoint cannot be read, expected https://host or https://host:port")
		}
	}
	if c.AccessKeyID == "" || c.SecretAccessKey == "" {
		return fault.OnField(fault.Invalid, "secretAccessKey", "the keys are missing: those of the server's environment are not lent to admins")
	}
	return nil
}
