package gallery

import (
	"context"
	"crypto/rand"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/storage"
)

// ConflictPolicy decides what happens if a name is taken.
type ConflictPolicy string

// The policies. Empty means ConflictError.
const (
	ConflictError   ConflictPolicy = "ERROR"
	ConflictRename  ConflictPolicy = "RENAME"
	ConflictReplace ConflictPolicy = "REPLACE"
)

// maxNumbered is how many numbered names are tried before random names.
const maxNumbered = 100

// maxNameBytes is the maximum length of a name in bytes.
const maxNameBytes = 255

// otherName returns the nth alternative to k: `a-1.jpg` for `a.jpg`. Beyond maxNumbered, it returns a random
// name.
func otherName(k storage.Key, n int) storage.Key {
	name := k.Name()
	extension := path.Ext(name)
	if i := len(name) - len(TemplateSuffix); i > 0 && strings.EqualFold(name[i:], TemplateSuffix) {
		extension = name[i:]
	}
	if extension == name {
		extension = ""
	}
	stem := strings.TrimSuffix(name, extension)
	end := fmt.Sprintf("-%d%s", n, extension)
	if n > maxNumbered {
		end = "-" + strings.ToLower(rand.Text()[:8]) + extension
	}
	for len(stem)+len(end) > maxNameBytes && stem != "" {
		_, last := utf8.DecodeLastRuneInString(stem)
		stem = stem[:len(stem)-last]
	}
	return k.Parent().Join(stem + end)
}

// TryNames calls try with k. With ConflictRename, it continues with other names until one is free. try
// returns fault.Conflict without RetryAfter for a name that is taken.
func (g *Gallery) TryNames(
	ctx context.Context,
	k storage.Key,
	policy ConflictPolicy,
	try func(k storage.Key, overwrite bool) error,
) error {
	err := try(k, policy == ConflictReplace)
	if policy != ConflictRename {
		return err
	}
	for n := 1; isTaken(err) && n <= 2*maxNumbered; n++ {
		other := otherName(k, n)
		if _, statErr := g.store.Stat(ctx, other); statErr == nil {
			continue // skip this name without uploading the content
		}
		err = try(other, false)
	}
	return err
}

// isTaken reports whether an error means that a name exists. A conflict with RetryAfter means something else:
// a change of the name is in progress.
func isTaken(err error) bool {
	return fault.CodeOf(err) == fault.Conflict && fault.Of(err).RetryAfter == 0
}

// CheckFree returns fault.Conflict if no file can be written to k.
func (g *Gallery) CheckFree(ctx context.Context, k storage.Key, overwrite bool) error {
	st, err := g.store.Stat(ctx, k)
	switch {
	case fault.CodeOf(err) == fault.NotFound:
		return nil
	case err != nil:
		return err
	case overwrite && !st.IsFolder:
		return nil
	}
	return fault.OnField(fault.Conflict, "path", "%s exists already", k)
}
