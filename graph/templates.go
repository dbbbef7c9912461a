package graph

import (
	"context"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/graph/model"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/template"
	"github.com/safelight/safelight/templates"
)

// Templates answers templates.
func (q query) Templates(ctx context.Context, folder string, recursive *bool, first *int32, after, search *string) (*templates.TemplatePage, error) {
	o := templates.ListTemplatesOptions{First: 50, Search: value(search), Recursive: value(recursive)}
	if first != nil {
		o.First = int(*first)
	}
	var err error
	if o.After, err = templateCursors.parse(after); err != nil {
		return nil, err
	}
	return q.rules.Templates.ListTemplates(ctx, folder, o)
}

// Template answers template.
func (q query) Template(ctx context.Context, path string) (*templates.Template, error) {
	return q.rules.Templates.Template(ctx, path)
}

// GenerateProcessorURLFromTemplate answers generateProcessorUrlFromTemplate.
func (m mutation) GenerateProcessorURLFromTemplate(ctx context.Context, templateJSON string, imagePath *string, contextPath []string, forPreview *bool, previewMaxDimensions *model.DimensionsInput, skipLayerID *string, appendFilters []*model.ProcessorFilterInput) (*string, error) {
	return m.templateURL(ctx, templateJSON, "", previewMaxDimensions, appendFilters,
		template.Options{Image: value(imagePath), ContextPath: contextPath, Preview: value(forPreview), SkipLayer: value(skipLayerID)})
}

// ApplyTemplate answers applyTemplate.
func (m mutation) ApplyTemplate(ctx context.Context, input model.ApplyTemplateInput) (*model.ApplyTemplatePayload, error) {
	o := template.Options{Image: value(input.ImagePath.Value()), Preview: value(input.ForPreview.Value()), Variables: map[string]string{}}
	for _, v := range input.Variables.Value() {
		o.Variables[v.Name] = v.Value
	}
	url, err := m.templateURL(ctx, input.TemplateJSON, value(input.TemplatePath.Value()), input.PreviewMaxDimensions.Value(), input.AppendFilters.Value(), o)
	refused, err := userErrors(err)
	if err != nil {
		return nil, err
	}
	return &model.ApplyTemplatePayload{URL: url, UserErrors: refused}, nil
}

func (m mutation) templateURL(ctx context.Context, envelope, path string, box *model.DimensionsInput, appended []*model.ProcessorFilterInput, o template.Options) (*string, error) {
	if box != nil {
		if box.Width < 1 || box.Height < 1 {
			return nil, fault.OnField(fault.Invalid, "previewMaxDimensions", "previewMaxDimensions is %d x %d, expected at least 1 x 1", box.Width, box.Height)
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

// SaveTemplate answers saveTemplate.
func (m mutation) SaveTemplate(ctx context.Context, input model.SaveTemplateInput) (*model.TemplateResult, error) {
	t, warnings, err := m.rules.Templates.SaveTemplate(ctx, templates.SaveTemplateInput{
		Name: input.Name, Envelope: input.TemplateJSON, Folder: input.SavePath.Value(), Overwrite: value(input.Overwrite.Value()),
		Description: input.Description.Value(), Mode: input.DimensionMode.Value(), SourceImage: input.SourceImagePath.Value(),
	})
	if err != nil {
		return nil, err
	}
	r := &model.TemplateResult{Success: true, TemplatePath: t.Path, Message: "The template is saved", Template: t, Warnings: append([]string{}, warnings...),
		UnknownFields: append([]string{}, t.Parsed.UnknownFields()...)}
	if t.PreviewPath != "" {
		r.PreviewPath = &t.PreviewPath
	}
	return r, nil
}

// RegenerateTemplatePreview answers regenerateTemplatePreview.
func (m mutation) RegenerateTemplatePreview(ctx context.Context, input model.RegenerateTemplatePreviewInput) (*model.RegenerateTemplatePreviewPayload, error) {
	err := m.rules.Templates.RegenerateTemplatePreview(ctx, input.Path)
	var t *templates.Template
	if err == nil {
		t, err = m.rules.Templates.Template(ctx, input.Path)
	}
	refused, err := userErrors(err)
	if err != nil {
		return nil, err
	}
	return &model.RegenerateTemplatePreviewPayload{Template: t, UserErrors: refused}, nil
}

// RestoreTemplateVersion answers restoreTemplateVersion.
func (m mutation) RestoreTemplateVersion(ctx context.Context, input model.RestoreTemplateVersionInput) (*model.RestoreTemplateVersionPayload, error) {
	t, err := m.rules.Templates.RestoreTemplateVersion(ctx, input.Path, int(input.Version))
	refused, err := userErrors(err)
	if err != nil {
		return nil, err
	}
	return &model.RestoreTemplateVersionPayload{Template: t, UserErrors: refused}, nil
}

// RenameTemplate answers renameTemplate.
func (m mutation) RenameTemplate(ctx context.Context, input model.RenameTemplateInput) (*model.RenameTemplatePayload, error) {
	t, err := m.rules.Templates.RenameTemplate(ctx, input.Path, input.Name)
	refused, err := userErrors(err)
	if err != nil {
		return nil, err
	}
	return &model.RenameTemplatePayload{Template: t, UserErrors: refused}, nil
}

// DeleteTemplate answers deleteTemplate.
func (m mutation) DeleteTemplate(ctx context.Context, input model.DeleteTemplateInput) (*model.DeleteTemplatePayload, error) {
	refused, err := userErrors(m.rules.Templates.DeleteTemplate(ctx, input.Path))
	if err != nil {
		return nil, err
	}
	p := &model.DeleteTemplatePayload{UserErrors: refused}
	if len(refused) == 0 {
		p.DeletedPath = &input.Path
	}
	return p, nil
}

func templateCursor(t *templates.Template) string { return templateCursors.of(t.Path) }
