// Command oci converts an archive of a root folder to a container image, which is an OCI layout in a tar archive. The
// user, the environment and so on come from the Dockerfile's last stage. The output is reproducible: the same
// arguments give the same bytes.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

const usage = "usage: oci ROOT.tar DOCKERFILE ARCHITECTURE VERSION > IMAGE.tar, with SOURCE_DATE_EPOCH"

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, usage)
		os.Exit(2)
	}
	if err := write(os.Stdout, os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, "oci:", err)
		os.Exit(1)
	}
}

// The media types of the OCI image specification.
const (
	indexType    = "application/vnd.oci.image.index.v1+json"
	manifestType = "application/vnd.oci.image.manifest.v1+json"
	configType   = "application/vnd.oci.image.config.v1+json"
	layerType    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// descriptor names a blob.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int64             `json:"size"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// layout writes an OCI layout.
type layout struct {
	out *tar.Writer
	at  time.Time // of all files
}

func write(out io.Writer, root, dockerfile, architecture, version string) error {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return errors.New("SOURCE_DATE_EPOCH is not a number of seconds")
	}
	created := time.Unix(seconds, 0).UTC()
	text, err := os.ReadFile(dockerfile)
	if err != nil {
		return err
	}
	run, err := runConfig(string(text))
	if err != nil {
		return fmt.Errorf("reading %s: %w", dockerfile, err)
	}
	layer, diffID, err := compressed(root)
	if err != nil {
		return fmt.Errorf("compressing %s: %w", root, err)
	}

	l := layout{tar.NewWriter(out), created}
	config, err := json.Marshal(map[string]any{
		"architecture": architecture, "os": "linux", "created": created, "config": run,
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{diffID}},
		"history": []any{map[string]any{"created": created, "created_by": "scripts/release"}},
	})
	if err != nil {
		return err
	}
	manifest := map[string]any{
		"schemaVersion": 2, "mediaType": manifestType,
		"config": l.blob(configType, config, &err),
		"layers": []descriptor{l.blob(layerType, layer, &err)},
	}
	entry := l.blob(manifestType, encoded(manifest), &err)
	// podman reads the name from the first annotation, Docker from the second.
	entry.Annotations = map[string]string{"org.opencontainers.image.ref.name": "safelight:" + version,
		"io.containerd.image.name": "docker.io/library/safelight:" + version}
	l.file("index.json", encoded(map[string]any{"schemaVersion": 2, "mediaType": indexType,
		"manifests": []descriptor{entry}}), &err)
	l.file("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`), &err)
	return errors.Join(err, l.out.Close())
}

// encoded returns a value as JSON. Maps of strings can always be encoded, with their keys sorted.
func encoded(value any) []byte {
	text, _ := json.Marshal(value)
	return text
}

// compressed returns the gzip-compressed content of a file, and the digest of the uncompressed file.
func compressed(name string) ([]byte, string, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	var packed bytes.Buffer
	digest := sha256.New()
	zip := gzip.NewWriter(&packed)
	_, err = io.Copy(io.MultiWriter(zip, digest), file)
	if err = errors.Join(err, zip.Close()); err != nil {
		return nil, "", err
	}
	return packed.Bytes(), "sha256:" + hex.EncodeToString(digest.Sum(nil)), nil
}

// blob adds a blob, unless *err is an earlier error.
func (l layout) blob(media string, data []byte, err *error) descriptor {
	sum := sha256.Sum256(data)
	digest := hex.EncodeToString(sum[:])
	l.file("blobs/sha256/"+digest, data, err)
	return descriptor{MediaType: media, Digest: "sha256:" + digest, Size: int64(len(data))}
}

// file adds a file, unless *err is an earlier error.
func (l layout) file(name string, data []byte, err *error) {
	if *err != nil {
		return
	}
	*err = l.out.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(data)),
		ModTime: l.at, Format: tar.FormatUSTAR})
	if *err == nil {
		_, *err = l.out.Write(data)
	}
}

// config is how a container is run. Healthcheck is an extension of Docker; other runtimes ignore it.
type config struct {
	User         string              `json:",omitempty"`
	ExposedPorts map[string]struct{} `json:",omitempty"`
	Env          []string
	Entrypoint   []string            `json:",omitempty"`
	Volumes      map[string]struct{} `json:",omitempty"`
	Healthcheck  *health             `json:",omitempty"`
}

// health is how a running container is checked. Times are in nanoseconds.
type health struct {
	Test                           []string
	Interval, Timeout, StartPeriod time.Duration `json:",omitempty"`
}

// runConfig reads the last stage of a Dockerfile. It supports only the instructions that our Dockerfile uses.
func runConfig(dockerfile string) (c config, err error) {
	for line := range strings.Lines(dockerfile) {
		instruction, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch instruction {
		case "FROM":
			c = config{Env: []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}}
		case "USER":
			c.User = rest
		case "ENV":
			c.Env = append(c.Env, strings.Fields(rest)...)
		case "VOLUME":
			c.Volumes = map[string]struct{}{rest: {}}
		case "EXPOSE":
			c.ExposedPorts = map[string]struct{}{rest + "/tcp": {}}
		case "ENTRYPOINT":
			err = errors.Join(err, json.Unmarshal([]byte(rest), &c.Entrypoint))
		case "HEALTHCHECK":
			var failed error
			c.Healthcheck, failed = healthcheck(rest)
			err = errors.Join(err, failed)
		}
	}
	if err == nil && (c.User == "" || len(c.Entrypoint) == 0) {
		err = errors.New("the last stage has no USER or no ENTRYPOINT")
	}
	return c, err
}

// healthcheck reads the arguments of HEALTHCHECK.
func healthcheck(text string) (*health, error) {
	options, command, _ := strings.Cut(text, " CMD ")
	h, words := &health{}, []string{}
	err := json.Unmarshal([]byte(command), &words)
	h.Test = append([]string{"CMD"}, words...)
	for _, option := range strings.Fields(options) {
		name, value, _ := strings.Cut(option, "=")
		duration, failed := time.ParseDuration(value)
		err = errors.Join(err, failed)
		switch name {
		case "--interval":
			h.Interval = duration
		case "--timeout":
			h.Timeout = duration
		case "--start-period":
			h.StartPeriod = duration
		default:
			err = errors.Join(err, fmt.Errorf("option %s of HEALTHCHECK is not known", name))
		}
	}
	return h, err
}
