package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/safelight/safelight/imaging"
)

type processCommand struct {
	Operations string
	In         string
	Out        string
}

func (p *program) process() *cobra.Command {
	return &cobra.Command{
		Use:   "process <operations> <in> <out>",
		Short: "Process one image without a server.",
		Long: `Process one image without a server.

Arguments:
  <operations>  operations as in a URL, without the image: fit-in/300x200/filters:blur(4).
                Empty: convert the format only.
  <in>          input file, or - for stdin
  <out>         output file, or - for stdout. The extension sets the format unless a filter does.`,
		RunE: func(_ *cobra.Command, args []string) error {
			return processCommand{Operations: args[0], In: args[1], Out: args[2]}.run(p)
		},
	}
}

// run processes one file without a server. It writes the output only when the result is complete.
func (c processCommand) run(p *program) error {
	s, err := p.settings()
	if err != nil {
		return err
	}
	operations, err := c.operations()
	if err != nil {
		return err
	}
	source, err := c.source(p.stdin)
	if err != nil {
		return err
	}
	if source.Layers, err = layerFiles(operations, s.Limits); err != nil {
		return err
	}
	engine, stop, err := openEngine(s, p.log(s))
	if err != nil {
		return err
	}
	defer stop()
	ctx, cancel := context.WithTimeout(p.ctx, s.Limits.Timeout)
	defer cancel()
	result, err := engine.Process(ctx, source, operations, s.Limits)
	if err != nil {
		return err
	}
	for _, w := range result.Warnings {
		fmt.Fprintln(p.stderr, "warning: "+w.String())
	}
	if c.Out == "-" {
		_, err = p.stdout.Write(result.Data)
		return err
	}
	if err := os.WriteFile(c.Out, result.Data, 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stderr, "%s: %s, %d x %d, %s\n", c.Out, result.Format, result.Width, result.Height,
		formatBytes(int64(len(result.Data))))
	return err
}

// operations parses the operations and adds the format of the output's extension.
func (c processCommand) operations() (imaging.Operations, error) {
	const placeholder = "safelight-process-input" // cannot be part of a URL's operations
	text := strings.Trim(c.Operations, "/")
	if text != "" {
		text += "/"
	}
	request, err := imaging.Parse("unsafe/" + text + placeholder)
	if err != nil {
		return imaging.Operations{}, err
	}
	if rest, clean := strings.CutSuffix(request.Image, placeholder); rest != "" || !clean || request.Meta {
		return imaging.Operations{}, fmt.Errorf("operations: %q is malformed, expected segments of the URL grammar "+
			"in order", strings.TrimSuffix(rest, "/"))
	}
	operations := request.Operations
	filters := operations.Filters.List()
	for _, f := range filters {
		if f.Name == "format" || f.Name == "autojpg" || f.Name == "raw" {
			return operations, nil
		}
	}
	if c.Out == "-" {
		return operations, nil
	}
	end := strings.TrimPrefix(strings.ToLower(filepath.Ext(c.Out)), ".")
	format, known := imaging.ParseFormat(end)
	if !known {
		return imaging.Operations{}, fmt.Errorf("output %s: %q is not a known picture format, expected a name such "+
			"as out.webp, or a format() filter", c.Out, end)
	}
	operations.Filters = imaging.FiltersOf(append(filters, imaging.Filter{Name: "format", Args: string(format)})...)
	return operations, nil
}

// source reads the input.
func (c processCommand) source(stdin io.Reader) (imaging.Source, error) {
	if c.In == "-" {
		content, err := io.ReadAll(stdin)
		return imaging.Source{Name: "stdin", Size: int64(len(content)), Reader: bytes.NewReader(content)}, err
	}
	content, err := os.ReadFile(c.In)
	return imaging.Source{Name: filepath.Base(c.In), Size: int64(len(content)), Reader: bytes.NewReader(content)}, err
}

// layerFiles reads the pictures of layers, relative to the working directory.
func layerFiles(o imaging.Operations, l imaging.Limits) (map[string]imaging.Source, error) {
	names, err := imaging.Layers(o, l)
	if err != nil {
		return nil, err
	}
	layers := make(map[string]imaging.Source, len(names))
	for _, name := range names {
		switch {
		case imaging.IsCanvas(name):
			continue
		case imaging.IsRemote(name):
			return nil, fmt.Errorf("layer %s: only a server loads remote pictures, expected a file", name)
		}
		content, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			return nil, fmt.Errorf("layer: %w", err)
		}
		layers[name] = imaging.Source{Name: name, Size: int64(len(content)), Reader: bytes.NewReader(content)}
	}
	return layers, nil
}
