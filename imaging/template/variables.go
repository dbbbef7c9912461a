package template

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// Variable is a text or a picture that is filled in when a template is applied. Its placeholder is `{name}`, anywhere
// in the text of a text layer, or as the whole picture path of an image layer.
type Variable struct {
	Name    string // without braces, at most 40 characters
	Type    VariableType
	Default string // value that is used if none is given
}

// VariableType is the type of a variable.
type VariableType string

// The types of variables.
const (
	VariableText  VariableType = "text"
	VariableImage VariableType = "image"
)

// The limits of variables.
const (
	maxVariables    = 50
	maxVariableName = 40
)

func (v Variable) placeholder() string { return "{" + v.Name + "}" }

// readVariables reads the list of variables.
func (o *object) readVariables(name string, to *[]Variable) {
	o.list(name, "variables", func(in *object) {
		if len(*to) == maxVariables {
			o.r.failed(o.at(name), "has too many variables, expected at most %d", maxVariables)
		}
		v := in.readVariable()
		if slices.ContainsFunc(*to, func(other Variable) bool { return other.Name == v.Name }) {
			in.r.failed(
				in.at("name"), "is %s, which another variable has, expected a name of its own",
				fault.Quote(v.Name),
			)
		}
		*to = append(*to, v)
	})
}

func (o *object) readVariable() Variable {
	v, kind := Variable{}, string(VariableText)
	o.text("name", &v.Name)
	if n := utf8.RuneCountInString(v.Name); n < 1 || n > maxVariableName || strings.TrimSpace(v.Name) != v.Name ||
		strings.ContainsFunc(v.Name, notInName) {
		o.r.failed(
			o.at("name"), "is %s, expected 1 to %d characters without braces or control characters",
			fault.Quote(v.Name), maxVariableName,
		)
	}
	o.word("type", &kind, string(VariableText), string(VariableImage))
	v.Type = VariableType(kind)
	if v.Type == VariableText {
		o.text("default", &v.Default)
		return v
	}
	if o.image("default", &v.Default); v.Default == "" {
		o.r.failed(o.at("default"), "is missing, expected the path of a picture")
	}
	return v
}

func notInName(r rune) bool { return r == '{' || r == '}' || unicode.IsControl(r) }

// checkVariables adds warnings about variables that no layer uses.
func (t *Template) checkVariables(r *reader) {
	for i, v := range t.Variables {
		if !v.shown(t.Transformations.Layers) {
			r.warn("/variables/"+strconv.Itoa(i), "has no effect, expected %s in a layer", v.placeholder())
		}
	}
}

func (v Variable) shown(list []Layer) bool {
	return slices.ContainsFunc(list, func(l Layer) bool {
		switch {
		case v.Type == VariableText && l.Type == LayerText && strings.Contains(l.Text.Text, v.placeholder()):
			return true
		case v.Type == VariableImage && l.Type == LayerImage && l.Transforms.Image == v.placeholder():
			return true
		}
		return v.shown(l.Transforms.Layers)
	})
}

// filled returns the template with its variables filled in. It returns fault.Invalid on variables for a name that
// the template does not have, and for a value that is not the path of a picture.
func (t *Template) filled(values map[string]string) (*Template, error) {
	for name := range values {
		if !slices.ContainsFunc(t.Variables, func(v Variable) bool { return v.Name == name }) {
			return nil, fault.OnField(fault.Invalid, "variables", "the template has no variable %s", fault.Quote(name))
		}
	}
	if len(t.Variables) == 0 {
		return t, nil
	}
	f := filling{images: map[string]string{}, others: map[string]bool{}}
	var texts []string
	for _, v := range t.Variables {
		value, given := values[v.Name]
		if !given {
			value = v.Default
		}
		if err := v.check(value); err != nil {
			return nil, err
		}
		if v.Type == VariableText {
			texts = append(texts, v.placeholder(), value)
		} else {
			f.images[v.placeholder()], f.others[v.placeholder()] = value, value != v.Default
		}
	}
	f.texts = strings.NewReplacer(texts...)
	out := *t
	out.Transformations.Layers = f.layers(t.Transformations.Layers)
	return &out, nil
}

// filling maps placeholders to values. All are replaced at once, so placeholders inside values are not replaced.
type filling struct {
	texts  *strings.Replacer
	images map[string]string
	others map[string]bool // images that are not the default
}

func (f filling) layers(list []Layer) []Layer {
	list = slices.Clone(list)
	for i := range list {
		l := &list[i]
		if l.Type == LayerText {
			l.Text.Text = f.texts.Replace(l.Text.Text)
		}
		if value, ok := f.images[l.Transforms.Image]; ok && l.Type == LayerImage {
			if f.others[l.Transforms.Image] {
				l.Transforms.Original = imaging.Size{} // size of the default picture
			}
			l.Transforms.Image = value
		}
		l.Transforms.Layers = f.layers(l.Transforms.Layers)
	}
	return list
}

// check reports a value that cannot be filled in.
func (v Variable) check(value string) error {
	if strings.ContainsRune(value, 0) {
		return fault.OnField(
			fault.Invalid, "variables", "the value of %s contains a NUL, expected text without one",
			fault.Quote(v.Name),
		)
	}
	if v.Type == VariableText {
		return nil
	}
	if err := imaging.CheckImage(value); err != nil || imaging.IsCanvas(value) {
		return fault.OnField(
			fault.Invalid, "variables",
			"the value of %s is not the path of a picture, expected one relative to the storage root",
			fault.Quote(v.Name),
		)
	}
	return nil
}
