package hostile

import (
	"fmt"
	"strings"
)

// Request is an operation path on an ordinary picture, whose name is the end of the path. Class names the attack.
type Request struct{ Class, Path string }

// Requests returns operation paths that request too much work. Most of them must be rejected at once.
func Requests(image string) []Request {
	var list []Request
	add := func(class, operations string) { list = append(list, Request{class, operations + "/" + image}) }
	for _, one := range []string{"sharpen(50)", "blur(1)", "round_corner(9)", "pixelate(3)", "hue(9)", "brightness(1)",
		"rotate(90)", "straighten(7)", "trim(5)", "proportion(99)", "crop(0,0,40,40)", "padding(red,1)",
		"saturation(5)", "to_colorspace(p3)", "label(a,1,1,9,red)", "fill(blur)", "modulate(1,1,1)", "grayscale()",
		"background_color(red)", "nonsense(1)",
		"exposure(5)", "shadows(100)", "white_balance(2000,100)", "vibrance(100)",
		"curve(1,255,2,0,3,255,4,0,5,255,6,0,7,255,8,0)"} {
		for _, n := range []int{64, 65, 300, 1000} {
			add("filter chains", "filters:"+strings.TrimSuffix(strings.Repeat(one+":", n), ":"))
		}
	}
	for _, chain := range []struct {
		one  string
		n    int
		last string
	}{
		{"contrast(100)", 18, "shadows(1)"}, {"contrast(100)", 62, "shadows(1)"}, {"highlights(100)", 62, "shadows(1)"},
		{"highlights(-100)", 62, "vibrance(1)"}, {"shadows(-100)", 62, "exposure(1)"},
		{"vibrance(-100)", 62, "shadows(1)"},
		{"saturation(100)", 47, "shadows(1)"}, {"modulate(100,100,0)", 62, "highlights(-1)"},
		{"exposure(5)", 62, "shadows(1)"},
		{"curve(0,0,128,0,128.004,255)", 62, "shadows(1)"}, {"saturation(100):shadows(1)", 31, "exposure(1)"},
		{"contrast(100):saturation(100):white_balance(2000,100)", 20, "shadows(1)"},
		{"curve(0,0,0." + strings.Repeat("0", 306) + "1,255)", 1, "shadows(1)"},
	} {
		add("mixed chains", "filters:"+strings.Repeat(chain.one+":", chain.n)+chain.last)
	}
	for _, size := range []string{"10000000x1", "1x10000000", "1000000000x1000000000", "0x999999999", "16383x16383",
		"99999x", "x99999", "full-fit-in/1x50000", "stretch/16383x3000", "1x1/9999999x9999999:1x1", "0x0:1x1/16383x1"} {
		add("targets", size)
	}
	big := "stretch/7000x7000/"
	for _, filters := range []string{"blur(1000)", "blur(500,1000)", "sharpen(1000)", "format(gif)", "format(jxl)",
		"format(png):compression(9)", "format(avif):quality(100)", "format(webp):lossless()", "format(jp2)",
		"format(tiff)", "pixelate(1)", "round_corner(3500)", "rotate(90):rotate(180)", "fill(blur)", "trim(1)",
		"max_bytes(10)", "quality(auto)", "format(best)",
		"image(/20x20/" + image + ",repeat,repeat)", "watermark(" + image + ",repeat,repeat,50,1,1)",
		"text(x,repeat,repeat,sans-9,red)", "image(/7000x7000/" + image + ",0,0,50,overlay)"} {
		add("large results", big+"filters:"+filters)
	}
	for _, filters := range []string{"blurhash(9,9)", "thumbhash()", "palette(16)", "phash()", "lqip()",
		"blurhash(99,1)"} {
		add("placeholders", "meta/filters:"+filters)
	}
	for _, text := range []string{strings.Repeat("W", 5000), "a" + strings.Repeat("%CC%81", 4000),
		strings.Repeat("%E2%80%AE", 3000), "%00", "b64:" + strings.Repeat("AAAA", 500)} {
		add("texts", "filters:text("+text+",0,0,sans-40,red)")
		add("texts", "filters:label("+text+",0,0,40,red)")
	}
	for _, font := range []string{"sans-1000000000", "sans-100000", "x" + strings.Repeat("y", 3000) + "-9", "sans-0",
		"sans--9"} {
		add("texts", "filters:text(Text,0,0,"+font+",red)")
		add("texts", "filters:text(Text,0,0,"+font+",red,0,normal,1000000000,low,1,word,100000,100000)")
	}
	for _, depth := range []int{8, 9, 50, 300} {
		path := image
		for range depth {
			path = "/20x20/filters:image(" + path + ",0,0)/" + image
		}
		list = append(list, Request{"nested layers", strings.TrimPrefix(path, "/")})
	}
	for _, n := range []int{32, 33, 200} {
		add("many layers", "filters:"+strings.TrimSuffix(strings.Repeat("image(/10x10/"+image+",0,0):", n), ":"))
	}
	for _, odd := range []string{"-1x-1", "filters:crop(-1e9,-1e9,1e9,1e9)", "filters:proportion(1000000)",
		"filters:padding(red,100000)", "0.999999x0.999999:1x1", "5x5:5x5", "filters:focal(0x0:0x0)",
		"filters:rotate(1e9)", "filters:blur(NaN)",
		"filters:exposure(NaN)", "filters:exposure(1e9)", "filters:white_balance(0,0)",
		"filters:white_balance(1e308,1e308)",
		"filters:curve(" + strings.Repeat("1,2,", 20_000) + "3,4)", "filters:curve(254.999,0,255,255)",
		"filters:curve(,,,,)",
		"filters:straighten(NaN)", "filters:straighten(1e308)", "filters:straighten(0.0000001)",
		"fit-in/1x1/filters:straighten(45)", "filters:blur(Inf)", "filters:quality(1e99)", "filters:page(2000000000)",
		"filters:dpi(1000000)", "filters:max_frames(0)", "filters:round_corner(-5)",
		"filters:image(" + image + ",99999999,99999999)", "filters:watermark(" + image +
			",-99999999,-99999999,0,100000,100000)", "filters:expire(9999999999999999999)"} {
		add("odd arguments", odd)
	}
	for _, pair := range []string{"sharpen(1):blur(1)", "blur(150):sharpen(10)", "pixelate(2):hue(5)"} {
		add("filter chains", fmt.Sprintf("2000x2000/filters:%s", strings.TrimSuffix(strings.Repeat(pair+":", 32), ":")))
	}
	return list
}
