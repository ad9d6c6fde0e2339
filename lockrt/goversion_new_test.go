//go:build go1.24

package lockrt_test

const oldRuntime = false
