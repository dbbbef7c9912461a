package server

import (
	"slices"
	"strconv"
	"strings"

	"github.com/safelight/safelight/imaging"
)

// acceptedFormats returns those of AVIF and WebP that an Accept header names and the engine writes: higher
// q first, AVIF before WebP at the same. A wildcard names neither, for every client sends one.
func acceptedFormats(accept string, writable []imaging.Format) []imaging.Format {
	quality := map[imaging.Format]float64{}
	for part := range strings.SplitSeq(accept, ",") {
		media, params, _ := strings.Cut(part, ";")
		media = strings.ToLower(strings.TrimSpace(media))
		for _, f := range []imaging.Format{imaging.AVIF, imaging.WebP} {
			if media == f.ContentType() && slices.Contains(writable, f) {
				quality[f] = qualityOf(params)
			}
		}
	}
	var list []imaging.Format
	for _, f := range []imaging.Format{imaging.AVIF, imaging.WebP} {
		if quality[f] > 0 {
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b imaging.Format) int {
		switch {
		case quality[a] > quality[b]:
			return -1
		case quality[a] < quality[b]:
			return 1
		}
		return 0
	})
	return list
}

func qualityOf(params string) float64 {
	for p := range strings.SplitSeq(params, ";") {
		key, v, _ := strings.Cut(strings.TrimSpace(p), "=")
		if strings.EqualFold(strings.TrimSpace(key), "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
			if err != nil || q < 0 || q > 1 {
				return 0
			}
			return q
		}
	}
	return 1
}
