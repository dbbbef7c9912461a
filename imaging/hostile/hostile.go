// Package hostile makes pictures, documents and operation paths that attack an image server: bombs, loops, false
// headers, floods of metadata, cut and changed files. Everything is made from seeds, so a name stands for the same
// bytes on every machine. It is for tests and fuzzing; nothing of it is in the product.
package hostile

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
)

// File is one hostile file. Class names the attack, such as "png bomb"; Name is unique and ends in the extension
// that the file goes by, which need not be that of its format.
type File struct {
	Class string
	Name  string
	make  func() []byte
}

// Data makes the file's bytes, again on each call.
func (f File) Data() []byte { return f.make() }

// Seeds are small valid pictures by extension without a dot: jpg png gif webp avif heic tiff jxl jp2. They are cut,
// changed and patched. A format that the engine cannot write may be left out; its files are then missing.
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

// add adds a file; ext is what its name ends in.
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

// random returns the source of random numbers that belongs to a name.
func random(name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

// noise returns n random bytes that belong to a name.
func noise(name string, n int) []byte {
	r, b := random(name), make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// replaced puts value over what stands n bytes behind a mark; data without that mark comes back as it is.
func replaced(data []byte, mark string, n int, value []byte) []byte {
	out := bytes.Clone(data)
	if at := bytes.Index(out, []byte(mark)); at >= 0 && at+len(mark)+n+len(value) <= len(out) {
		copy(out[at+len(mark)+n:], value)
	}
	return out
}
