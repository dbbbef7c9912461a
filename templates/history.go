package templates

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/safelight/safelight/gallery"
)

// The limits of a template's history. The oldest versions are dropped first.
const (
	maxEarlier = 20        // versions before the current one
	maxHistory = 256 << 10 // bytes of the history in the file
	maxNumber  = 1 << 30   // of a version
)

// historyField is the field of a stored envelope that contains its history. Because the history is part of
// the file, it is moved, copied, trashed and backed up with its template.
const historyField = "savedVersions"

// history is the list of versions in a stored template. It does not prove authorship, because anybody with
// write access can upload a forged history. The audit log does.
type history struct {
	Number  int       `json:"number"` // of the current version, from 1
	Saved   time.Time `json:"saved"`
	Author  string    `json:"author,omitempty"`
	Earlier []earlier `json:"earlier,omitempty"` // newest first
}

// earlier is a previous version.
type earlier struct {
	Number   int             `json:"number"`
	Saved    time.Time       `json:"saved"`
	Author   string          `json:"author,omitempty"`
	Template json.RawMessage `json:"template"` // the envelope without its history
}

// splitHistory splits a stored template into its envelope and its history. The history is nil if the template
// has none, for example because it was uploaded. A file without a history, or that is not JSON, is returned
// as its envelope.
func splitHistory(stored []byte) (envelope []byte, h *history) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(stored, &fields) != nil || fields[historyField] == nil {
		return stored, nil
	}
	h = &history{}
	if json.Unmarshal(fields[historyField], h) != nil || h.Number < 1 || h.Number > maxNumber {
		return stored, nil
	}
	h.Earlier = slices.DeleteFunc(h.Earlier, func(e earlier) bool { return e.Number < 1 || e.Number >= h.Number })
	h.Earlier = h.Earlier[:min(len(h.Earlier), maxEarlier)]
	cut := bytes.LastIndex(stored, []byte(",\n  \""+historyField+"\":"))
	if cut >= 0 {
		if envelope := slices.Concat(stored[:cut], []byte("\n}\n")); json.Valid(envelope) {
			return envelope, h
		}
	}
	// written by another program
	delete(fields, historyField)
	envelope, err := json.Marshal(fields)
	if err != nil {
		return stored, nil
	}
	return envelope, h
}

// joinHistory returns the bytes to store: an indented envelope with its history, within the bounds.
func joinHistory(envelope []byte, h history) []byte {
	h.Earlier = slices.Clone(h.Earlier[:min(len(h.Earlier), maxEarlier)])
	body := bytes.TrimSuffix(bytes.TrimSpace(envelope), []byte("}"))
	room := min(maxHistory, gallery.MaxTemplate-len(envelope)-len(historyField)-16)
	text, err := json.Marshal(h)
	for ; err == nil && len(text) > room && len(h.Earlier) > 0; text, err = json.Marshal(h) {
		h.Earlier = h.Earlier[:len(h.Earlier)-1]
	}
	if err != nil || len(text) > room { // a template of the maximum size leaves no room for a history
		return envelope
	}
	return slices.Concat(bytes.TrimSpace(body), []byte(",\n  \""+historyField+"\": "), text, []byte("\n}\n"))
}

// next returns the history after the currently stored envelope is replaced. before is the stored envelope as
// compact JSON.
func (h history) next(before []byte, saved time.Time, author string) history {
	last := earlier{Number: h.Number, Saved: h.Saved, Author: h.Author, Template: before}
	return history{Number: h.Number + 1, Saved: saved, Author: author, Earlier: append([]earlier{last}, h.Earlier...)}
}
