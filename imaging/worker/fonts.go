//go:build linux

package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging"
)

// A worker that has loaded fonts draws pictures with these only: Pango may take letters that a font lacks from any font
// of the process, so the pixels of other pictures would depend on what was drawn before. It also keeps what a malicious
// font can break away from pictures that do not use it.

// fontsOf names the very bytes of the fonts of a source; empty for none.
func fontsOf(src imaging.Source) string {
	var b strings.Builder
	for _, f := range src.Fonts {
		fmt.Fprintf(&b, "font %q %q\n", f.Family, f.Version)
	}
	return b.String()
}

// load has a worker that has done nothing yet load the fonts. After an error, it is the pool's again, or gone.
func (p *processes) load(
	ctx context.Context,
	c *child,
	fonts []imaging.Font,
	limits imaging.Limits,
	end time.Time,
) error {
	r := &request{Kind: kindFonts, Limits: limits}
	b := &sources{}
	defer b.close()
	for _, f := range fonts {
		r.Source.Name = "the font " + f.Family // for messages
		file, err := fontFile(ctx, f)
		if err != nil {
			p.release(c)
			return err
		}
		r.Fonts = append(r.Fonts, part{Name: f.Family, File: b.own(file), Memory: true})
	}
	a, _, reason, spent, err := p.talk(ctx, c, r, b, true, end)
	if reason != "" {
		text := c.stderr.String()
		p.lose(c, reason)
		return &broken{reason, spent, p.lost(ctx, c, r, reason, text, err)}
	}
	p.mu.Lock()
	c.cpu, c.memory = a.CPU, a.Memory
	if a.Fault == nil {
		c.fonts = fontsOf(imaging.Source{Fonts: fonts})
		p.mu.Unlock()
		return nil
	}
	closed := p.closed
	if !closed { // else Close has killed it
		p.retire(c)
	}
	p.mu.Unlock()
	if !closed {
		p.vacate()
	}
	return a.Fault.error()
}

// fontFile copies a font into a memory file. Only one font at a time is also on the heap.
func fontFile(ctx context.Context, font imaging.Font) (*os.File, error) {
	data, err := font.Load(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, imaging.Ended(ctx, "the font "+font.Family)
		}
		return nil, err
	}
	f, err := memoryFile(data)
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The font %s cannot be read", font.Family)
	}
	return f, nil
}

// loadFonts loads fonts in a worker.
func (s *service) loadFonts(fonts []part, files []*os.File) error {
	var families, paths []string
	for _, f := range fonts {
		if f.File < 1 || f.File > len(files) {
			return errors.New("the descriptor of a font is missing")
		}
		families = append(families, f.Name)
		paths = append(paths, fmt.Sprintf("/proc/self/fd/%d", files[f.File-1].Fd()))
	}
	return s.engine.LoadFonts(families, paths)
}
