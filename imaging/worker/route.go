//go:build linux

package worker

import (
	"encoding/binary"

	"github.com/safelight/safelight/imaging"
)

// isTrusted reports whether the work may be done in this process: by the bytes of the source and its layers, never by
// a name or by what was read of them before. Fonts that are not installed are for workers only.
func (p *Pool) isTrusted(src imaging.Source, ops imaging.Operations) bool {
	if len(src.Fonts) > 0 || p.mode == imaging.IsolateAll {
		return false
	}
	layers := func(yield func(imaging.Header) bool) {
		for _, layer := range src.Layers {
			if !yield(headerOf(layer)) {
				return
			}
		}
	}
	return !p.mode.IsolatesAny(headerOf(src), layers, ops.Filters)
}

// headerOf returns what decides about isolation of the first bytes of the source, which it leaves at its start.
func headerOf(src imaging.Source) (h imaging.Header) {
	if src.Canvas != nil || src.Reader == nil {
		return imaging.Header{Canvas: true}
	}
	head, err := headOf(src)
	if err != nil {
		return h
	}
	if h.Format = imaging.SniffFormat(head); h.Format == imaging.PNG && len(head) >= 24 {
		h.Width, h.Height = int(binary.BigEndian.Uint32(head[16:])), int(binary.BigEndian.Uint32(head[20:]))
	}
	return h
}

// isDrawing reports whether the source or one of its layers is an SVG: no kill flag stops its renderer, and no
// estimate bounds what it computes.
func isDrawing(src imaging.Source) bool {
	if src.Canvas == nil && src.Reader != nil {
		if head, err := headOf(src); err == nil && imaging.SniffFormat(head) == imaging.SVG {
			return true
		}
	}
	for _, layer := range src.Layers {
		if isDrawing(layer) {
			return true
		}
	}
	return false
}

// headOf returns the first bytes of the source, which it leaves at its start.
func headOf(src imaging.Source) ([]byte, error) {
	if data, ok := imaging.BytesOf(src.Reader); ok {
		return data, nil
	}
	return imaging.ReadHead(src.Reader)
}
