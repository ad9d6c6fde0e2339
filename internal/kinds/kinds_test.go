package kinds

import (
	"regexp"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	id := regexp.MustCompile(`^[a-z]+(-[a-z]+)+$`)
	seen, closed, last := map[string]bool{}, map[string]bool{}, ""
	for _, k := range All() {
		if !id.MatchString(k.Name) || seen[k.Name] {
			t.Errorf("%q is no id, or stands twice", k.Name)
		}
		seen[k.Name] = true
		if k.Level.Rank() == 0 || k.Text == "" || strings.HasSuffix(k.Text, ".") {
			t.Errorf("%s: level %q, text %q", k.Name, k.Level, k.Text)
		}
		if k.Analyzer != last && closed[k.Analyzer] {
			t.Errorf("%s: the rows of %s are not together", k.Name, k.Analyzer)
		}
		closed[k.Analyzer], last = true, k.Analyzer
	}
}

func TestAllIsACopy(t *testing.T) {
	All()[0].Name = "changed"
	if _, found := Find("changed"); found {
		t.Error("a caller can change the table")
	}
}

func TestFind(t *testing.T) {
	if k, found := Find("long-ttl"); !found || k.Analyzer != "lockttl" {
		t.Errorf("Find(long-ttl) = %v, %v", k, found)
	}
	if k, found := Find("ownercheck"); found {
		t.Errorf("an analyzer is not a kind, got %v", k)
	}
}

func TestNearest(t *testing.T) {
	for wrote, want := range map[string]string{
		"ownerles-release":  "ownerless-release",
		"owner-less-releas": "ownerless-release",
		"selfcall":          "self-call",
		"longttl":           "long-ttl",
		"zzz":               "",
		"":                  "",
	} {
		if got := Nearest(wrote); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", wrote, got, want)
		}
	}
}
