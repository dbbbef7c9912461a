package imaging

import "testing"

func TestPositions(t *testing.T) {
	for text, want := range map[string]Position{
		"5": {Unit: UnitPixels, Number: 5}, "-5": {Unit: UnitPixels, Number: -5}, "1": {Unit: UnitPixels, Number: 1},
		"1.0":  {Unit: UnitFraction, Number: 1},
		"-0.5": {Unit: UnitFraction, Number: -0.5}, "-1.0": {Unit: UnitFraction, Number: -1},
		"1.5": {Unit: UnitPixels, Number: 1.5}, "-1.5": {Unit: UnitPixels, Number: -1.5},
		"20p": {Unit: UnitFraction, Number: 0.2}, "center": {Unit: UnitCentre}, "repeat": {Unit: UnitRepeat},
		"LEFT": {Unit: UnitStart}, "r-10": {Unit: UnitEnd, Offset: 10},
		"l+7": {Unit: UnitStart, Offset: -7}, "left-5p": {Unit: UnitStart, Number: 0.05},
		"center+2.5p": {Unit: UnitCentre, Number: -0.025},
	} {
		if got, ok := ParsePosition(text, false); !ok || got != want {
			t.Errorf("%q: %+v, %v, expected %+v", text, got, ok, want)
		}
	}
	for text, want := range map[string]Position{"top": {Unit: UnitStart}, "b-3": {Unit: UnitEnd, Offset: 3},
		"middle": {Unit: UnitCentre}} {
		if got, ok := ParsePosition(text, true); !ok || got != want {
			t.Errorf("%q: %+v, %v, expected %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "top", "x", "5x", "left-", "left-x", "left-p", "left-1e3p", "xp", "1e3", "0x10",
		"--5", "+-5", "NaN", "left5"} {
		if got, ok := ParsePosition(text, false); ok {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string]float64{"5": 5, "+5": 5, "-5": -5, "5.": 5, ".5": 0.5, "-0.25": -0.25,
		"1000000000": 1e9, "-1000000000": -1e9} {
		if got, ok := ParseNumber(text); !ok || got != want {
			t.Errorf("%q: %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", ".", "-", "1e3", "0x1", "Inf", "1_0", "--5", "-+5", "1000000001", "-1000000001",
		"5..", "1.2.3"} {
		if got, ok := ParseNumber(text); ok {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func TestFocalRegions(t *testing.T) {
	for text, want := range map[string]Region{
		"1x2:3x4":      {1, 2, 3, 4, false, false},
		"0x0:1x1":      {0, 0, 1, 1, true, false},
		"0x0:1x2":      {0, 0, 1, 2, false, false},
		"0x0:2x1":      {0, 0, 2, 1, false, false},
		"0.25x0:0.5x1": {0.25, 0, 0.5, 1, true, false},
		"5,6":          {5, 6, 5, 6, false, true},
		"5 , 6":        {5, 6, 5, 6, false, true},
		"5x6":          {5, 6, 5, 6, false, true},
		"1x1":          {1, 1, 1, 1, false, true},
		"0x0":          {0, 0, 0, 0, false, true},
		"0.5x1":        {0.5, 1, 0.5, 1, true, true},
		"1x0.5":        {1, 0.5, 1, 0.5, true, true},
		"0.5x1.5":      {0.5, 1.5, 0.5, 1.5, false, true},
	} {
		if got, ok := parseFocal(text); !ok || got != want {
			t.Errorf("%q: %+v, %v, expected %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "5", "x", "-1x5", "5x-1", "1x2:1x4", "1x2:3x2", "3x2:1x4", "1x2:3", "1x2:",
		":1x2", "ax2"} {
		if got, ok := parseFocal(text); ok {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}
