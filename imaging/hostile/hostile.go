// Package hostile makes pictures, documents and operation paths that attack an image server: bombs, loops, false
// headers, excessive metadata, truncated and modified files. Everything is derived from seeds, so a name gives the
// same bytes on every machine. It is for tests and fuzzing, and not part of the product.
package hostile

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
)

// File is one hostile file. Class names the attack, such as "png bomb"; Name is unique and ends in the file's
// extension, which need not match its format.
type File struct {
	Class string
	Name  string
	make  func() []byte
}

// Data generates the file's bytes anew on each call.
func (f File) Data() []byte { return f.make() }

// Seeds are small valid pictures by extension without a dot: jpg png gif webp avif heic tiff jxl jp2. They are
// truncated, modified and patched. Formats that the engine cannot write may be omitted; their files are then missing.
type Seeds map[string][]byte

// Files returns the whole corpus in a fixed order.
func Files(seeds Seeds) []File {
	var c corpus
	for _, add := range []func(*corpus, Seeds){
		pngFiles, jpegFiles, gifFiles, webpFiles, heifFiles, jxlFiles, jp2Files, tiffFiles, svgFiles, svgText, pdfFiles,
		bmpFiles, metadataFiles, polyglots, mutations,
	} {
		add(&c, seeds)
	}
	return c.files
}

// Sample returns the first n files of each class.
func Sample(files []File, n int) []File {
	taken := map[string]int{}
	return slices.DeleteFunc(slices.Clone(files), func(f File) bool {
		taken[f.Class]++
		return taken[f.Class] > n
	})
}

type corpus struct{ files []File }

// add adds a file; ext is the extension of its name.
func (c *corpus) add(class, name, ext string, make func() []byte) {
	c.files = append(
		c.files,
		File{Class: class, Name: fmt.Sprintf("%03d-%s.%s", len(c.files), slug(name), ext), make: make},
	)
}

// slug keeps letters, digits and minus signs.
func slug(name string) string {
	b := []byte(name)
	for i, ch := range b {
		if (ch < 'a' || ch > 'z') && (ch < 'A' || ch > 'Z') && (ch < '0' || ch > '9') {
			b[i] = '-'
		}
	}
	return string(b)
}

// random returns a random number generator that is seeded with a name.
func random(name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

// noise returns n pseudorandom bytes that depend on a name.
func noise(name string, n int) []byte {
	r, b := random(name), make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// replaced overwrites the bytes at offset n after a mark with value. It returns data without that mark unchanged.
func replaced(data []byte, mark string, n int, value []byte) []byte {
	out := bytes.Clone(data)
	if at := bytes.Index(out, []byte(mark)); at >= 0 && at+len(mark)+n+len(value) <= len(out) {
		copy(out[at+len(mark)+n:], value)
	}
	return out
}
