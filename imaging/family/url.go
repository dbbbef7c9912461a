package family

import (
	"strings"

	"github.com/safelight/safelight/imaging"
)

// The text around a policy in a URL. An ordinary path that begins with this prefix is never signed.
const (
	Prefix = "family("
	suffix = ")"
)

// URL is the part of a family URL after the signature, split at its slashes but not checked.
type URL struct {
	Policy string // text between the parentheses
	Choice string
	Path   string // operations and image
}

// Cut splits the part of a URL after the signature. ok is false if it is not a URL of a family.
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

// Signed returns the bytes that the signature covers, which is everything except the choice.
func (u URL) Signed() string { return Prefix + u.Policy + suffix + "/" + u.Path }

// String returns the part of the URL after the signature.
func (u URL) String() string { return Prefix + u.Policy + suffix + "/" + u.Choice + "/" + u.Path }

// Key returns the id of the key that must have signed the URL; named is false for the processor secret. The policy
// need not be well-formed.
func (u URL) Key() (id string, named bool) {
	for token := range strings.SplitSeq(u.Policy, ",") {
		if id, named = strings.CutPrefix(token, "key="); named {
			return id, true
		}
	}
	return "", false
}

// Read returns the URL as an ordinary request with the given signature, and the policy. The caller must have verified
// the signature. Errors are those of parse (imaging.Parse or a variant that supports presets), ParsePolicy and
// Policy.Choose, and fault.Invalid for metadata. After an error, the request does not contain the choice.
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
