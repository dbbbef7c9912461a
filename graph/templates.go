package graph

import (
	"context"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/graph/model"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/template"
	"github.com/safelight/safelight/templates"
)

// Templates resolves templates.
func (q query) Templates(
	ctx context.Context,
	folder string,
	recursive *bool,
	first *int32,
	after, search *string,
) (*model.TemplateConnection, error) {
	path, err := templateCursors.parse(after)
	if err != nil {
		return nil, err
	}
	p, err := q.rules.Templates.ListTemplates(ctx, folder, templates.ListTemplatesOptions{
		First:     sizeOf(first, defaultPage),
		After:     path,
		Search:    value(search),
		Recursive: value(recursive),
	})
	return connection(p, templateCursors, err)
}

// Template resolves template.
func (q query) Template(ctx context.Context, path string) (*templates.Template, error) {
	return q.rules.Templates.Template(ctx, path)
}

// GenerateProcessorURLFromTemplate resolves generateProcessorUrlFromTemplate.
func (m mutation) GenerateProcessorURLFromTemplate(
	ctx context.Context,
	templateJSON string,
	imagePath *string,
	contextPath []string,
	forPreview *bool,
	previewMaxDimensions *model.DimensionsInput,
	skipLayerID *string,
	appendFilters []*model.ProcessorFilterInput,
) (*string, error) {
	return m.templateURL(ctx, templateJSON, "", previewMaxDimensions, appendFilters, template.Options{
		Image:       value(imagePath),
		ContextPath: contextPath,
		Preview:     value(forPreview),
		SkipLayer:   value(skipLayerID),
	})
}

// ApplyTemplate resolves applyTemplate.
func (m mutation) ApplyTemplate(
	ctx context.Context,
	input model.ApplyTemplateInput,
) (*model.ApplyTemplatePayload, error) {
	o := template.Options{
		Image:     value(input.ImagePath.Value()),
		Preview:   value(input.ForPreview.Value()),
		Variables: map[string]string{},
	}
	for _, v := range input.Variables.Value() {
		o.Variables[v.Name] = v.Value
	}
	url, err := m.templateURL(
		ctx, input.TemplateJSON, value(input.TemplatePath.Value()), input.PreviewMaxDimensions.Value(),
		input.AppendFilters.Value(), o,
	)
	p := &model.ApplyTemplatePayload{URL: url}
	return p, refuse(&p.UserErrors, err)
}

func (m mutation) templateURL(
	ctx context.Context,
	envelope, path string,
	box *model.DimensionsInput,
	appended []*model.ProcessorFilterInput,
	o template.Options,
) (*string, error) {
	if box != nil {
		if box.Width < 1 || box.Height < 1 {
			return nil, fault.OnField(
				fault.Invalid, "previewMaxDimensions",
				"previewMaxDimensions is %d x %d, expected at least 1 x 1", box.Width, box.Height,
			)
		}
		o.PreviewMax = imaging.Size{Width: int(box.Width), Height: int(box.Height)}
	}
	var err error
	if o.Append, err = filters(appended); err != nil {
		return nil, err
	}
	url, err := m.rules.Templates.URLFromTemplate(ctx, envelope, path, o)
	if err != nil {
		return nil, err
	}
	return &url, nil
}

// SaveTemplate resolves saveTemplate.
func (m mutation) SaveTemplate(ctx context.Context, input model.SaveTemplateInput) (*model.TemplateResult, error) {
	t, warnings, err := m.rules.Templates.SaveTemplate(ctx, templates.SaveTemplateInput{
		Name: input.Name, Envelope: input.TemplateJSON,
		Folder: input.SavePath.Value(), Overwrite: value(input.Overwrite.Value()),
		Description: input.Description.Value(), Mode: input.DimensionMode.Value(),
		SourceImage: input.SourceImagePath.Value(),
	})
	if err != nil {
		return nil, err
	}
	r := &model.TemplateResult{
		Success:       true,
		TemplatePath:  t.Path,
		Message:       "The template is saved",
		Template:      t,
		Warnings:      append([]string{}, warnings...),
		UnknownFields: append([]string{}, t.Parsed.UnknownFields()...),
	}
	if t.PreviewPath != "" {
		r.PreviewPath = &t.PreviewPath
	}
	return r, nil
}

// RegenerateTemplatePreview resolves regenerateTemplatePreview.
func (m mutation) RegenerateTemplatePreview(
	ctx context.Context,
	input model.RegenerateTemplatePreviewInput,
) (*model.TemplatePayload, error) {
	err := m.rules.Templates.RegenerateTemplatePreview(ctx, input.Path)
	var t *templates.Template
	if err == nil {
		t, err = m.rules.Templates.Template(ctx, input.Path)
	}
	return templatePayload(t, err)
}

func templatePayload(t *templates.Template, err error) (*model.TemplatePayload, error) {
	p := &model.TemplatePayload{Template: t}
	return p, refuse(&p.UserErrors, err)
}

// RestoreTemplateVersion resolves restoreTemplateVersion.
func (m mutation) RestoreTemplateVersion(
	ctx context.Context,
	input model.RestoreTemplateVersionInput,
) (*model.TemplatePayload, error) {
	t, err := m.rules.Templates.RestoreTemplateVersion(ctx, input.Path, int(input.Version))
	return templatePayload(t, err)
}

// RenameTemplate resolves renameTemplate.
func (m mutation) RenameTemplate(ctx context.Context, input model.RenameTemplateInput) (*model.TemplatePayload, error) {
	t, err := m.rules.Templates.RenameTemplate(ctx, input.Path, input.Name)
	return templatePayload(t, err)
}

// DeleteTemplate resolves deleteTemplate.
func (m mutation) DeleteTemplate(
	ctx context.Context,
	input model.DeleteTemplateInput,
) (*model.DeleteTemplatePayload, error) {
	err := m.rules.Templates.DeleteTemplate(ctx, input.Path)
	p := &model.DeleteTemplatePayload{DeletedPath: changed(input.Path, err)}
	return p, refuse(&p.UserErrors, err)
}
