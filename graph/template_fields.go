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

// optional returns nil for an empty text.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// PreviewURL resolves Template.previewUrl.
func (templateFields) PreviewURL(_ context.Context, t *templates.Template) (*string, error) {
	return optional(t.PreviewURL), nil
}

// Problem resolves Template.problem.
func (templateFields) Problem(_ context.Context, t *templates.Template) (*string, error) {
	return optional(t.Problem), nil
}

// Version resolves Template.version.
func (templateFields) Version(_ context.Context, t *templates.Template) (int32, error) {
	return count(t.Version()), nil
}

// Description resolves Template.description.
func (templateFields) Description(_ context.Context, t *templates.Template) (string, error) {
	return parsed(t).Description, nil
}

// DimensionMode resolves Template.dimensionMode.
func (templateFields) DimensionMode(_ context.Context, t *templates.Template) (*template.DimensionMode, error) {
	if t.Parsed == nil {
		return nil, nil
	}
	return &t.Parsed.Mode, nil
}

// PredefinedDimensions resolves Template.predefinedDimensions.
func (templateFields) PredefinedDimensions(_ context.Context, t *templates.Template) (*imaging.Size, error) {
	return knownSize(parsed(t).Predefined), nil
}

// Dimensions resolves Template.dimensions.
func (templateFields) Dimensions(_ context.Context, t *templates.Template) (*imaging.Size, error) {
	return knownSize(parsed(t).Size()), nil
}

// SourceImagePath resolves Template.sourceImagePath.
func (templateFields) SourceImagePath(_ context.Context, t *templates.Template) (string, error) {
	if t.Parsed == nil {
		return "", nil
	}
	if t.Parsed.SourceImage != "" {
		return t.Parsed.SourceImage, nil
	}
	return t.Parsed.Image(), nil
}

// Variables resolves Template.variables.
func (templateFields) Variables(_ context.Context, t *templates.Template) ([]*template.Variable, error) {
	list := make([]*template.Variable, len(parsed(t).Variables))
	for i := range list {
		list[i] = &t.Parsed.Variables[i]
	}
	return list, nil
}

// UnknownFields resolves Template.unknownFields.
func (templateFields) UnknownFields(_ context.Context, t *templates.Template) ([]string, error) {
	return append([]string{}, parsed(t).UnknownFields()...), nil
}

// Warnings resolves Template.warnings.
func (templateFields) Warnings(_ context.Context, t *templates.Template) ([]string, error) {
	return append([]string{}, parsed(t).Warnings()...), nil
}

// parsed returns the content of a template. If the template is invalid, it returns an empty one.
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

// Number resolves TemplateVersion.number.
func (templateVersions) Number(_ context.Context, v *templates.Version) (int32, error) {
	return count(v.Number), nil
}

// CreatedBy resolves TemplateVersion.createdBy.
func (templateVersions) CreatedBy(_ context.Context, v *templates.Version) (*string, error) {
	return optional(v.Author), nil
}

// Problem resolves TemplateVersion.problem.
func (templateVersions) Problem(_ context.Context, v *templates.Version) (*string, error) {
	return optional(v.Problem), nil
}

type dimensions struct{}

// Width resolves Dimensions.width.
func (dimensions) Width(_ context.Context, s *imaging.Size) (int32, error) {
	return count(s.Width), nil
}

// Height resolves Dimensions.height.
func (dimensions) Height(_ context.Context, s *imaging.Size) (int32, error) {
	return count(s.Height), nil
}
