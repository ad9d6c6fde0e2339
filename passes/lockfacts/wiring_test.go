package lockfacts

import "testing"

func TestFunctionPackage(t *testing.T) {
	for function, want := range map[string]string{
		"(*example.test/a.b/c.T).M": "example.test/a.b/c", "example.test/c.F$1": "example.test/c", "main.main": "main",
		"(example.test/c.T).M": "example.test/c", "field example.test/c.T.next.Do": "example.test/c", "": "",
		"gopkg.in/redis.v5.NewClient": "gopkg.in/redis.v5", "(*gopkg.in/redis.v5.Client).Get$1": "gopkg.in/redis.v5",
		"field example.test/x.go.T.next.Do": "example.test/x.go", "*example.test/x.go.T": "example.test/x.go",
		"(*example.test/c.T[example.test/d.K]).M": "example.test/c", "example.test/c.F[int]": "example.test/c",
	} {
		if got := FunctionPackage(function); got != want {
			t.Errorf("%q is in %q, want %q", function, got, want)
		}
	}
}
