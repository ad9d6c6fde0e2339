package lockfacts

import "testing"

func TestFunctionPackage(t *testing.T) {
	for function, want := range map[string]string{
		"(*example.test/a.b/c.T).M": "example.test/a.b/c", "example.test/c.F$1": "example.test/c", "main.main": "main",
		"(example.test/c.T).M": "example.test/c", "field example.test/c.T.next.Do": "example.test/c", "": "",
	} {
		if got := FunctionPackage(function); got != want {
			t.Errorf("%q is in %q, want %q", function, got, want)
		}
	}
}
