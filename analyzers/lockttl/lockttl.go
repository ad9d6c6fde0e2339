package lockttl

import (
	"fmt"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/leasevet/leasevet/analyzers/internal/judge"
	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/passes/clientmodel"
	"github.com/leasevet/leasevet/passes/keyterm"
	"github.com/leasevet/leasevet/passes/lockfacts"
)

// Analyzer checks how long a lock stays when nobody releases it.
var Analyzer *analysis.Analyzer = judge.Analyzer("lockttl", doc, check)

// limit is the TTL from which on a fixed one is long: it is the recovery time after a crash.
const limit = 5 * time.Minute

// generous is how many times the visible bound of the work a TTL may be without being called long: a lease that was
// chosen for the work is not a guess.
const generous = 4

// check judges the TTL of every acquire that is part of a lock, in the frame of every function that it can be seen
// from: where a caller hands the TTL over, the caller's call is the place.
func check(r *judge.Reporter) {
	work := workBounds(r)
	for _, fn := range r.Res.Functions {
		events := r.Res.Events(fn)
		for i := range events {
			if e := &events[i]; e.Op.Acquires() && (e.Proven || e.Closed) {
				acquire(r, e, events, work)
			}
		}
		wiring(r, fn)
	}
	for i := range r.Res.Locks {
		short(r, &r.Res.Locks[i])
	}
}

// workBounds is the longest visible bound of the work under each acquire.
func workBounds(r *judge.Reporter) map[lockfacts.Site]bound {
	out := map[lockfacts.Site]bound{}
	for i := range r.Res.Locks {
		l := &r.Res.Locks[i]
		if b := (&bounds{r: r, lock: l}).longest(); b.duration > out[l.Acquire.At].duration {
			out[l.Acquire.At] = b
		}
	}
	return out
}

// acquire judges one acquire.
func acquire(r *judge.Reporter, e *lockfacts.Event, events []lockfacts.Event, work map[lockfacts.Site]bound) {
	if !e.HasTTL {
		return
	}
	ttl := r.Res.Resolve(e.TTL)
	s := subject{at: where(e), acquire: e.At, class: e.Key.Class(), path: flow(e), library: e.Library}
	if wrongUnit(r, s, ttl, e.Unit) {
		return
	}
	d, ok := judge.Duration(ttl, e.Unit)
	switch {
	case !ok:
	case d == 0 && !e.Library:
		if x := expiredLater(e, events); x != nil {
			nonatomic(r, s, e, x)
		} else {
			none(r, s)
		}
	case d >= limit && !renewed(r, e) && d > generous*work[e.At].duration:
		long(r, s, d, work[e.At])
	}
}

// subject is what a finding is about.
type subject struct {
	at, acquire lockfacts.Site
	class       string
	path        []lockfacts.Site
	library     bool
}

// where is the call that hands the TTL over, or the acquire itself.
func where(e *lockfacts.Event) lockfacts.Site {
	if e.TTLAt.IsValid() {
		return e.TTLAt
	}
	return e.At
}

func flow(e *lockfacts.Event) []lockfacts.Site {
	if len(e.Path) == 0 {
		return nil
	}
	return append(append([]lockfacts.Site(nil), e.Path...), e.At)
}

func (s subject) related() []finding.Related {
	if s.at == s.acquire {
		return nil
	}
	return []finding.Related{judge.Related(s.acquire, "acquired here")}
}

func none(r *judge.Reporter, s subject) {
	r.Report(judge.Fault{Kind: "no-ttl", Level: finding.Error, At: s.at, Class: s.class, Path: s.path, Related: s.related(),
		Message: "the key is set without a TTL: after a crash here it stays for ever, and nothing but a person removes it; " +
			"give the TTL in the same command and renew it while the work runs"})
}

// expiredLater is an EXPIRE of the same key that the same flow sends in a second command.
func expiredLater(e *lockfacts.Event, events []lockfacts.Event) *lockfacts.Event {
	for i := range events {
		x := &events[i]
		if x.Op == clientmodel.Expire && !x.Async && keyterm.Equal(x.Key, e.Key) {
			return x
		}
	}
	return nil
}

func nonatomic(r *judge.Reporter, s subject, e, x *lockfacts.Event) {
	r.Report(judge.Fault{Kind: "nonatomic-ttl", Level: finding.Error, At: e.At, Class: s.class, Path: s.path,
		Related: []finding.Related{judge.Related(x.At, "TTL given here")},
		Message: fmt.Sprintf("the TTL is given in a second command (%s): a crash or a lost connection in between leaves the key for ever; "+
			"give the TTL in the same SET NX", judge.Brief(x.At))})
}

func long(r *judge.Reporter, s subject, d time.Duration, work bound) {
	related, ends := s.related(), ""
	if work.duration > 0 {
		ends = fmt.Sprintf(" (the work ends within %s)", work.duration)
		related = append(related, judge.Related(work.at, "%s, here", work.what))
	}
	r.Report(judge.Fault{Kind: "long-ttl", Level: finding.Warning, At: s.at, Class: s.class, Path: s.path, Related: related,
		Message: fmt.Sprintf("a fixed TTL of %s that nothing renews is the recovery time%s: after a crash the key blocks everybody for "+
			"that long; take a short lease (30s) and renew it while the owner lives", d, ends)})
}

// renewed reports whether something extends the lease: beside this acquire, or any command of the package on the same
// shape of key.
func renewed(r *judge.Reporter, e *lockfacts.Event) bool {
	if e.Renewed {
		return true
	}
	s := r.Res.Shape(e.Fn, e.Key)
	for _, x := range r.Res.Own() {
		if x.Op.Extends() && s != "" && r.Res.Shape(x.Fn, x.Key) == s {
			return true
		}
	}
	return false
}

// wiring judges TTLs that a constructor call puts into a lock object: methods of the object acquire with that field.
func wiring(r *judge.Reporter, fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if c, ok := i.(*ssa.Call); ok {
				wired(r, fn, c)
			}
		}
	}
}

func wired(r *judge.Reporter, fn *ssa.Function, c *ssa.Call) {
	o := r.Res.Term(fn, c).Strip()
	if o.Op != keyterm.Object || o.Text == "" {
		return
	}
	at := lockfacts.Site{Pos: r.Res.Pos(c), Function: fn.String(), Package: r.Pass.Pkg.Path()}
	for _, s := range r.Res.Methods(o.Text) {
		for i := range s.Effects {
			e := &s.Effects[i]
			name, ok := receiverField(e.TTL, s.Name)
			if !ok || !e.Op.Acquires() || !e.Proven && !e.Closed || !e.HasTTL || e.Renewed {
				continue
			}
			v := keyterm.Term{Op: keyterm.Field, Text: name, Args: []keyterm.Term{o}}.Norm()
			sub := subject{at: at, acquire: e.At, class: e.Key.Class()}
			if d, known := judge.Duration(v, e.Unit); known && v.Index == 0 {
				switch {
				case wrongUnit(r, sub, v, e.Unit):
				case d == 0:
					none(r, sub)
				case d >= limit:
					long(r, sub, d, bound{})
				}
			}
		}
	}
}

// receiverField is the field of the receiver that a term is.
func receiverField(t keyterm.Term, function string) (string, bool) {
	t = t.Strip()
	if t.Op != keyterm.Field || t.Args[0].Op != keyterm.Param || t.Args[0].Index != 0 || t.Args[0].Text != function {
		return "", false
	}
	return t.Text, true
}
