package presets

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/safelight/safelight/fault"
	"github.com/safelight/safelight/imaging/preset"
)

// maxFile is the max size of a presets file in bytes.
const maxFile = 4 << 20

// entry is a preset in a presets file.
type entry struct {
	Name    string `json:"name"`
	Version *int   `json:"version"` // nil: 1
	preset.Rule
}

// ReadFile reads a JSON list of presets: objects with name, operations, parameters and, if a name has several entries,
// version. The error names the file and the preset.
func ReadFile(name string) ([]preset.Version, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading the presets file: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading the presets file: %w", err)
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("the presets file %s has more than %d bytes", name, maxFile)
	}
	list, err := parseFile(data)
	if err != nil {
		return nil, fmt.Errorf("the presets file %s: %w", name, err)
	}
	return list, nil
}

func parseFile(data []byte) ([]preset.Version, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var entries []entry
	if err := d.Decode(&entries); err != nil {
		return nil, fmt.Errorf("expected a JSON list of objects with name, version, operations and parameters: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("expected nothing after the list")
	}
	if n := len(entries); n > MaxPresets {
		return nil, fmt.Errorf("%d presets, expected at most %d", n, MaxPresets)
	}
	var list []preset.Version
	seen := map[string]bool{}
	for i, e := range entries {
		v := preset.Version{Name: e.Name, Number: 1, Rule: e.Rule}
		if e.Version != nil {
			v.Number = *e.Version
		}
		if err := check(v); err != nil {
			return nil, fmt.Errorf("preset %d, %s: %s", i+1, fault.Quote(e.Name), fault.Of(err).Message)
		}
		key := fmt.Sprintf("%s@%d", v.Name, v.Number)
		if seen[key] {
			return nil, fmt.Errorf("there are two presets %s, expected one of each name and version", key)
		}
		seen[key] = true
		list = append(list, v)
	}
	return list, nil
}

func check(v preset.Version) error {
	if err := preset.CheckName(v.Name); err != nil {
		return err
	}
	if v.Number < 1 || v.Number > preset.MaxVersion {
		return fault.OnField(
			fault.Invalid, "version", "the version is %d, expected 1 to %d", v.Number, preset.MaxVersion,
		)
	}
	return v.Check()
}
