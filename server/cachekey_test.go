package server

import (
	"reflect"
	"testing"

	"github.com/safelight/safelight/imaging"
)

// TestKeysDiffer changes every field of the limits and options, one at a time: each change must change the key,
// except for those that do not change the bytes.
func TestKeysDiffer(t *testing.T) {
	same := map[string]bool{"Timeout": true, "Threads": true}
	name := func(l imaging.Limits, p *picture) string {
		p.limits = l
		tag, key := newKeyBuilder("engine 1", l).build(p)
		return tag + key.String()
	}
	plain := name(imaging.Limits{}, &picture{})
	var walk func(v reflect.Value, l *imaging.Limits)
	walk = func(v reflect.Value, l *imaging.Limits) {
		for i := range v.NumField() {
			f, called := v.Field(i), v.Type().Field(i).Name
			if f.Kind() == reflect.Struct {
				walk(f, l)
				continue
			}
			switch f.Kind() {
			case reflect.Bool:
				f.SetBool(true)
			case reflect.Slice:
				f.Set(reflect.ValueOf([]imaging.Format{imaging.AVIF}))
			default:
				f.SetInt(7)
			}
			if (name(*l, &picture{}) == plain) != same[called] {
				t.Errorf("%s: the name is the same: %v, want %v", called, !same[called], same[called])
			}
			f.SetZero()
		}
	}
	var l imaging.Limits
	walk(reflect.ValueOf(&l).Elem(), &l)
	for what, p := range map[string]*picture{
		"meta": {request: imaging.Request{Meta: true}}, "image": {request: imaging.Request{Image: "a"}},
		"operations": {request: imaging.Request{Operations: imaging.Operations{Width: 3}}},
		"source":     {parts: []part{{version: "v"}}},
		"sources":    {parts: []part{{version: "v"}, {version: "w"}}},
	} {
		if name(imaging.Limits{}, p) == plain {
			t.Errorf("another %s has the same name", what)
		}
	}
	accept, auto := imaging.Limits{}, imaging.Limits{}
	accept.Accept, auto.AutoFormat = []imaging.Format{imaging.WebP}, []imaging.Format{imaging.WebP}
	if name(accept, &picture{}) == name(auto, &picture{}) {
		t.Error("formats for Accept and for AutoFormat have the same name")
	}
	accept.Accept = []imaging.Format{}
	if name(accept, &picture{}) == plain {
		t.Error("an empty list has the name of none")
	}
	if a, _ := newKeyBuilder("engine 2", l).build(&picture{}); a+"" == plain[:len(a)] {
		t.Error("another engine gives the same tag")
	}
}
