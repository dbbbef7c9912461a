package family

import (
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// Explained is what /params answers: for a URL of a family, the parameters of the ordinary URL that it stands for, and
// the family.
type Explained struct {
	imaging.ParamsResponse
	Family *Allowed `json:"family,omitempty"` // nil for an ordinary URL
}

// Allowed is what a family allows, and which values the URL has chosen. Empty values are left out of its JSON.
type Allowed struct {
	Policy    string           `json:"policy"`
	Choice    string           `json:"choice"`
	Widths    []int            `json:"widths,omitempty"`
	Densities []float64        `json:"densities,omitempty"`
	Formats   []imaging.Format `json:"formats,omitempty"`
	Qualities []Quality        `json:"qualities,omitempty"`
	Choices   int              `json:"choices,omitempty"` // how many there are
	Key       string           `json:"key,omitempty"`
	Until     *time.Time       `json:"until,omitempty"`
	Error     string           `json:"error,omitempty"` // why it is rejected although its signature may be right
}

// Explain returns what a URL means whose signature is that. r, p and err are what Read returned for it, valid is
// whether the signature is right.
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
