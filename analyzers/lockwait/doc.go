// Package lockwait is.
package lockwait

const doc = "lockwait: x"
