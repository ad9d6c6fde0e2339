// Package directive reads the //leasevet: comments of a package: what they say, what they stand above, and which
// findings they cover.
//
// It knows syntax only. That a guarded function is called without its lock, or what an acquire row means for a caller,
// is for the analysis to say; mistakes that show in the comment itself are findings of this package.
//
// # bad-directive
//
// # What it does
//
// Reports a //leasevet: comment that has no effect: the reason or the kind is missing, the kind or the directive is
// unknown, a space stands before "leasevet:", or it stands where it can say nothing.
//
// # Why is this bad
//
// Whoever wrote it believes that it says something. The finding that it is about is reported all the same.
//
// # Example
//
//	rdb.Del(ctx, key) //leasevet:ignore ownerless-release
//
// # Use instead
//
//	rdb.Del(ctx, key) //leasevet:ignore ownerless-release an operator frees the lock by hand
//
// The comment stands at the end of the line, or above a statement, a declaration, a function or a method of an
// interface, and then covers the whole of it. Several kinds are separated by commas without spaces, and a kind may be
// narrowed to what JSON calls its rule: broken-release/swapped. The reason is every word that follows, and is shown as
// "suppressed" in JSON. A comment of another tool may follow it after " // ".
//
// One more directive changes what is reported: above a function,
//
//	//leasevet:guardedby settle:user:{} the balance is read and then written
//
// declares that its callers hold that lock, and self-call leaves it out.
//
// # Known problems
//
// The directives external-only, nolock, acquire, release, extend and runs are reserved: they are read, their form is
// checked, and this version does nothing with them. Nor does it check that the callers of a function with guardedby hold
// the lock. With -kinds a wrong comment is reported only if bad-directive is in the list.
//
// # Fix safety
//
// There is no automatic fix.
//
// # unused-directive
//
// # What it does
//
// Reports a //leasevet:ignore that covers no finding of a kind that it names. Only the command does, because only it has
// all findings of the program. Kinds that are reserved are passed over.
//
// # Why is this bad
//
// The comment outlives the fault, and hides the next one in its place.
//
// # Example
//
//	rdb.Get(ctx, key) //leasevet:ignore ownerless-release it was a DEL once
//
// # Use instead
//
// Remove the comment, or take the kind out of its list.
//
// # Known problems
//
// Only a run over a whole module, with its tests, says so. A comment that is needed with other build tags only is
// reported.
//
// # Fix safety
//
// Removing the comment changes no program.
package directive
