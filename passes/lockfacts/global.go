package lockfacts

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/passes/keyterm"
)

// global is a package-level variable: its value where it is written once, by its own initialiser or an embed directive.
func (u *unit) global(g *ssa.Global) keyterm.Term {
	name := globalName(g)
	unknown := keyterm.Term{Op: keyterm.Global, Text: name, Type: types.TypeString(g.Type().Underlying().(*types.Pointer).Elem(), nil)}
	if g.Pkg != u.pkg {
		if v, ok := u.globals[name]; ok {
			return v
		}
		return unknown
	}
	if text, ok := u.embeds[g.Object()]; ok {
		return keyterm.Term{Op: keyterm.Const, Text: text, At: u.pos(g.Pos())}
	}
	w := u.gstores[g]
	if len(w) != 1 || w[0].Parent().Synthetic == "" {
		return unknown
	}
	v := u.frame(w[0].Parent()).literal(w[0].Val, w[0].Pos())
	if v.Op == keyterm.Unknown {
		return unknown
	}
	return v.Map(func(p keyterm.Term) keyterm.Term {
		if isRandom(p) {
			p.Text = keyterm.Process // made once, when the process starts
		}
		return p
	})
}

func globalName(g *ssa.Global) string {
	if g.Pkg == nil {
		return g.Name()
	}
	return g.Pkg.Pkg.Path() + "." + g.Name()
}

// exportGlobals lists the variables whose value importing packages can use.
func (u *unit) exportGlobals() []Named {
	var out []Named
	for _, m := range u.pkg.Members {
		g, ok := m.(*ssa.Global)
		if !ok || g.Object() == nil || !g.Object().Exported() {
			continue
		}
		if v := u.global(g); v.Op != keyterm.Global && v.IsClosed() && v.Op != keyterm.Func {
			out = append(out, Named{globalName(g), v})
		}
	}
	return out
}

// findEmbeds reads the files that `//go:embed` puts into string variables.
func (u *unit) findEmbeds() {
	u.embeds = map[types.Object]string{}
	for _, file := range u.pass.Files {
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				u.findEmbed(g)
			}
		}
	}
}

func (u *unit) findEmbed(g *ast.GenDecl) {
	for _, s := range g.Specs {
		v, ok := s.(*ast.ValueSpec)
		if !ok || len(v.Names) != 1 {
			continue
		}
		pattern := embedPattern(v.Doc)
		if pattern == "" {
			pattern = embedPattern(g.Doc)
		}
		obj := u.pass.TypesInfo.Defs[v.Names[0]]
		if pattern == "" || obj == nil || u.pass.ReadFile == nil {
			continue
		}
		dir := filepath.Dir(u.pass.Fset.Position(v.Pos()).Filename)
		if text, err := u.pass.ReadFile(filepath.Join(dir, filepath.FromSlash(pattern))); err == nil {
			u.embeds[obj] = string(text)
		}
	}
}

// embedPattern is the file that a `//go:embed` directive names, "" if there is none or more than one.
func embedPattern(doc *ast.CommentGroup) string {
	if doc == nil {
		return ""
	}
	for _, c := range doc.List {
		if rest, ok := strings.CutPrefix(c.Text, "//go:embed "); ok {
			p := strings.Trim(strings.TrimSpace(rest), "\"`")
			if strings.ContainsAny(p, "*?[ ") {
				return ""
			}
			return p
		}
	}
	return ""
}
