package rewrite

import (
	"go/ast"
	"go/types"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Move puts the helpers of each package of the module in dir that talk to Redis into a package of their own below it,
// together with what they need, and exports what the rest of the module needs of them.
//
// A type moves with all its methods. Where that would leave nothing behind, its methods become functions that are
// given the fields that they read, and a method that calls the function stays. What can be moved neither way stays
// where it is.
func Move(dir string) (*Map, error) {
	m, err := load(dir)
	if err != nil {
		return nil, err
	}
	mv := &mover{module: m, newName: map[declID]string{}, unexported: map[method]string{}}
	for _, g := range graphs(m) {
		mv.plan(g)
	}
	for _, p := range mv.parcels {
		mv.export(p)
	}
	return mv.emit()
}

// parcel is what moves out of one package.
type parcel struct {
	graph   *graph
	name    string // of the new package
	moved   []*unit
	extract []*extraction
}

func (p *parcel) importPath() string { return p.graph.path + "/" + p.name }

// in says whether a declaration is in the parcel.
func (p *parcel) in(u *unit) bool { return slices.Contains(p.moved, u) }

// method is an unexported method's name in its package.
type method struct{ path, name string }

type mover struct {
	module     *module
	parcels    []*parcel
	newName    map[declID]string // of what has to be exported
	unexported map[method]string // methods that have to be exported, by name
}

// plan decides what leaves a package.
func (mv *mover) plan(g *graph) {
	p := &parcel{graph: g}
	var left []*unit
	for _, u := range g.units {
		if g.touchesRedis(u) && !p.add([]*unit{u}, nil) {
			left = append(left, u)
		}
	}
	for _, u := range left {
		if x := g.extraction(u, mv.module); x != nil && !p.in(u) && p.add(x.refs, x) {
			p.extract = append(p.extract, x)
		}
	}
	if len(p.moved) == 0 && len(p.extract) == 0 {
		return
	}
	p.name = mv.module.fresh(strings.ToLower(letters(g.sources[0].pkg.Name)) + "held")
	mv.parcels = append(mv.parcels, p)
}

// letters drops what a package's name should not have.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, name)
}

// fresh is name, or a longer one if that is taken.
func (m *module) fresh(name string) string {
	for m.names[name] {
		name += "X"
	}
	m.names[name] = true
	return name
}

// add adds declarations and all that they need, if that is possible and leaves something behind. It is an
// all-or-nothing step.
func (p *parcel) add(seeds []*unit, x *extraction) bool {
	all, ok := p.closure(seeds)
	if !ok || !p.leavesWork(all) {
		return false
	}
	for _, other := range append(slices.Clone(p.extract), x) {
		if other != nil && (slices.Contains(all, other.unit) || slices.Contains(all, other.unit.owner)) {
			return false
		}
	}
	p.moved = all
	return true
}

// closure is what has moved and the seeds, with all that these need: what they mention, the methods of types and the
// types of methods, and whoever knows their unexported fields.
func (p *parcel) closure(seeds []*unit) (all []*unit, ok bool) {
	all = slices.Clone(p.moved)
	for _, u := range seeds {
		all = appendOnce(all, u)
	}
	for i := 0; i < len(all); i++ {
		u := all[i]
		if u.isFixed() {
			return nil, false
		}
		more := slices.Concat(u.refs, u.methods, p.graph.reaching(u))
		if u.owner != nil {
			more = append(more, u.owner)
		}
		for _, v := range more {
			all = appendOnce(all, v)
		}
	}
	return all, true
}

// reaching lists who knows the unexported fields of u.
func (g *graph) reaching(u *unit) []*unit {
	var who []*unit
	for _, v := range g.units {
		if slices.Contains(v.reaches, u) {
			who = append(who, v)
		}
	}
	return who
}

// leavesWork says whether a function stays behind. A package that moves as a whole has only been renamed.
func (p *parcel) leavesWork(all []*unit) bool {
	for _, u := range p.graph.units {
		if u.fn() != nil && !u.src.isTest() && !slices.Contains(all, u) {
			return true
		}
	}
	return false
}

// export finds names for what is used from outside the parcel.
func (mv *mover) export(p *parcel) {
	needed := map[string]bool{} // unexported methods
	for _, s := range mv.module.sources {
		ast.Inspect(s.file, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			obj := s.of(id).any()
			if obj == nil || obj.Exported() {
				return true
			}
			if u := p.graph.at(obj); u != nil && p.in(u) && mv.usedOutside(p, s, id) {
				mv.exportOne(p, obj, needed)
			}
			return true
		})
	}
	mv.exportShared(p, needed)
	for name := range needed {
		mv.unexported[method{p.graph.path, name}] = mv.module.fresh(exported(name))
	}
}

// usedOutside says whether an identifier stands outside the parcel: in another package, or in what stays. The head of
// an extracted method stands in both.
func (mv *mover) usedOutside(p *parcel, s *source, id *ast.Ident) bool {
	for _, u := range p.graph.byPos[s.path] {
		if u.decl.Pos() <= id.Pos() && id.Pos() < u.decl.End() {
			x := p.extractionOf(u)
			return !p.in(u) && (x == nil || id.Pos() < u.fn().Type.End())
		}
	}
	return true
}

func (p *parcel) extractionOf(u *unit) *extraction {
	for _, x := range p.extract {
		if x.unit == u {
			return x
		}
	}
	return nil
}

func (mv *mover) exportOne(p *parcel, obj types.Object, needed map[string]bool) {
	switch obj := obj.(type) {
	case *types.Var:
		if obj.IsField() {
			return // goes by its type, or is known only inside
		}
	case *types.Func:
		if obj.Signature().Recv() != nil {
			needed[obj.Name()] = true
			return
		}
	}
	if id, ok := mv.module.id(obj); ok && obj.Parent() == obj.Pkg().Scope() && mv.newName[id] == "" {
		mv.newName[id] = mv.module.fresh(exported(obj.Name()))
	}
}

// exportShared adds the unexported methods that both sides of the parcel declare: one may implement the other.
func (mv *mover) exportShared(p *parcel, needed map[string]bool) {
	inside, outside := map[string]bool{}, map[string]bool{}
	for _, s := range p.graph.sources {
		for id, obj := range s.pkg.TypesInfo.Defs {
			fn, ok := obj.(*types.Func)
			if !ok || fn.Signature().Recv() == nil || fn.Exported() || !s.has(id.Pos()) {
				continue
			}
			if u := p.graph.at(fn); u != nil && p.in(u) {
				inside[fn.Name()] = true
			} else {
				outside[fn.Name()] = true
			}
		}
	}
	for name := range inside {
		if outside[name] {
			needed[name] = true
		}
	}
}

func exported(name string) string {
	r, n := utf8.DecodeRuneInString(name)
	if !unicode.IsLetter(r) {
		return "X" + name
	}
	return string(unicode.ToUpper(r)) + name[n:]
}

// file is where the moved part of a source goes.
func (p *parcel) file(s *source) string {
	return path.Join(path.Dir(s.name), p.name, path.Base(s.name))
}
