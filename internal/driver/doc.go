// Package driver feeds packages to the analyzers, in two ways that run the very same code per package:
//
//   - [Run] is the command's own way. It asks the go command for the import graph, picks the packages that can have
//     something to do with locks, reads the types of everything else from compiler export data, and analyses what is
//     left from source: in dependency order, in parallel, and again where the link knows more.
//   - [Vet] answers the protocol of `go vet -vettool`: one process and one package at a time, facts of the imports in
//     files.
//
// Both end in [PassRunner], which runs analyzers over one type-checked package. A package never sees the syntax of
// another one. It sees export data, and facts: one [lockfacts.Fact] per package, of all packages that it imports,
// directly or not.
//
// What a driver may not do is lose something silently. A package that cannot be read, an analyzer that panics, a file
// that does not parse: each becomes a line of [Coverage], and the rest goes on.
package driver
