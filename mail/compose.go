package mail

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"
)

// Language is a BCP 47 tag.
type Language string

// The languages in which messages are written.
const (
	German     Language = "de"
	English    Language = "en"
	Spanish    Language = "es"
	French     Language = "fr"
	Japanese   Language = "ja"
	Portuguese Language = "pt-BR"
	Chinese    Language = "zh"
)

// Languages contains all languages of messages.
var Languages = []Language{German, English, Spanish, French, Japanese, Portuguese, Chinese}

//go:embed messages
var messages embed.FS

// wording is the text of a message in one language. {from}, {name} and {until} are placeholders for fields of
// Content.
type wording struct {
	Subject string `json:"subject"`
	Text    string `json:"text"`   // above the link
	Action  string `json:"action"` // on the link
	After   string `json:"after"`  // below it
}

// text is a complete message.
type text struct{ Subject, Plain, HTML string }

var page = template.Must(template.New("").Parse(`<!DOCTYPE html>
<html lang="{{.Language}}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>{{.Subject}}</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif">
<div style="max-width:560px;margin:0 auto">
<p>{{.Text}}</p>
{{- if .Note}}
<p style="padding-left:12px;border-left:3px solid #b8531c;white-space:pre-wrap">{{.Note}}</p>
{{- end}}
<p style="margin:24px 0"><a href="{{.Link}}" style="display:inline-block;padding:10px 18px;border-radius:6px;background:#b8531c;color:#ffffff;text-decoration:none">{{.Action}}</a></p>
<p style="font-size:14px;overflow-wrap:anywhere;opacity:.75">{{.Link}}</p>
{{- if .After}}
<p style="font-size:14px;opacity:.75">{{.After}}</p>
{{- end}}
</div>
</body>
</html>
`))

// known returns the language, or English if it is not one of Languages.
func (l Language) known() Language {
	if slices.Contains(Languages, l) {
		return l
	}
	return English
}

// words returns the wording of all messages in a language. For an unknown language, it returns English.
func words(language Language) (name Language, all map[string]wording, err error) {
	language = language.known()
	b, err := messages.ReadFile("messages/" + string(language) + ".json")
	if err != nil {
		return "", nil, err
	}
	return language, all, json.Unmarshal(b, &all)
}

// compose returns a message of a kind in a language.
func compose(kind string, language Language, c Content) (t text, err error) {
	language, all, err := words(language)
	if err != nil {
		return t, err
	}
	w, ok := all[kind]
	if !ok {
		return t, fmt.Errorf("there is no message %s in %s", kind, language)
	}
	fill := strings.NewReplacer("{from}", line(c.From), "{name}", line(c.Name), "{until}", day(c.Until, language))
	// A mail program would decode text after =? in a header.
	t.Subject = strings.ReplaceAll(line(fill.Replace(w.Subject)), "=?", "= ?")
	above, below := fill.Replace(w.Text), fill.Replace(w.After)
	parts := []string{above}
	if c.Note != "" {
		parts = append(parts, quote(c.Note))
	}
	parts = append(parts, w.Action+":\n"+c.Link)
	if below != "" {
		parts = append(parts, below)
	}
	t.Plain = strings.Join(parts, "\n\n") + "\n"
	var b bytes.Buffer
	err = page.Execute(&b, map[string]string{
		"Language": string(language), "Subject": t.Subject, "Text": above, "Note": c.Note, "Action": w.Action,
		"Link":  c.Link,
		"After": below,
	})
	t.HTML = b.String()
	return t, err
}

// quote marks text that somebody else has written.
func quote(note string) string { return "> " + strings.ReplaceAll(note, "\n", "\n> ") }

// days are the date formats of the languages, as layouts of package time.
var days = map[Language]string{
	German:     "2.1.2006",
	English:    "January 2, 2006",
	Spanish:    "2/1/2006",
	French:     "02/01/2006",
	Japanese:   "2006年1月2日",
	Portuguese: "02/01/2006",
	Chinese:    "2006年1月2日",
}

// day formats the date of an RFC 3339 time in UTC. An empty time stays empty.
func day(moment string, language Language) string {
	t, err := time.Parse(time.RFC3339, moment)
	if err != nil {
		return ""
	}
	return t.UTC().Format(days[language])
}
