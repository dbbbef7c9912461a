package vips

import (
	"encoding/binary"
	"math"
)

// plainSRGB says whether an ICC profile describes nothing but sRGB: its primaries and its
// curve. Files without a profile count as plain too.
func plainSRGB(profile []byte) bool {
	if len(profile) == 0 {
		return true
	}
	if len(profile) < 132 || string(profile[16:20]) != "RGB " {
		return false
	}
	primaries := map[string][3]float64{
		"rXYZ": {0.4361, 0.2225, 0.0139},
		"gXYZ": {0.3851, 0.7169, 0.0971},
		"bXYZ": {0.1431, 0.0606, 0.7141},
	}
	for name, want := range primaries {
		got, ok := iccXYZ(iccTag(profile, name))
		if !ok {
			return false
		}
		for k := range want {
			if math.Abs(got[k]-want[k]) > 0.01 {
				return false
			}
		}
	}
	half, ok := iccHalf(iccTag(profile, "rTRC"))
	return ok && math.Abs(half-0.21404) < 0.008
}

// pngTakes says whether libpng writes the profile: it leaves one out that breaks the rules of
// the ICC, and then the picture's numbers would mean another colour.
func pngTakes(profile []byte) bool {
	if len(profile) < 132 || int64(binary.BigEndian.Uint32(profile)) != int64(len(profile)) {
		return false
	}
	const d50 = "\x00\x00\xF6\xD6\x00\x01\x00\x00\x00\x00\xD3\x2D"
	class, pcs := string(profile[12:16]), string(profile[20:24])
	return string(profile[36:40]) == "acsp" && string(profile[68:80]) == d50 &&
		(len(profile)%4 == 0 || profile[8] <= 3) &&
		class != "abst" && class != "link" && (pcs == "XYZ " || pcs == "Lab ")
}

// iccTag returns the bytes of a profile's tag, nil when it has none.
func iccTag(profile []byte, name string) []byte {
	count := int(binary.BigEndian.Uint32(profile[128:]))
	for n := range min(count, 100) {
		at := 132 + 12*n
		if at+12 > len(profile) {
			return nil
		}
		if string(profile[at:at+4]) != name {
			continue
		}
		offset := int64(binary.BigEndian.Uint32(profile[at+4:]))
		size := int64(binary.BigEndian.Uint32(profile[at+8:]))
		if offset+size > int64(len(profile)) {
			return nil
		}
		return profile[offset : offset+size]
	}
	return nil
}

// iccXYZ reads a tag of the type XYZ.
func iccXYZ(tag []byte) (xyz [3]float64, ok bool) {
	if len(tag) < 20 || string(tag[:4]) != "XYZ " {
		return xyz, false
	}
	for k := range xyz {
		xyz[k] = fixed(tag[8+4*k:])
	}
	return xyz, true
}

// iccHalf returns what a tone curve makes of one half.
func iccHalf(tag []byte) (float64, bool) {
	if len(tag) < 12 {
		return 0, false
	}
	switch string(tag[:4]) {
	case "curv":
		return iccCurveHalf(tag)
	case "para":
		return iccParametricHalf(tag)
	}
	return 0, false
}

func iccCurveHalf(tag []byte) (float64, bool) {
	n := int(binary.BigEndian.Uint32(tag[8:]))
	switch {
	case n == 0:
		return 0.5, true
	case n > (len(tag)-12)/2:
		return 0, false
	case n == 1:
		return math.Pow(0.5, float64(binary.BigEndian.Uint16(tag[12:]))/256), true
	}
	return float64(binary.BigEndian.Uint16(tag[12+2*((n-1)/2):])) / 65535, true
}

// iccParametricHalf evaluates the function types 0, 3 and 4; one half is above their threshold.
func iccParametricHalf(tag []byte) (float64, bool) {
	kind := binary.BigEndian.Uint16(tag[8:])
	count := map[uint16]int{0: 1, 3: 5, 4: 7}[kind]
	if count == 0 || len(tag) < 12+4*count {
		return 0, false
	}
	gamma := fixed(tag[12:])
	if kind == 0 {
		return math.Pow(0.5, gamma), true
	}
	value := math.Pow(fixed(tag[16:])*0.5+fixed(tag[20:]), gamma)
	if kind == 4 {
		value += fixed(tag[32:])
	}
	return value, true
}

// fixed reads a signed 15.16 number.
func fixed(b []byte) float64 { return float64(int32(binary.BigEndian.Uint32(b))) / 65536 }
