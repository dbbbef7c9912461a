// Command sbom prints the software bill of materials of a Go program as CycloneDX 1.5 JSON: the modules recorded in
// the program, with their versions and checksums, and its shared libraries or, for an image, all its Debian packages.
package main

import (
	"debug/buildinfo"
	"debug/elf"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
)

func main() {
	packages := flag.String("packages", "", "file /var/lib/dpkg/status of the system that the program runs on")
	bundle := flag.String("bundled", "", "file with a JSON object of the libraries beside the program and their "+
		"versions")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: sbom [--packages STATUS] [--bundled VERSIONS] PROGRAM VERSION")
		os.Exit(2)
	}
	if err := write(os.Stdout, flag.Arg(0), flag.Arg(1), *packages, *bundle); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	PURL    string `json:"purl,omitempty"`
	Hashes  []hash `json:"hashes,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type document struct {
	Format     string `json:"bomFormat"`
	Spec       string `json:"specVersion"`
	Version    int    `json:"version"`
	Metadata   any    `json:"metadata"`
	Components []any  `json:"components"`
}

// write prints the document of a program. The output is reproducible: it contains no time and no random serial number.
func write(out io.Writer, program, version, packages, bundle string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return fmt.Errorf("reading %s: %w", program, err)
	}
	d := document{Format: "CycloneDX", Spec: "1.5", Version: 1,
		Metadata: map[string]any{"component": component{Type: "application", Name: "safelight", Version: version,
			PURL: "pkg:golang/" + info.Main.Path + "@" + version}}}
	d.Components = append(d.Components, component{Type: "library", Name: "std",
		Version: strings.TrimPrefix(info.GoVersion, "go"), PURL: "pkg:golang/std@" +
			strings.TrimPrefix(info.GoVersion, "go")})
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := component{Type: "library", Name: m.Path, Version: m.Version, PURL: "pkg:golang/" + m.Path + "@" +
			m.Version}
		// The checksum of the module's files as in go.sum.
		if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(sum) == 32 {
			c.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum)}}
		}
		d.Components = append(d.Components, c)
	}
	var system []component
	if packages != "" {
		system, err = installed(packages)
	} else {
		system, err = shared(program)
	}
	if err != nil {
		return err
	}
	if bundle != "" {
		libraries, err := bundled(bundle)
		if err != nil {
			return fmt.Errorf("reading %s: %w", bundle, err)
		}
		system = append(system, libraries...)
	}
	for _, c := range system {
		d.Components = append(d.Components, c)
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(d)
}

// shared returns the shared libraries that a program needs; empty for a static program.
func shared(program string) (list []component, err error) {
	f, err := elf.Open(program)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", program, err)
	}
	names, err := f.ImportedLibraries()
	for _, name := range names {
		list = append(list, component{Type: "library", Name: name})
	}
	return list, errors.Join(err, f.Close())
}

// bundled returns the libraries that a JSON file of names and versions lists, sorted by name.
func bundled(file string) (list []component, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	versions := map[string]string{}
	if err := json.Unmarshal(text, &versions); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		list = append(list, component{Type: "library", Name: name, Version: versions[name]})
	}
	return list, nil
}

// installed returns the packages that are installed according to dpkg's status file, in its order.
func installed(status string) (list []component, err error) {
	text, err := os.ReadFile(status)
	if err != nil {
		return nil, err
	}
	for paragraph := range strings.SplitSeq(string(text), "\n\n") {
		values := map[string]string{}
		for line := range strings.Lines(paragraph) {
			if name, value, ok := strings.Cut(line, ": "); ok {
				values[name] = strings.TrimSpace(value)
			}
		}
		name, version := values["Package"], values["Version"]
		if strings.HasSuffix(values["Status"], " installed") {
			list = append(list, component{Type: "library", Name: name, Version: version, PURL: "pkg:deb/debian/" +
				name + "@" + url.QueryEscape(version) + "?arch=" + values["Architecture"]})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s names no installed package, expected a file such as /var/lib/dpkg/status", status)
	}
	return list, nil
}
