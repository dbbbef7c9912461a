package graph

import (
	"context"
	"fmt"
	"strings"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/graph/model"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/signing"
)

// ProcessorStatus resolves processorStatus.
func (q query) ProcessorStatus(ctx context.Context) (*model.ProcessorStatus, error) {
	s, err := q.rules.Signing.ProcessorStatus(ctx)
	if err != nil {
		return nil, err
	}
	return processorStatus(s), nil
}

func processorStatus(s *signing.ProcessorStatus) *model.ProcessorStatus {
	return &model.ProcessorStatus{
		Configured: s.Configured, LastUpdated: s.LastUpdated, IsOverriddenByConfig: s.IsOverriddenByConfig,
		Config: &model.ProcessorConfig{
			HasSecret:         s.HasSecret,
			SignerType:        s.SignerType,
			SignerTruncate:    count(s.SignerTruncate),
			PreviousExpiresAt: s.PreviousUntil,
		},
	}
}

// ConfigureProcessor resolves configureProcessor.
func (m mutation) ConfigureProcessor(
	ctx context.Context,
	input model.ProcessorInput,
) (*model.ProcessorConfigResult, error) {
	in := signing.ProcessorInput{Secret: input.Secret.Value(), SignerType: input.SignerType.Value()}
	if n := input.SignerTruncate.Value(); n != nil {
		truncate := int(*n)
		in.SignerTruncate = &truncate
	}
	s, err := m.rules.Signing.ConfigureProcessor(ctx, in)
	if err != nil {
		return nil, err
	}
	message := "The processor settings are effective"
	if s.WeakSecret {
		message = fmt.Sprintf(
			"The processor settings are effective, but the secret is weak: it has less than %d bytes",
			signing.GoodSecret,
		)
	}
	return &model.ProcessorConfigResult{
		Success:   true,
		Timestamp: *s.LastUpdated,
		Message:   message,
		Status:    processorStatus(s),
	}, nil
}

// GenerateProcessorURL resolves generateProcessorUrl.
func (m mutation) GenerateProcessorURL(
	ctx context.Context,
	imagePath string,
	params model.ProcessorParamsInput,
) (*string, error) {
	o, err := operations(params)
	if err != nil {
		return nil, err
	}
	url, err := m.rules.Signing.GenerateURL(ctx, imagePath, o)
	if err != nil {
		return nil, err
	}
	return &url, nil
}

// operations converts the input to operations. It returns fault.Invalid, which names the field that is out of
// range.
func operations(p model.ProcessorParamsInput) (imaging.Operations, error) {
	o := imaging.Operations{
		CropLeft:   value(p.CropLeft.Value()),
		CropTop:    value(p.CropTop.Value()),
		CropRight:  value(p.CropRight.Value()),
		CropBottom: value(p.CropBottom.Value()),
		Fit:        imaging.Fit{Full: value(p.FullFitIn.Value()), Adaptive: value(p.AdaptiveFitIn.Value())},
		Stretch:    value(p.Stretch.Value()),
		HFlip:      value(p.HFlip.Value()),
		VFlip:      value(p.VFlip.Value()),
		HAlign:     imaging.HAlign(value(p.HAlign.Value())),
		VAlign:     imaging.VAlign(value(p.VAlign.Value())),
		Smart:      value(p.Smart.Value()),
		Trim:       value(p.Trim.Value()),
	}
	o.Fit.In = value(p.FitIn.Value()) || o.Fit.Full || o.Fit.Adaptive
	for _, n := range []struct {
		name string
		from *int32
		to   *int
	}{
		{"width", p.Width.Value(), &o.Width}, {"height", p.Height.Value(), &o.Height},
		{"paddingLeft", p.PaddingLeft.Value(), &o.PaddingLeft}, {"paddingTop", p.PaddingTop.Value(), &o.PaddingTop},
		{"paddingRight", p.PaddingRight.Value(), &o.PaddingRight},
		{"paddingBottom", p.PaddingBottom.Value(), &o.PaddingBottom},
	} {
		if *n.to = int(value(n.from)); *n.to < 0 {
			return o, fault.OnField(fault.Invalid, n.name, "%s is %d, expected 0 or more", n.name, *n.to)
		}
	}
	if err := trim(p, &o); err != nil {
		return o, err
	}
	if err := checkWords(o); err != nil {
		return o, err
	}
	var err error
	o.Filters, err = filters(p.Filters.Value())
	return o, err
}

func trim(p model.ProcessorParamsInput, o *imaging.Operations) error {
	tolerance := value(p.TrimTolerance.Value())
	if tolerance < 0 || tolerance > 442 {
		return fault.OnField(fault.Invalid, "trimTolerance", "trimTolerance is %d, expected 0 to 442", tolerance)
	}
	corner := imaging.Corner(value(p.TrimBy.Value()))
	switch corner {
	case "", imaging.CornerTopLeft, imaging.CornerBottomRight:
	default:
		return fault.OnField(fault.Invalid, "trimBy", "trimBy is unknown, expected top-left or bottom-right")
	}
	if o.Trim {
		o.TrimTolerance = float64(tolerance)
		if corner == imaging.CornerBottomRight {
			o.TrimBy = corner
		}
	}
	return nil
}

func checkWords(o imaging.Operations) error {
	switch o.HAlign {
	case "", imaging.HAlignLeft, imaging.HAlignCenter, imaging.HAlignRight:
	default:
		return fault.OnField(fault.Invalid, "hAlign", "hAlign is unknown, expected left, center or right")
	}
	switch o.VAlign {
	case "", imaging.VAlignTop, imaging.VAlignMiddle, imaging.VAlignBottom:
	default:
		return fault.OnField(fault.Invalid, "vAlign", "vAlign is unknown, expected top, middle or bottom")
	}
	for name, v := range map[string]float64{
		"cropLeft": o.CropLeft, "cropTop": o.CropTop, "cropRight": o.CropRight, "cropBottom": o.CropBottom,
	} {
		if v < 0 {
			return fault.OnField(fault.Invalid, name, "%s is %g, expected 0 or more", name, v)
		}
	}
	return nil
}

// filters joins the filters. It returns errors for unknown filters and invalid arguments. A URL ignores
// these, but the API can report them.
func filters(list []*model.ProcessorFilterInput) (imaging.Filters, error) {
	if len(list) > imaging.MaxFilters {
		return "", fault.OnField(
			fault.Invalid, "filters", "%d filters, expected at most %d", len(list), imaging.MaxFilters,
		)
	}
	parts := make([]imaging.Filter, 0, len(list))
	for _, f := range list {
		one := imaging.Filter{Name: strings.TrimSpace(f.Name), Args: value(f.Args.Value())}
		if parsed, ok := imaging.ParseFilters(string(imaging.FiltersOf(one))); !ok || len(parsed.List()) != 1 {
			return "", fault.OnField(
				fault.Invalid, "filters",
				"filter %q is not well-formed, expected a name, and arguments whose parentheses match",
				one.Name,
			)
		}
		parts = append(parts, one)
	}
	joined := imaging.FiltersOf(parts...)
	_, _, err := joined.Calls(true)
	return joined, err
}
