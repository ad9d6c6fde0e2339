package golangci

import (
	"fmt"

	"github.com/golangci/plugin-module-register/register"

	"github.com/leasevet/leasevet/internal/finding"
	"github.com/leasevet/leasevet/internal/kinds"
)

// settings is what .golangci.yml may say. A key that is not here is an error.
type settings struct {
	// Kinds are the kinds to report; none means all.
	Kinds []string `json:"kinds"`
	// Level is the lowest level to report.
	Level finding.Level `json:"level"`
}

// decode reads and checks the settings.
func decode(raw any) (settings, error) {
	s, err := register.DecodeSettings[settings](raw)
	if err != nil {
		return settings{}, err
	}
	if s.Level == "" {
		s.Level = finding.Warning
	}
	if s.Level.Rank() == 0 {
		return settings{}, fmt.Errorf("level %q: want error, warning or note", s.Level)
	}
	for _, name := range s.Kinds {
		if err := s.check(name); err != nil {
			return settings{}, err
		}
	}
	return s, nil
}

// check rejects a kind that could never be reported: somebody would wait for it.
func (s settings) check(name string) error {
	k, known := kinds.Find(name)
	switch {
	case !known && kinds.Nearest(name) != "":
		return fmt.Errorf("kinds: there is no %q, is it %q?", name, kinds.Nearest(name))
	case !known:
		return fmt.Errorf("kinds: there is no %q", name)
	case !k.Implemented:
		return fmt.Errorf("kinds: this version does not look for %q", name)
	case k.Level.Rank() < s.Level.Rank():
		return fmt.Errorf("kinds: %q has level %q, which level %q leaves out", name, k.Level, s.Level)
	}
	return nil
}
