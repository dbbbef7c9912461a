package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// point is a variant over all pictures.
type point struct {
	Name, Group string
	CPU         float64 // ratio to the base variant, median
	Score, Low  float64 // median and first decile of the judge's scores; of encoders at their own quality
	Bytes       float64 // encoders: ratio to the base at the score that the base has, median
	N           int     // pictures and widths
}

// reportFrontier prints tables of the measurements in a file and writes a plot of each beside it.
func reportFrontier(file string, out io.Writer) error {
	lines, err := readScaled(file)
	if err != nil {
		return err
	}
	pictures := map[string]bool{}
	for _, l := range lines {
		pictures[l.Picture] = true
	}
	fmt.Fprintf(out, "%d pictures\n\n| scaling | CPU | score | lowest tenth | measured |\n|---|--:|--:|--:|--:|\n",
		len(pictures))
	points := scalingPoints(lines)
	for _, p := range points {
		fmt.Fprintf(out, "| %s | %.2f | %.1f | %.1f | %d |\n", p.Name, p.CPU, p.Score, p.Low, p.N)
	}
	if err := plot(file, "scaling", "score, median", points, func(p point) float64 { return p.Score }); err != nil {
		return err
	}
	for _, e := range encoders() {
		points := e.points(lines)
		fmt.Fprintf(out, "\n| %s at quality %d | CPU | bytes at equal score | measured |\n|---|--:|--:|--:|\n",
			e.format, e.at)
		for _, p := range points {
			fmt.Fprintf(out, "| %s | %.2f | %.3f | %d |\n", p.Name, p.CPU, p.Bytes, p.N)
		}
		if err := plot(file, strings.ToLower(e.format), "bytes at equal score", points,
			func(p point) float64 { return p.Bytes }); err != nil {
			return err
		}
	}
	return nil
}

func readScaled(name string) ([]scaled, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var lines []scaled
	for decoder := json.NewDecoder(file); ; {
		var l scaled
		switch err := decoder.Decode(&l); {
		case errors.Is(err, io.EOF):
			return lines, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		lines = append(lines, l)
	}
}

type place struct {
	picture string
	width   int
}

func scalingPoints(lines []scaled) []point {
	base := map[place]float64{}
	for _, l := range lines {
		if l.Variant == "room 1.49" {
			base[place{l.Picture, l.Width}] = l.CPU
		}
	}
	var points []point
	for _, v := range scaling() {
		var ratios, scores []float64
		for _, l := range lines {
			if cpu := base[place{l.Picture, l.Width}]; l.Variant == v.Name && cpu > 0 {
				ratios, scores = append(ratios, l.CPU/cpu), append(scores, l.Score)
			}
		}
		if len(scores) > 0 {
			points = append(points, point{v.Name, v.Group, quantile(ratios, 0.5), quantile(scores, 0.5),
				quantile(scores, 0.1), 0, len(scores)})
		}
	}
	return points
}

// points compares each setting with the base, at the base's score.
func (e encoder) points(lines []scaled) []point {
	curves := map[string]map[string][]scaled{} // by setting and picture
	for _, l := range lines {
		if name, ok := strings.CutPrefix(l.Variant, e.format+" "); ok {
			if curves[name] == nil {
				curves[name] = map[string][]scaled{}
			}
			curves[name][l.Picture] = append(curves[name][l.Picture], l)
		}
	}
	var points []point
	for _, v := range e.settings {
		var ratios, bytes []float64
		for picture, curve := range curves[v.Name] {
			base, ours := e.ofQuality(curves[e.base][picture]), e.ofQuality(curve)
			if base.CPU == 0 || ours.CPU == 0 {
				continue
			}
			ratios = append(ratios, ours.CPU/base.CPU)
			if n := bytesAt(curve, base.Score); !math.IsNaN(n) {
				bytes = append(bytes, n/float64(base.Bytes))
			}
		}
		if len(bytes) > 0 {
			points = append(points, point{Name: v.Name, Group: v.Group, CPU: quantile(ratios, 0.5),
				Bytes: quantile(bytes, 0.5), N: len(bytes)})
		}
	}
	return points
}

func (e encoder) ofQuality(curve []scaled) scaled {
	i := slices.IndexFunc(curve, func(l scaled) bool { return l.Quality == e.at })
	if i < 0 {
		return scaled{}
	}
	return curve[i]
}

// plot writes NAME-KIND.svg beside the file: CPU to the right, the value upwards.
func plot(file, kind, axis string, points []point, value func(point) float64) error {
	if len(points) == 0 {
		return nil
	}
	const width, height, margin = 720, 400, 66
	minX, maxX, minY, maxY := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, p := range points {
		minX, maxX = min(minX, p.CPU), max(maxX, p.CPU)
		minY, maxY = min(minY, value(p)), max(maxY, value(p))
	}
	padX, padY := max(maxX-minX, 0.1)*0.15, max(maxY-minY, 0.01)*0.15
	minX, maxX, minY, maxY = minX-padX, maxX+padX*2, minY-padY, maxY+padY
	x := func(v float64) float64 { return margin + (v-minX)/(maxX-minX)*(width-2*margin) }
	y := func(v float64) float64 { return height - margin - (v-minY)/(maxY-minY)*(height-2*margin) }
	var b strings.Builder
	fmt.Fprintf(
		&b,
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12"><rect width="100%%" height="100%%" fill="#fbfaf7"/>`+"\n",
		width, height,
	)
	for i := range 5 {
		vx, vy := minX+(maxX-minX)*float64(i)/4, minY+(maxY-minY)*float64(i)/4
		fmt.Fprintf(&b, `<path d="M%.0f %d V%d M%d %.0f H%d" stroke="#e4e0d8"/>`, x(vx), margin, height-margin, margin,
			y(vy), width-margin)
		fmt.Fprintf(
			&b,
			`<text x="%.0f" y="%d" text-anchor="middle" fill="#6b665e">%.2f</text><text x="%d" y="%.0f" text-anchor="end" fill="#6b665e">%.3g</text>`+"\n",
			x(vx), height-margin+18, vx, margin-8, y(vy)+4, vy,
		)
	}
	colors := []string{"#b4480c", "#2f6db3", "#4d7f3a"}
	var groups []string
	var labels [][2]float64
	for _, p := range points {
		if !slices.Contains(groups, p.Group) {
			groups = append(groups, p.Group)
		}
		color := colors[slices.Index(groups, p.Group)%len(colors)]
		label := [2]float64{x(p.CPU) + 9, y(value(p)) + 4}
		for slices.ContainsFunc(labels, func(other [2]float64) bool {
			return math.Abs(other[0]-label[0]) < 80 && math.Abs(other[1]-label[1]) < 13
		}) {
			label[1] -= 13
		}
		labels = append(labels, label)
		fmt.Fprintf(
			&b,
			`<circle cx="%.1f" cy="%.1f" r="5" fill="%s"/><text x="%.1f" y="%.1f" fill="#24211d">%s</text>`+"\n",
			x(p.CPU), y(value(p)), color, label[0], label[1], p.Name,
		)
	}
	fmt.Fprintf(
		&b,
		`<text x="%d" y="%d" text-anchor="middle" fill="#24211d">CPU, ratio</text><text x="14" y="%d" transform="rotate(-90 14 %d)" text-anchor="middle" fill="#24211d">%s</text></svg>`+"\n",
		width/2, height-16, height/2, height/2, axis,
	)
	base := strings.TrimSuffix(file, filepath.Ext(file))
	return os.WriteFile(base+"-"+kind+".svg", []byte(b.String()), 0o644)
}
