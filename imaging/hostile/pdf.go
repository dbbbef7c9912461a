package hostile

import (
	"bytes"
	"fmt"
	"strings"
)

// pdfOf returns a PDF of objects that are numbered from 1. The first one is the catalogue. Its cross-reference table
// is correct.
func pdfOf(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	places := make([]int, len(objects))
	for i, o := range objects {
		places[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, p := range places {
		fmt.Fprintf(&b, "%010d 00000 n \n", p)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table)
	return b.Bytes()
}

// stream returns an object with data.
func stream(dictionary string, data []byte) string {
	return fmt.Sprintf("<<%s/Length %d>>stream\n%s\nendstream", dictionary, len(data), data)
}

// pdfPage returns a PDF of one page with the given box, content and resources. The numbers of the further objects
// begin at 5.
func pdfPage(mediaBox, resources, content string, more ...string) []byte {
	return pdfOf(append([]string{"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[" + mediaBox + "]/Resources<<" + resources + ">>/Contents 4 0 R>>",
		stream("", []byte(content))}, more...)...)
}

func pdfFiles(c *corpus, _ Seeds) {
	add := func(class, name string, make func() []byte) { c.add("pdf "+class, "pdf "+name, "pdf", make) }
	for _, n := range []int{1, 1_000, 100_000} {
		add("pages", fmt.Sprintf("%d pages", n), func() []byte {
			return pdfOf(
				"<</Type/Catalog/Pages 2 0 R>>",
				fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", strings.Repeat("3 0 R ", n), n),
				"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>",
			)
		})
	}
	add("pages", "says 2^31 pages", func() []byte {
		return pdfOf(
			"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 2147483647>>",
			"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>",
		)
	})
	add("pages", "tree in a circle", func() []byte {
		return pdfOf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2>>")
	})
	add("pages", "tree of 20000 levels", func() []byte {
		objects := []string{"<</Type/Catalog/Pages 2 0 R>>"}
		for n := range 20_000 {
			objects = append(objects, fmt.Sprintf("<</Type/Pages/Kids[%d 0 R]/Count 1>>", n+3))
		}
		return pdfOf(append(objects, "<</Type/Page/MediaBox[0 0 9 9]>>")...)
	})
	for _, media := range []string{"0 0 1e9 1e9", "0 0 14400 14400", "0 0 1 10000000", "0 0 0 0", "-1e9 -1e9 1e9 1e9",
		"9 9 0 0", "0 0 1e-9 1e-9", "0 0 NaN NaN", "0 0 1e38 1e38"} {
		add("sizes", "page of "+media, func() []byte { return pdfPage(media, "", "0 0 5 5 re f") })
	}
	for name, filter := range [][2]string{{"/Filter/FlateDecode", "zlib"},
		{"/Filter[/FlateDecode/FlateDecode]", "zlib twice"}} {
		add("streams", fmt.Sprintf("bomb %d %s", name, filter[1]), func() []byte {
			data := zeros(huge)
			return pdfOf(
				"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
				"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R>>", stream(filter[0], data),
			)
		})
	}
	for _, n := range []int{10_000, 1_000_000} {
		add(
			"content", fmt.Sprintf("%d rectangles", n),
			func() []byte { return pdfPage("0 0 900 900", "", strings.Repeat("0 0 900 900 re f\n", n)) },
		)
		add(
			"content", fmt.Sprintf("%d states", n),
			func() []byte { return pdfPage("0 0 900 900", "", strings.Repeat("q ", n)+"0 0 9 9 re f") },
		)
		add("content", fmt.Sprintf("%d curves", n), func() []byte {
			return pdfPage("0 0 900 900", "", "0 0 m "+strings.Repeat("0 900 900 0 450 450 c\n", n)+"S")
		})
	}
	form := "/Type/XObject/Subtype/Form/BBox[0 0 900 900]"
	add("content", "form that draws itself", func() []byte {
		return pdfPage(
			"0 0 900 900", "/XObject<</F 5 0 R>>", "/F Do",
			stream(form+"/Resources<</XObject<</F 5 0 R>>>>", []byte("/F Do /F Do")),
		)
	})
	add("content", "forms of powers", func() []byte {
		var forms []string
		for n := range 9 {
			forms = append(
				forms,
				stream(
					fmt.Sprintf("%s/Resources<</XObject<</F %d 0 R>>>>", form, n+6),
					[]byte(strings.Repeat("/F Do ", 10)),
				),
			)
		}
		return pdfPage(
			"0 0 900 900",
			"/XObject<</F 5 0 R>>",
			"/F Do",
			append(forms, stream(form, []byte("0 0 900 900 re f")))...)
	})
	for _, side := range []int{20_000, 60_000, 1 << 30} {
		add("content", fmt.Sprintf("picture of %d", side), func() []byte {
			picture := fmt.Sprintf(
				"/Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 1/ColorSpace/DeviceGray/Filter/FlateDecode",
				side, side,
			)
			return pdfPage(
				"0 0 900 900", "/XObject<</I 5 0 R>>", "900 0 0 900 0 0 cm /I Do",
				stream(picture, zeros(min(side, 30_000)*min(side, 30_000)/8)),
			)
		})
	}
	add("content", "tiny pattern", func() []byte {
		return pdfPage(
			"0 0 900 900",
			"/Pattern<</P 5 0 R>>",
			"/Pattern cs /P scn 0 0 900 900 re f",
			stream(
				"/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 1 1]/XStep 0.001/YStep "+
					"0.001/Resources<<>>",
				[]byte("0 0 1 1 re f"),
			),
		)
	})
	add("content", "shading with a deep function", func() []byte {
		return pdfPage(
			"0 0 900 900",
			"/Shading<</S<</ShadingType 1/ColorSpace/DeviceGray/Function 5 0 R>>>>",
			"/S sh",
			stream(
				"/FunctionType 4/Domain[0 1 0 1]/Range[0 1]",
				[]byte(strings.Repeat("{ ", 10_000)+strings.Repeat("} ", 10_000)),
			),
		)
	})
	pdfBroken(add)
}

func pdfBroken(add func(class, name string, make func() []byte)) {
	plain := pdfPage("0 0 90 90", "", "0 0 5 5 re f")
	add("broken", "table that follows itself", func() []byte {
		return bytes.Replace(
			plain, []byte("/Root 1 0 R"),
			[]byte(fmt.Sprintf("/Root 1 0 R/Prev %d", bytes.Index(plain, []byte("xref\n0")))), 1,
		)
	})
	add("broken", "no table", func() []byte { return plain[:bytes.Index(plain, []byte("xref\n0"))] })
	add(
		"broken", "table of 2^31",
		func() []byte { return bytes.Replace(plain, []byte("xref\n0 5"), []byte("xref\n0 2147483647"), 1) },
	)
	add("broken", "100000 arrays deep", func() []byte {
		return pdfOf(
			"<</Type/Catalog/Pages 2 0 R/X " + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + ">>",
		)
	})
	add("broken", "object that is itself", func() []byte { return pdfOf("<</Type/Catalog/Pages 2 0 R>>", "2 0 R") })
	add("broken", "a length that is itself", func() []byte {
		return pdfOf(
			"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
			"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>",
			"<</Length 4 0 R>>stream\nx\nendstream",
		)
	})
	add("broken", "encrypted by nothing", func() []byte {
		return bytes.Replace(
			plain, []byte("/Root 1 0 R"),
			[]byte("/Root 1 0 R/Encrypt<</Filter/Standard/V 5/R 6/O()/U()/P 0>>"), 1,
		)
	})
	add("broken", "script that opens", func() []byte {
		return pdfOf(
			"<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(while(1);)>>/AA<</O<</S/Launch/F(/bin/sh)>>>>>>",
			"<</Type/Pages/Kids[]/Count 0>>",
		)
	})
	add("broken", "head behind a kilobyte", func() []byte { return join(make([]byte, 1000), plain) })
	for _, n := range []int{9, 50, 200, len(plain) / 2, len(plain) - 9} {
		add("broken", fmt.Sprintf("cut at %d", n), func() []byte { return plain[:n] })
	}
}
