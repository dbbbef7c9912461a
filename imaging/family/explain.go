package family

import (
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// Explained is the response of /params. For a URL of a family, it has the parameters of the corresponding ordinary
// URL, and the family.
type Explained struct {
	imaging.ParamsResponse
	Family *Allowed `json:"family,omitempty"` // nil for an ordinary URL
}

// Allowed says what a family allows, and which values the URL has chosen. Its JSON omits empty values.
type Allowed struct {
	Policy    string           `json:"policy"`
	Choice    string           `json:"choice"`
	Widths    []int            `json:"widths,omitempty"`
	Densities []float64        `json:"densities,omitempty"`
	Formats   []imaging.Format `json:"formats,omitempty"`
	Qualities []Quality        `json:"qualities,omitempty"`
	Choices   int              `json:"choices,omitempty"` // number of possible choices
	Key       string           `json:"key,omitempty"`
	Until     *time.Time       `json:"until,omitempty"`
	Error     string           `json:"error,omitempty"` // why the URL is rejected, regardless of the signature
}

// Explain describes a URL with the given signature. r, p and err are the results of Read, and valid says whether the
// signature is correct.
func (u URL) Explain(signature string, r imaging.Request, p Policy, err error, valid bool) Explained {
	e := Explained{ParamsResponse: imaging.Params(signature+"/"+u.Path, r, &valid)}
	e.Path = u.String()
	e.Family = &Allowed{
		Policy:    u.Policy,
		Choice:    u.Choice,
		Widths:    p.Widths,
		Densities: p.Densities,
		Formats:   p.Formats,
		Qualities: p.Qualities,
		Key:       p.Key,
	}
	if p.check() == nil && p.String() != "" {
		e.Family.Choices = p.Choices()
	}
	if !p.Until.IsZero() {
		e.Family.Until = &p.Until
	}
	if err != nil {
		e.Family.Error = fault.Of(err).Message
	}
	return e
}
