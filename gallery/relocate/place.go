package relocate

import (
	"net/url"
	"path/filepath"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// Place returns the normalized name of the storage at an address. It is the same for all addresses of a
// folder or a place in a bucket: it omits secrets, and parameters that do not distinguish storages. It
// returns fault.Invalid for an address that storage.Open rejects.
func Place(address string) (string, error) {
	scheme, place := storage.Place(address)
	u, err := url.Parse(address)
	if err != nil || place == "" {
		return "", fault.OnField(
			fault.Invalid, "storage", "the storage address cannot be read, expected %s", storage.Forms(),
		)
	}
	if scheme == "file" {
		folder, err := filepath.Abs(place)
		return "file://" + folder, err
	}
	name := scheme + "://" + u.Host
	if prefix := strings.Trim(u.Path, "/"); prefix != "" {
		name += "/" + prefix
	}
	if endpoint := u.Query().Get("endpoint"); endpoint != "" {
		name += " at " + strings.TrimSuffix(endpoint, "/")
	}
	return name, nil
}
