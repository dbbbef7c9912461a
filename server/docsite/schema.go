package docsite

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// schemaIndex is the document that lists the parts of the GraphQL schema.
const schemaIndex = "reference/schema/README.md"

// schemaReference generates documents from the SDL: one for each of its files, and one that lists them.
type schemaReference struct {
	subjects []string                          // names of the SDL files, without extension
	parsed   map[string]*ast.SchemaDocument    // by subject
	places   map[string]string                 // the subject of each type
	roots    map[string][]*ast.FieldDefinition // fields of Query, Mutation and Subscription, by subject and root
}

var rootTypes = []string{"Query", "Mutation", "Subscription"}

// schemaDocuments returns the documents of the schema's files.
func schemaDocuments(files fs.FS) (map[string]string, error) {
	names, err := fs.Glob(files, "*.graphql")
	if err != nil {
		return nil, fmt.Errorf("list the schema: %w", err)
	}
	r := schemaReference{
		parsed: map[string]*ast.SchemaDocument{},
		places: map[string]string{},
		roots:  map[string][]*ast.FieldDefinition{},
	}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read the schema: %w", err)
		}
		subject := strings.TrimSuffix(name, ".graphql")
		if subject == "index" { // the page of that name is the list of subjects
			subject = "file_index"
		}
		document, parseErr := parser.ParseSchema(&ast.Source{Name: name, Input: string(text)})
		if parseErr != nil {
			return nil, fmt.Errorf("parse %s: %w", name, parseErr)
		}
		r.add(subject, document)
	}
	documents := map[string]string{schemaIndex: r.index()}
	for _, subject := range r.subjects {
		documents[path.Dir(schemaIndex)+"/"+subject+".md"] = r.subject(subject)
	}
	return documents, nil
}

func (r *schemaReference) add(subject string, document *ast.SchemaDocument) {
	r.subjects = append(r.subjects, subject)
	r.parsed[subject] = document
	for _, d := range slices.Concat(document.Definitions, document.Extensions) {
		if slices.Contains(rootTypes, d.Name) {
			r.roots[subject+" "+d.Name] = append(r.roots[subject+" "+d.Name], d.Fields...)
			continue
		}
		r.places[d.Name] = subject
	}
}

// subjectTitle returns the title of a subject: "API tokens" of api_tokens.
func subjectTitle(subject string) string {
	title := strings.ReplaceAll(subject, "_", " ")
	if rest, ok := strings.CutPrefix(title, "api "); ok {
		return "API " + rest
	}
	return strings.ToUpper(title[:1]) + title[1:]
}

func (r *schemaReference) index() string {
	var b strings.Builder
	b.WriteString("# GraphQL schema\n\nEvery field and type of the API, by subject. [GraphQL by " +
		"task](../graphql.md) has recipes. A running server has the whole schema as text at `/schema.graphql`, and a " +
		"playground at `/playground`.\n\n| subject | fields |\n|---|---|\n")
	for _, subject := range r.subjects {
		var fields []string
		for _, root := range rootTypes {
			for _, f := range r.roots[subject+" "+root] {
				fields = append(fields, fmt.Sprintf("[`%s`](%s.md#%s)", f.Name, subject, strings.ToLower(f.Name)))
			}
		}
		fmt.Fprintf(&b, "| [%s](%s.md) | %s |\n", subjectTitle(subject), subject, strings.Join(fields, " "))
	}
	return b.String()
}

func (r *schemaReference) subject(subject string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nA part of the [GraphQL schema](README.md).\n", subjectTitle(subject))
	for _, root := range rootTypes {
		for _, f := range r.roots[subject+" "+root] {
			fmt.Fprintf(&b, "\n## %s\n\n%s · %s\n\n%s\n", f.Name, root, r.typeLink(subject, f.Type), f.Description)
			r.arguments(&b, subject, f.Arguments)
		}
	}
	for _, d := range slices.Concat(r.parsed[subject].Definitions, r.parsed[subject].Extensions) {
		if !slices.Contains(rootTypes, d.Name) {
			r.definition(&b, subject, d)
		}
	}
	return b.String()
}

var kinds = map[ast.DefinitionKind]string{
	ast.Scalar: "Scalar", ast.Object: "Type", ast.Interface: "Interface", ast.Union: "Union", ast.Enum: "Enum",
	ast.InputObject: "Input",
}

func (r *schemaReference) definition(b *strings.Builder, subject string, d *ast.Definition) {
	fmt.Fprintf(b, "\n## %s\n\n%s", d.Name, kinds[d.Kind])
	for _, name := range slices.Concat(d.Interfaces, d.Types) {
		fmt.Fprintf(b, " · %s", r.link(subject, name))
	}
	if d.Directives.ForName("oneOf") != nil {
		b.WriteString(" · exactly one of its fields must be set")
	}
	fmt.Fprintf(b, "\n\n%s\n", d.Description)
	if len(d.EnumValues) > 0 {
		b.WriteString("\n| value | meaning |\n|---|---|\n")
		for _, v := range d.EnumValues {
			fmt.Fprintf(b, "| `%s` | %s |\n", v.Name, oneLine(v.Description))
		}
	}
	if len(d.Fields) == 0 {
		return
	}
	b.WriteString("\n| field | type | meaning |\n|---|---|---|\n")
	for _, f := range d.Fields {
		text := oneLine(f.Description)
		for _, a := range f.Arguments {
			text += fmt.Sprintf("<br>`%s`: %s %s", a.Name, r.typeLink(subject, a.Type), oneLine(a.Description))
		}
		if f.DefaultValue != nil {
			text += fmt.Sprintf(" Default: `%s`.", f.DefaultValue)
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", f.Name, r.typeLink(subject, f.Type), text)
	}
}

func (r *schemaReference) arguments(b *strings.Builder, subject string, list ast.ArgumentDefinitionList) {
	if len(list) == 0 {
		return
	}
	b.WriteString("\n| argument | type | meaning |\n|---|---|---|\n")
	for _, a := range list {
		text := oneLine(a.Description)
		if a.DefaultValue != nil {
			text += fmt.Sprintf(" Default: `%s`.", a.DefaultValue)
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", a.Name, r.typeLink(subject, a.Type), text)
	}
}

// typeLink returns a type with a link to its description.
func (r *schemaReference) typeLink(subject string, t *ast.Type) string {
	written := t.String()
	before, after, _ := strings.Cut(written, t.Name())
	return before + r.link(subject, t.Name()) + after
}

func (r *schemaReference) link(subject, name string) string {
	place, ok := r.places[name]
	if !ok {
		return "`" + name + "`" // built into GraphQL
	}
	file := place + ".md"
	if place == subject {
		file = ""
	}
	return fmt.Sprintf("[`%s`](%s#%s)", name, file, strings.ToLower(name))
}

// oneLine returns a description on one line, for a table cell.
func oneLine(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}
