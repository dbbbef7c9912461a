package purges

import (
	"github.com/safelight/safelight/cache"
	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/imaging/preset"
	"github.com/safelight/safelight/storage"
)

// Input is what an admin purges. Exactly one field must be set.
type Input struct {
	Path     string // path of a file, a URL or a canvas
	Folder   *string
	Tag      string // tag of files
	Preset   string // name
	Template string // path
	All      bool
}

// Facts describe a purge in the audit log.
func (in Input) Facts() map[string]any {
	return map[string]any{
		"path":     in.Path,
		"folder":   in.Folder,
		"tag":      in.Tag,
		"preset":   in.Preset,
		"template": in.Template,
		"all":      in.All,
	}
}

// Selection returns what is purged. For a tag, it is empty, because the caller must find the files with the
// tag. It returns fault.Invalid unless exactly one field is set.
func (in Input) Selection() (cache.Selection, error) {
	named := 0
	for _, set := range []bool{in.Path != "", in.Folder != nil, in.Tag != "", in.Preset != "", in.Template != "",
		in.All} {
		if set {
			named++
		}
	}
	switch {
	case named != 1:
		return cache.Selection{}, fault.OnField(
			fault.Invalid, "input",
			"the input has %d fields, expected one of path, folder, tag, preset, template and all",
			named,
		)
	case in.Folder != nil:
		k, err := key("folder", *in.Folder)
		return cache.Selection{Folders: []string{k}}, err
	case in.Template != "":
		k, err := key("template", in.Template)
		if err == nil && !search.IsTemplate(k) {
			err = fault.OnField(
				fault.Invalid, "template", "%s is not a template, expected a path that ends with %s",
				fault.Quote(k), search.TemplateSuffix,
			)
		}
		return cache.Selection{Files: []string{preset.TemplateLabel(k)}}, err
	case in.Preset != "":
		err := fault.WithField(preset.CheckName(in.Preset), "preset")
		return cache.Selection{Files: []string{preset.Label(in.Preset)}}, err
	case in.Path != "":
		if k, err := storage.ParseKey(in.Path); err == nil { // otherwise it is a URL or a canvas
			in.Path = string(k)
		}
		return cache.Selection{Files: []string{in.Path}}, nil
	}
	return cache.Selection{All: in.All}, nil
}

func key(field, path string) (string, error) {
	k, err := storage.ParseKey(path)
	return string(k), fault.WithField(err, field)
}
