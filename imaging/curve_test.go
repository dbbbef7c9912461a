package imaging

import (
	"math"
	"strings"
	"testing"
)

func curveOf(t *testing.T, args string) Curve {
	t.Helper()
	calls, _, err := Filters("curve(" + args + ")").Calls(true)
	if err != nil {
		t.Fatal(err)
	}
	return calls[0].Arg("points").Curve
}

// TestCurveLine checks that curves meet their points, and stay between neighbors.
func TestCurveLine(t *testing.T) {
	for _, args := range []string{
		"128,128", "64,56,128,142,199,210", "10,200,20,210,240,220", "0,255,255,0", "r,30,30,40,200,50,30",
		"0,20,255,200",
		"1,254,2,255", "100,100,101,101,102,180", "254.5,0.25",
	} {
		c := curveOf(t, args)
		line, knots := c.Line(), c.knots()
		for n, k := range knots {
			if got := line(k[0]); math.Abs(got-k[1]) > 1e-9 {
				t.Errorf("curve(%s) is %v at %v, expected %v", args, got, k[0], k[1])
			}
			if n == 0 {
				continue
			}
			before, low, high := knots[n-1], min(k[1], knots[n-1][1]), max(k[1], knots[n-1][1])
			last := before[1]
			for step := range 101 {
				v := line(before[0] + (k[0]-before[0])*float64(step)/100)
				if v < low-1e-9 || v > high+1e-9 || (v-last)*(k[1]-before[1]) < -1e-9 {
					t.Fatalf("curve(%s) has %v after %v, between %v and %v", args, v, last, before, k)
				}
				last = v
			}
		}
	}
	straight := curveOf(t, "50,50,200,200").Line()
	for _, x := range []float64{-20, 0, 10, 77.7, 255, 300} {
		if got := straight(x); math.Abs(got-x) > 1e-9 {
			t.Errorf("a straight curve is %v at %v", got, x)
		}
	}
}

// TestCurveArguments holds the messages of arguments that are wrong, and what is made of those out of range.
func TestCurveArguments(t *testing.T) {
	for args, message := range map[string]string{
		"":                             "argument points is missing",
		"g":                            "argument points has no points",
		"1,2,3":                        "argument points has 3 numbers",
		"1,2,x,4":                      `argument points has "x"`,
		"50,10,40,20":                  "argument points has x 40 after 50",
		"50,10,50.003,20":              "argument points has x 50.003 less than 1/256 after 50",
		strings.Repeat("1,", 17) + "1": "argument points has 9 points",
		"10,256":                       `argument points has "256"`,
	} {
		_, _, err := Filters("curve(" + args + ")").Calls(true)
		if err == nil || !strings.Contains(err.Error(), message) || !strings.Contains(err.Error(), "1 to 8 points") {
			t.Errorf("curve(%s): %v, expected %q", args, err, message)
		}
	}
	end := "curve(0." + strings.Repeat("0", 306) + "1,255,128,200)" // a point next to the end stands for it
	calls, _, err := Filters(end).Calls(true)
	if err != nil {
		t.Fatal(err)
	}
	if v := calls[0].Arg("points").Curve.Line()(0); v < 254 || v > 255 {
		t.Errorf("a point next to the end: %g", v)
	}
	calls, warnings, err := Filters("curve(B, -3,10 ,255,300)").Calls(false)
	if err != nil || len(warnings) != 1 || len(calls) != 1 {
		t.Fatalf("%v, %v, %v", calls, warnings, err)
	}
	c := calls[0].Arg("points").Curve
	if p := c.Points(); c.Channel != "b" || len(p) != 2 || p[0] != [2]float64{0, 10} || p[1] != [2]float64{255, 255} {
		t.Errorf("%+v", c)
	}
	if got, want := calls[0].Explain(), "Bend the tones along a curve through B, -3,10 ,255,300"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
}
