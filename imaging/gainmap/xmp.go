package gainmap

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Namespaces of XMP.
const (
	nsMap = "http://ns.adobe.com/hdr-gain-map/1.0/"
	nsRDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
)

// The properties that describe a map, each with one or three numbers.
var numbers = []string{
	"GainMapMin",
	"GainMapMax",
	"Gamma",
	"OffsetSDR",
	"OffsetHDR",
	"HDRCapacityMin",
	"HDRCapacityMax",
}

const baseIsHDR = "BaseRenditionIsHDR"

// properties are the properties of a map that are kept, by name. The rest of the XMP is dropped, because it may reveal
// where a picture was taken.
type properties map[string][]string

// parseXMP returns the properties of a packet; nil if it does not describe a gain map.
func parseXMP(packet []byte) properties {
	found := properties{}
	d := xml.NewDecoder(bytes.NewReader(packet))
	name := "" // name of the current property
	for {
		token, err := d.Token()
		if err != nil { // the end, too
			break
		}
		switch t := token.(type) {
		case xml.StartElement:
			if t.Name.Space == nsMap {
				name = t.Name.Local
			}
			for _, a := range t.Attr {
				if a.Name.Space == nsMap {
					found.add(a.Name.Local, a.Value)
				}
			}
		case xml.CharData:
			if text := strings.TrimSpace(string(t)); name != "" && text != "" {
				found.add(name, text)
			}
		case xml.EndElement:
			if t.Name.Space == nsMap {
				name = ""
			}
		}
	}
	for name, values := range found {
		switch {
		case name == "Version" || name == baseIsHDR:
			found[name] = values[:1]
		case len(values) == 2:
			delete(found, name)
		}
	}
	if found["Version"] == nil || found["GainMapMax"] == nil && found["HDRCapacityMax"] == nil {
		return nil
	}
	return found
}

var version = regexp.MustCompile(`^[0-9.]{1,8}$`)

// add adds a value if it is valid for the property.
func (p properties) add(name, value string) {
	switch {
	case name == "Version" && version.MatchString(value):
	case name == baseIsHDR && (strings.EqualFold(value, "true") || strings.EqualFold(value, "false")):
	case slices.Contains(numbers, name):
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return
		}
		value = strconv.FormatFloat(v, 'g', -1, 64)
	default:
		return
	}
	if len(p[name]) < 3 {
		p[name] = append(p[name], value)
	}
}

// packet returns the XMP of the map.
func (p properties) packet() []byte {
	var attributes, elements strings.Builder
	for _, name := range append([]string{"Version"}, append(slices.Clone(numbers), baseIsHDR)...) {
		switch values := p[name]; {
		case len(values) == 3:
			fmt.Fprintf(
				&elements, "<hdrgm:%s><rdf:Seq><rdf:li>%s</rdf:li></rdf:Seq></hdrgm:%[1]s>", name,
				strings.Join(values, "</rdf:li><rdf:li>"),
			)
		case len(values) > 0:
			fmt.Fprintf(&attributes, " hdrgm:%s=\"%s\"", name, values[0])
		}
	}
	return wrapped(attributes.String(), elements.String())
}

// wrapped returns a packet with the given description.
func wrapped(attributes, elements string) []byte {
	return []byte(
		`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="` + nsRDF +
			`"><rdf:Description rdf:about="" xmlns:hdrgm="` + nsMap + `"` + attributes + `>` +
			elements + `</rdf:Description></rdf:RDF></x:xmpmeta>`,
	)
}

// directory returns the XMP of a picture whose map has size bytes.
func directory(version string, size int) []byte {
	const picture = `<Container:Item Item:Semantic="Primary" Item:Mime="image/jpeg"/>`
	gainMap := `<Container:Item Item:Semantic="GainMap" Item:Mime="image/jpeg" Item:Length="` + strconv.Itoa(size) + `"/>`
	return wrapped(
		` xmlns:Container="http://ns.google.com/photos/1.0/container/"`+
			` xmlns:Item="http://ns.google.com/photos/1.0/container/item/" hdrgm:Version="`+version+`"`,
		`<Container:Directory><rdf:Seq>`+
			`<rdf:li rdf:parseType="Resource">`+picture+`</rdf:li>`+
			`<rdf:li rdf:parseType="Resource">`+gainMap+`</rdf:li>`+
			`</rdf:Seq></Container:Directory>`,
	)
}

// listsMap reports whether a packet itself has a directory that contains a map.
func listsMap(packet []byte) bool { return bytes.Contains(packet, []byte("GainMap")) }

var (
	item   = regexp.MustCompile(`<[^<>]*Item:Semantic="GainMap"[^<>]*>`)
	length = regexp.MustCompile(`(Item:Length=")[0-9]*(")`)
)

// relisted returns a packet that lists a map, with the size of the map replaced.
func relisted(packet []byte, size int) []byte {
	return item.ReplaceAllFunc(packet, func(tag []byte) []byte {
		return length.ReplaceAll(tag, []byte("${1}"+strconv.Itoa(size)+"${2}"))
	})
}
