package lockfacts

// Program is what the link knows about a package from the rest of the program. The command's driver hands it to a unit
// as a package fact of the package itself; under go vet and golangci-lint there is none, so findings that need it are
// program findings.
type Program struct {
	// OnDemand is true where whoever needs the facts of a package that has nothing to do with a lock asks for them, so
	// that they need not be made in advance.
	OnDemand bool
	// Lazy is true where there is no news, but somebody needs the facts of a package that did not seem worth reading.
	Lazy    bool
	Impls   []Impl      // which types the program uses as which interfaces
	Funcs   []Summary   // methods of those types, by Name
	Guards  []Guard     // functions of this package that others wrap in a lock
	Fields  []Named     // field values of those types' packages, as in Fact
	Classes []LockClass // lock classes proven elsewhere
	Keys    []LockKey   // keys that packages acquire which this one does not import
}

// AFact marks Program as a fact.
func (*Program) AFact() {}

// String is what tests and debug output show of it.
func (*Program) String() string { return "program" }

// news reports whether there is anything that the package does not know itself.
func (p *Program) news() bool {
	return p.Lazy || len(p.Impls)+len(p.Funcs)+len(p.Guards)+len(p.Fields)+len(p.Classes)+len(p.Keys) > 0
}

// Wanted is how a unit asks, while it is analysed, for the fact of a package that was not read because it has nothing to
// do with a lock: ImportPackageFact with a Wanted reads it now. Only a driver that says OnDemand answers.
type Wanted struct{}

// AFact marks Wanted as a fact.
func (*Wanted) AFact() {}
