package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Bounds of packages and types, so that they can be read.
const (
	maxPackageLines = 5000
	maxMethods      = 100
)

// TestPackagesStaySmall holds the bounds for hand-written code without its tests. The engine's steps need each other's insides.
func TestPackagesStaySmall(t *testing.T) {
	lines, methods := map[string]int{}, map[string]int{}
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && (name == "node_modules" || name == "testdata" || name != ".." && strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil || bytes.HasPrefix(data, []byte("// Code generated")) {
			return err
		}
		folder, err := filepath.Rel("../..", filepath.Dir(path))
		if err != nil {
			return err
		}
		lines[folder] += bytes.Count(data, []byte("\n"))
		for _, receiver := range receivers(t, data) {
			methods[folder+"."+receiver]++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if lines["imaging"] == 0 || methods["gallery.Gallery"] == 0 {
		t.Fatalf("the walk misses packages: %d lines in imaging, %d methods of gallery.Gallery", lines["imaging"], methods["gallery.Gallery"])
	}
	for folder, n := range lines {
		if n > maxPackageLines && folder != "imaging/vips" {
			t.Errorf("%s has %d lines, expected at most %d: move a subject to a package of its own", folder, n, maxPackageLines)
		}
	}
	for name, n := range methods {
		if n > maxMethods {
			t.Errorf("%s has %d methods, expected at most %d", name, n, maxMethods)
		}
	}
}

// receivers returns the type name of each method of a file.
func receivers(t *testing.T, data []byte) []string {
	t.Helper()
	file, err := parser.ParseFile(gotoken.NewFileSet(), "", data, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil {
			continue
		}
		e := f.Recv.List[0].Type
		if star, ok := e.(*ast.StarExpr); ok {
			e = star.X
		}
		if index, ok := e.(*ast.IndexExpr); ok {
			e = index.X
		}
		if name, ok := e.(*ast.Ident); ok {
			names = append(names, name.Name)
		}
	}
	return names
}
