package server

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/safelight/safelight/imaging"
)

// modern are the formats that only some clients support, the one with the fewest bytes at equal similarity first
// (docs/contributing/performance/quality.md).
var modern = []imaging.Format{imaging.AVIF, imaging.WebP, imaging.JXL}

// common are the formats that every client supports.
var common = []imaging.Format{imaging.JPEG, imaging.PNG, imaging.GIF}

// acceptedFormats returns the modern formats that an Accept header names and the engine can write, and whose q is at
// least that of the common formats. They are in the order of q, then in that of modern. Wildcards do not count, because
// every client sends one.
func acceptedFormats(accept string, writable []imaging.Format) []imaging.Format {
	quality := acceptQualities(accept)
	otherwise := 0.0
	for _, f := range common {
		otherwise = max(otherwise, qualityFor(quality, f))
	}
	var list []imaging.Format
	for _, f := range modern {
		if q := quality[f.ContentType()]; q > 0 && q >= otherwise && slices.Contains(writable, f) {
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b imaging.Format) int {
		return cmp.Compare(quality[b.ContentType()], quality[a.ContentType()])
	})
	return list
}

// shownFormats returns the formats besides JPEG, PNG and GIF that an Accept header names, in the order of
// imaging.Formats. It returns nil for a header without an image format: programs that send only a wildcard take any.
func shownFormats(accept string) []imaging.Format {
	quality := acceptQualities(accept)
	delete(quality, "image/*")
	var list []imaging.Format
	for media := range quality {
		if strings.HasPrefix(media, "image/") {
			list = []imaging.Format{} // not nil: the client accepts only common formats
		}
	}
	if list == nil {
		return nil
	}
	for _, t := range imaging.Formats() {
		if quality[t.ContentType] > 0 && !slices.Contains(common, t.Format) {
			list = append(list, t.Format)
		}
	}
	return list
}

// acceptQualities maps the lowercase media ranges of an Accept header, or the codings of Accept-Encoding, to their q
// from 0 to 1.
func acceptQualities(accept string) map[string]float64 { return maps.Collect(acceptRanges(accept)) }

// acceptRanges yields the keys and values of acceptQualities in the order of the header.
func acceptRanges(accept string) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for part := range strings.SplitSeq(accept, ",") {
			media, params, _ := strings.Cut(part, ";")
			media = strings.ToLower(strings.TrimSpace(media))
			if media != "" && !yield(media, qualityOf(params)) {
				return
			}
		}
	}
}

// qualityFor returns the q of a format by the most specific range that matches it.
func qualityFor(quality map[string]float64, f imaging.Format) float64 {
	for _, media := range []string{f.ContentType(), "image/*", "*/*"} {
		if q, ok := quality[media]; ok {
			return q
		}
	}
	return 0
}

// qualityOf reads q from a media range's parameters: 1 if it is missing, 0 if it is not a number from 0 to 1.
func qualityOf(params string) float64 {
	for p := range strings.SplitSeq(params, ";") {
		key, v, _ := strings.Cut(strings.TrimSpace(p), "=")
		if strings.EqualFold(strings.TrimSpace(key), "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
			if err != nil || !(q >= 0 && q <= 1) {
				return 0
			}
			return q
		}
	}
	return 1
}
