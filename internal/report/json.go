package report

import (
	"encoding/json"
	"io"

	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/internal/kinds"
)

// jsonVersion is the version of the output contract. Fields may be added without a new one.
const jsonVersion = 1

// The types below are the output contract, field by field and in order.
type (
	jsonReport struct {
		Version  int           `json:"version"`
		Findings []jsonFinding `json:"findings"`
		Coverage Coverage      `json:"coverage"`
	}
	jsonFinding struct {
		Analyzer    string        `json:"analyzer"`
		Kind        string        `json:"kind"`
		Rule        string        `json:"rule"`
		Level       finding.Level `json:"level"`
		Scope       finding.Scope `json:"scope"`
		File        string        `json:"file"`
		Line        int           `json:"line"`
		Column      int           `json:"column"`
		Message     string        `json:"message"`
		URL         string        `json:"url"`
		Fingerprint string        `json:"fingerprint"`
		Suppressed  *string       `json:"suppressed"`
		Related     []jsonRelated `json:"related"`
		Path        []jsonStep    `json:"path"`
		Fixes       []jsonFix     `json:"fixes"`
	}
	jsonRelated struct {
		File    string `json:"file"`
		Line    int    `json:"line"`
		Column  int    `json:"column"`
		Message string `json:"message"`
	}
	jsonStep struct {
		Function string `json:"function"`
		File     string `json:"file"`
		Line     int    `json:"line"`
	}
	jsonFix struct {
		Message string     `json:"message"`
		Safe    bool       `json:"safe"`
		Edits   []jsonEdit `json:"edits"`
	}
	// jsonEdit replaces the bytes from start up to end, counted from 0.
	jsonEdit struct {
		File    string `json:"file"`
		Start   int    `json:"start"`
		End     int    `json:"end"`
		NewText string `json:"new_text"`
	}
)

// JSON writes the report as one object: the same bytes for the same findings, whatever order they come in.
func JSON(w io.Writer, r Report) error {
	r = r.normal()
	out := jsonReport{Version: jsonVersion, Findings: mapped(r.Findings, toJSON), Coverage: r.Coverage}
	return encode(w, out)
}

// encode writes v for programs and people alike: indented, with < and & as they are, and a newline at the end.
func encode(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func toJSON(f finding.Finding) jsonFinding {
	return jsonFinding{
		Analyzer: f.Analyzer, Kind: f.Kind, Rule: f.Rule, Level: f.Level, Scope: f.Scope,
		File: f.File, Line: f.Line, Column: f.Column,
		Message: f.Message, URL: kinds.URL(f.Kind), Fingerprint: f.Fingerprint(), Suppressed: f.Suppressed,
		Related: mapped(f.Related, func(r finding.Related) jsonRelated {
			return jsonRelated{File: r.File, Line: r.Line, Column: r.Column, Message: r.Message}
		}),
		Path: mapped(f.Path, func(s finding.Step) jsonStep {
			return jsonStep{Function: s.Function, File: s.File, Line: s.Line}
		}),
		Fixes: mapped(f.Fixes, func(x finding.Fix) jsonFix {
			edits := mapped(x.Edits, func(e finding.Edit) jsonEdit { return jsonEdit(e) })
			return jsonFix{Message: x.Message, Safe: x.Safe, Edits: edits}
		}),
	}
}

// mapped applies f to each element. The result is never nil, because a reader of JSON should not meet null for a list.
func mapped[A, B any](in []A, f func(A) B) []B {
	out := make([]B, len(in))
	for i, a := range in {
		out[i] = f(a)
	}
	return out
}

type jsonKind struct {
	Analyzer    string        `json:"analyzer"`
	Kind        string        `json:"kind"`
	Level       finding.Level `json:"level"`
	Text        string        `json:"text"`
	Implemented bool          `json:"implemented"`
	URL         string        `json:"url"`
}

// KindsJSON writes the table of kinds as one object.
func KindsJSON(w io.Writer, list []kinds.Kind) error {
	return encode(w, struct {
		Version int        `json:"version"`
		Kinds   []jsonKind `json:"kinds"`
	}{jsonVersion, mapped(list, func(k kinds.Kind) jsonKind {
		return jsonKind{k.Analyzer, k.Name, k.Level, k.Text, k.Implemented, kinds.URL(k.Name)}
	})})
}
