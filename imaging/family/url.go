package family

import (
	"strings"

	"github.com/safelight/safelight/imaging"
)

// The text around a policy in a URL. What begins so right after a signature is never signed as an ordinary path.
const (
	Prefix = "family("
	suffix = ")"
)

// URL is what follows the signature in a URL of a family, cut at its slashes and not checked.
type URL struct {
	Policy string // between the parentheses
	Choice string
	Path   string // operations and image
}

// Cut splits what follows a signature; ok is false if that is not a URL of a family.
func Cut(signed string) (u URL, ok bool) {
	segment, rest, ok := strings.Cut(signed, "/")
	policy, begins := strings.CutPrefix(segment, Prefix)
	policy, ends := strings.CutSuffix(policy, suffix)
	if !ok || !begins || !ends {
		return URL{}, false
	}
	u.Policy = policy
	u.Choice, u.Path, _ = strings.Cut(rest, "/")
	return u, true
}

// Signed returns the bytes that the signature covers: all but the choice.
func (u URL) Signed() string { return Prefix + u.Policy + suffix + "/" + u.Path }

// String returns what follows the signature.
func (u URL) String() string { return Prefix + u.Policy + suffix + "/" + u.Choice + "/" + u.Path }

// Key returns the id of the key that must have signed it; named is false for the processor secret. The policy need not
// be well-formed.
func (u URL) Key() (id string, named bool) {
	for token := range strings.SplitSeq(u.Policy, ",") {
		if id, named = strings.CutPrefix(token, "key="); named {
			return id, true
		}
	}
	return "", false
}

// Read returns what the URL asks for, as an ordinary request that has that signature, and the policy. The caller has
// verified the signature. Errors are those of parse (imaging.Parse, or one that knows presets), ParsePolicy and
// Policy.Choose, and fault.Invalid for metadata; the request is that without a choice then.
func (u URL) Read(signature string, parse func(path string) (imaging.Request, error)) (imaging.Request, Policy, error) {
	r, err := parse(signature + "/" + u.Path)
	if err != nil {
		return r, Policy{}, err
	}
	p, err := ParsePolicy(u.Policy)
	if err != nil {
		return r, p, err
	}
	if r.Meta {
		return r, p, invalid("a family has no metadata, expected operations and an image after the choice")
	}
	c, err := p.Choose(u.Choice)
	if err == nil {
		r.Operations = c.Apply(r.Operations)
	}
	return r, p, err
}
