package golangci

import (
	"reflect"
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"

	"github.com/leasevet/leasevet/internal/finding"
)

// object is what a YAML reader makes of a mapping.
type object = map[string]any

func TestSettings(t *testing.T) {
	for name, test := range map[string]struct {
		raw  any
		want settings
	}{
		"nothing":  {nil, settings{Level: finding.Warning}},
		"empty":    {object{}, settings{Level: finding.Warning}},
		"level":    {object{"level": "note"}, settings{Level: finding.Note}},
		"kinds":    {object{"kinds": []any{"no-ttl"}}, settings{Level: finding.Warning, Kinds: []string{"no-ttl"}}},
		"low kind": {object{"kinds": []any{"shared-key"}, "level": "note"}, settings{Level: finding.Note, Kinds: []string{"shared-key"}}},
	} {
		got, err := decode(test.raw)
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, test.want)
		}
	}
}

// TestWrongSettings checks that every mistake is named before anything runs: a setting that silently does nothing looks
// like a program without faults.
func TestWrongSettings(t *testing.T) {
	for name, test := range map[string]struct {
		raw  any
		want string
	}{
		"unknown key":    {object{"kind": []any{"no-ttl"}}, `"kind"`},
		"no list":        {object{"kinds": "no-ttl"}, "kinds"},
		"misspelled":     {object{"kinds": []any{"no-tll"}}, `is it "no-ttl"?`},
		"nonsense":       {object{"kinds": []any{"zzzzzzzz"}}, `there is no "zzzzzzzz"`},
		"analyzer":       {object{"kinds": []any{"ownercheck"}}, "ownercheck"},
		"unknown level":  {object{"level": "info"}, `level "info"`},
		"left out level": {object{"kinds": []any{"shared-key"}}, `"shared-key" has level "note"`},
	} {
		_, err := New(test.raw)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want an error with %s", name, err, test.want)
		}
	}
}

// TestRegistered checks what golangci-lint sees.
func TestRegistered(t *testing.T) {
	make, err := register.GetPlugin(Name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := make(nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.GetLoadMode() != register.LoadModeTypesInfo {
		t.Errorf("load mode %q", p.GetLoadMode())
	}
}
