package graph

import (
	"context"

	"github.com/safelight/safelight/graph/exec"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/template"
	"github.com/safelight/safelight/templates"
)

// Template returns the resolvers of Template.
func (r *resolver) Template() exec.TemplateResolver { return templateFields{} }

// TemplateVersion returns the resolvers of TemplateVersion.
func (r *resolver) TemplateVersion() exec.TemplateVersionResolver { return templateVersions{} }

// Dimensions returns the resolvers of Dimensions.
func (r *resolver) Dimensions() exec.DimensionsResolver { return dimensions{} }

type templateFields struct{}

// optional returns nil for empty text.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// PreviewURL answers Template.previewUrl.
func (templateFields) PreviewURL(_ context.Context, t *templates.Template) (*string, error) {
	return optional(t.PreviewURL), nil
}

// Problem answers Template.problem.
func (templateFields) Problem(_ context.Context, t *templates.Template) (*string, error) {
	return optional(t.Problem), nil
}

// Version answers Template.version.
func (templateFields) Version(_ context.Context, t *templates.Template) (int32, error) {
	return count(t.Version()), nil
}

// Description answers Template.description.
func (templateFields) Description(_ context.Context, t *templates.Template) (string, error) {
	return parsed(t).Description, nil
}

// DimensionMode answers Template.dimensionMode.
func (templateFields) DimensionMode(_ context.Context, t *templates.Template) (*template.DimensionMode, error) {
	if t.Parsed == nil {
		return nil, nil
	}
	return &t.Parsed.Mode, nil
}

// PredefinedDimensions answers Template.predefinedDimensions.
func (templateFields) PredefinedDimensions(_ context.Context, t *templates.Template) (*imaging.Size, error) {
	return knownSize(parsed(t).Predefined), nil
}

// Dimensions answers Template.dimensions.
func (templateFields) Dimensions(_ context.Context, t *templates.Template) (*imaging.Size, error) {
	return knownSize(parsed(t).Size()), nil
}

// SourceImagePath answers Template.sourceImagePath.
func (templateFields) SourceImagePath(_ context.Context, t *templates.Template) (string, error) {
	if t.Parsed == nil {
		return "", nil
	}
	if t.Parsed.SourceImage != "" {
		return t.Parsed.SourceImage, nil
	}
	return t.Parsed.Image(), nil
}

// Variables answers Template.variables.
func (templateFields) Variables(_ context.Context, t *templates.Template) ([]*template.Variable, error) {
	list := make([]*template.Variable, len(parsed(t).Variables))
	for i := range list {
		list[i] = &t.Parsed.Variables[i]
	}
	return list, nil
}

// UnknownFields answers Template.unknownFields.
func (templateFields) UnknownFields(_ context.Context, t *templates.Template) ([]string, error) {
	return append([]string{}, parsed(t).UnknownFields()...), nil
}

// Warnings answers Template.warnings.
func (templateFields) Warnings(_ context.Context, t *templates.Template) ([]string, error) {
	return append([]string{}, parsed(t).Warnings()...), nil
}

// parsed returns the template's content; an empty one if it is unusable.
func parsed(t *templates.Template) *template.Template {
	if t.Parsed == nil {
		return &template.Template{}
	}
	return t.Parsed
}

// knownSize returns nil for an unknown size.
func knownSize(s imaging.Size) *imaging.Size {
	if s.Width <= 0 || s.Height <= 0 {
		return nil
	}
	return &s
}

type templateVersions struct{}

// Number answers TemplateVersion.number.
func (templateVersions) Number(_ context.Context, v *templates.Version) (int32, error) {
	return count(v.Number), nil
}

// CreatedBy answers TemplateVersion.createdBy.
func (templateVersions) CreatedBy(_ context.Context, v *templates.Version) (*string, error) {
	return optional(v.Author), nil
}

// Problem answers TemplateVersion.problem.
func (templateVersions) Problem(_ context.Context, v *templates.Version) (*string, error) {
	return optional(v.Problem), nil
}

type dimensions struct{}

// Width answers Dimensions.width.
func (dimensions) Width(_ context.Context, s *imaging.Size) (int32, error) {
	return count(s.Width), nil
}

// Height answers Dimensions.height.
func (dimensions) Height(_ context.Context, s *imaging.Size) (int32, error) {
	return count(s.Height), nil
}
