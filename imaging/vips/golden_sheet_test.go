package vips

import (
	"bytes"
	"flag"
	stdimage "image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/safelight/safelight/imaging"
)

var contactSheet = flag.String("contact-sheet", "", "the PNG file to draw all goldens to, with their paths")

// A cell of the sheet is a picture over two lines of text.
const (
	sheetWidth = 1480
	cellWidth  = 176 // at least; frames of an animation are side by side
	cellMargin = 6
	cellText   = 56
)

type cell struct {
	picture *stdimage.NRGBA
	caption *stdimage.NRGBA
}

func (c cell) width() int {
	return max(cellWidth, c.picture.Bounds().Dx(), c.caption.Bounds().Dx()) + cellMargin
}

// TestContactSheet draws every golden with its source and its path on one sheet for a person's eye: make contact-sheet.
func TestContactSheet(t *testing.T) {
	if *contactSheet == "" {
		t.Skip("no -contact-sheet FILE: make contact-sheet")
	}
	e := open(t)
	var rows [][]cell
	x, group := 0, ""
	for _, c := range goldenCases() {
		one := cell{framesAbreast(t, c), captionOf(t, e, c)}
		if len(rows) == 0 || x+one.width() > sheetWidth || c.group != group {
			rows, x, group = append(rows, nil), 0, c.group
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], one)
		x += one.width()
	}
	height := cellMargin
	for _, row := range rows {
		height += rowHeight(row)
	}
	sheet := flat(sheetWidth, height, color.NRGBA{245, 245, 245, 255})
	y := cellMargin
	for _, row := range rows {
		x := cellMargin
		for _, c := range row {
			drawOnChequers(sheet, c.picture, x, y)
			at := stdimage.Pt(x, y+c.picture.Bounds().Dy()+3)
			draw.Draw(sheet, c.caption.Bounds().Add(at), c.caption, stdimage.Point{}, draw.Over)
			x += c.width()
		}
		y += rowHeight(row)
	}
	if err := os.MkdirAll(filepath.Dir(*contactSheet), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(*contactSheet, pngOf(t, sheet), 0o644); err != nil {
		t.Fatal(err)
	}
}

func rowHeight(row []cell) int {
	height := 0
	for _, c := range row {
		height = max(height, c.picture.Bounds().Dy())
	}
	return height + cellText + cellMargin
}

// framesAbreast returns the golden of a case, its frames from left to right; a black square when there is none.
func framesAbreast(t *testing.T, c goldenCase) *stdimage.NRGBA {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(goldenFolder, c.group, c.name()+"--*"))
	if len(files) != 1 {
		return flat(40, 40, color.NRGBA{0, 0, 0, 255})
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	_, pages, _ := cutLast(strings.TrimSuffix(files[0], ".png"), "-")
	n, err := strconv.Atoi(pages)
	if err != nil || n < 1 {
		t.Fatalf("%s does not end in its number of frames", files[0])
	}
	width, height := img.Bounds().Dx(), img.Bounds().Dy()/n
	out := stdimage.NewNRGBA(stdimage.Rect(0, 0, n*width+(n-1)*2, height))
	for frame := range n {
		to := stdimage.Rect(frame*(width+2), 0, frame*(width+2)+width, height)
		draw.Draw(out, to, img, stdimage.Pt(0, frame*height), draw.Src)
	}
	return out
}

// captionOf writes the source and the path, which wraps.
func captionOf(t *testing.T, e *Engine, c goldenCase) *stdimage.NRGBA {
	t.Helper()
	lines := []string{c.source}
	for rest := strings.ReplaceAll(c.path, "filters:", ""); rest != ""; {
		n := min(len(rest), 30)
		lines, rest = append(lines, rest[:n]), rest[n:]
	}
	call := imaging.Filter{Name: "text", Args: imaging.EncodeText(strings.Join(lines, "\n")) + ",0,0,sans-8"}
	canvas := imaging.Colour{}
	result, err := e.Process(
		t.Context(), imaging.Source{Canvas: &canvas},
		imaging.Operations{Width: 180, Height: cellText, Filters: imaging.FiltersOf(call)},
		imaging.DefaultLimits(),
	)
	if err != nil {
		t.Fatal(err)
	}
	pixels, err := unpacked(result)
	if err != nil {
		t.Fatal(err)
	}
	return pixels
}

// drawOnChequers draws the picture on squares of grey, so that one sees through.
func drawOnChequers(sheet, img *stdimage.NRGBA, left, top int) {
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			grey := uint8(180 + 40*((x/6+y/6)%2))
			sheet.SetNRGBA(left+x, top+y, color.NRGBA{grey, grey, grey, 255})
		}
	}
	at := stdimage.Rect(left, top, left+img.Bounds().Dx(), top+img.Bounds().Dy())
	draw.Draw(sheet, at, img, stdimage.Point{}, draw.Over)
}
