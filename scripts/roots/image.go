package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// image makes the stages of a Dockerfile in roots, without Docker.
type image struct {
	work   string // folder of the roots
	tree   string // what COPY copies from
	base   root   // stands for ${BASE}
	values map[string]string
	given  map[string]string
	stages []stage
	done   map[int]built
}

// built is a stage that was made: its root, and what the instructions say about running it.
type built struct {
	root
	env             map[string]string
	workdir, user   string
	health, program []string
}

// make makes a stage, and those that it needs.
func (m *image) make(ctx context.Context, n int) (built, error) {
	if b, ok := m.done[n]; ok {
		return b, nil
	}
	s := m.stages[n]
	b := built{env: map[string]string{}, workdir: "/"}
	from := m.base
	if parent := named(m.stages, s.base); parent >= 0 {
		p, err := m.make(ctx, parent)
		if err != nil {
			return b, err
		}
		b, from = p, p.root
		b.env = maps.Clone(p.env)
	} else if s.base != m.values["BASE"] {
		return b, fmt.Errorf("the image %s is not known here", s.base)
	}
	var err error
	if b.root, err = from.copied(ctx, filepath.Join(m.work, fmt.Sprintf("stage-%d", n))); err != nil {
		return b, err
	}
	args := map[string]string{}
	for _, step := range s.steps {
		if err := m.take(ctx, &b, args, step); err != nil {
			return b, fmt.Errorf("stage %d: %w", n, err)
		}
	}
	m.done[n] = b
	return b, nil
}

// take does one instruction.
func (m *image) take(ctx context.Context, b *built, args map[string]string, s step) (err error) {
	switch s.op {
	case "ARG":
		name, value, _ := strings.Cut(s.args, "=")
		args[name] = value
		if v, ok := m.given[name]; ok {
			args[name] = v
		}
	case "ENV":
		for field := range strings.FieldsSeq(s.args) {
			name, value, _ := strings.Cut(field, "=")
			b.env[name] = value
		}
	case "WORKDIR":
		b.workdir = s.args
		return os.MkdirAll(filepath.Join(b.path, s.args), 0o755)
	case "RUN":
		return b.shell(ctx, m.with(*b, args), s.args)
	case "COPY":
		return m.copy(ctx, b, strings.Fields(s.args))
	case "USER":
		b.user = s.args
	case "HEALTHCHECK":
		b.health, err = list(s.args[strings.Index(s.args, "CMD ")+4:])
	case "ENTRYPOINT":
		b.program, err = list(s.args)
	}
	return err
}

// list reads ["a", "b"].
func list(text string) (words []string, err error) {
	inner, ok := strings.CutPrefix(strings.TrimSuffix(text, "]"), "[")
	if !ok {
		return nil, fmt.Errorf("%s, expected a list", text)
	}
	for word := range strings.SplitSeq(inner, ",") {
		words = append(words, strings.Trim(word, ` "`))
	}
	return words, nil
}

// with returns what RUN gets: the variables, and this machine's Go modules and build cache.
func (m *image) with(b built, args map[string]string) inside {
	w := inside{workdir: b.workdir, binds: map[string]string{"/root/go/pkg/mod": goEnv("GOMODCACHE"),
		"/root/.cache/go-build": goEnv("GOCACHE")}}
	for _, values := range []map[string]string{args, b.env} {
		for name, value := range values {
			w.env = append(w.env, name+"="+value)
		}
	}
	for _, name := range []string{"GOPROXY", "GOSUMDB", "GONOSUMDB", "GOINSECURE"} {
		w.env = append(w.env, name+"="+goEnv(name))
	}
	return w
}

func goEnv(name string) string {
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// copy does COPY: from the tree what git knows of it, and from the image of Go this machine's toolchain, if the version
// is the same.
func (m *image) copy(ctx context.Context, b *built, fields []string) error {
	to := fields[len(fields)-1]
	if !filepath.IsAbs(to) {
		to = filepath.Join(b.workdir, to)
	}
	to = filepath.Join(b.path, to)
	stageName, other := strings.CutPrefix(fields[0], "--from=")
	if !other {
		return m.copyTree(ctx, fields[:len(fields)-1], to)
	}
	n := named(m.stages, stageName)
	if n < 0 {
		return fmt.Errorf("no stage %s", stageName)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if version, isGo := strings.CutPrefix(m.stages[n].base, "golang:"); isGo {
		if version, _, _ = strings.Cut(version, "-"); runtime.Version() != "go"+version {
			return fmt.Errorf("the image has Go %s, this machine %s", version, runtime.Version())
		}
		return run(ctx, "cp", "-a", goEnv("GOROOT"), to)
	}
	from, err := m.make(ctx, n)
	if err != nil {
		return err
	}
	return run(ctx, "cp", "-a", filepath.Join(from.path, fields[1]), to)
}

func (m *image) copyTree(ctx context.Context, names []string, to string) error {
	line := `git ls-files -coz --exclude-standard -- "$@" | xargs -0 sh -c 'for f; do [ ! -f "$f" ] || printf "%s\0" "$f"; done' sh | tar --null -T - -c | tar -C "$to" -x --no-same-owner`
	c := exec.CommandContext(ctx, "bash", append([]string{"-o", "pipefail", "-c", line, "copy"}, names...)...)
	c.Dir, c.Env = m.tree, append(os.Environ(), "to="+to)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("copying %v: %w: %s", names, err, out)
	}
	return nil
}

func run(ctx context.Context, name string, args ...string) error {
	if out, err := exec.CommandContext(ctx, name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, out)
	}
	return nil
}
