// Package acquirecheck is.
package acquirecheck

const doc = "acquirecheck: x"
