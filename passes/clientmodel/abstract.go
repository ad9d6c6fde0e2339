package clientmodel

// Scenario is one way in which an acquire can end.
type Scenario uint8

// The three scenarios.
const (
	HeldScenario   Scenario = iota // the lock is ours
	TakenScenario                  // somebody else has it
	OutageScenario                 // Redis could not be asked
)

// Scenarios lists them all.
var Scenarios = [...]Scenario{HeldScenario, TakenScenario, OutageScenario}

// Abstract is what a result in the given role looks like in a scenario.
func (r Reply) Abstract(s Scenario, role Role) Abstract {
	if role == OtherResult {
		return 0
	}
	if role == ErrResult {
		return r.errorIn(s)
	}
	return r.valueIn(s)
}

func (r Reply) errorIn(s Scenario) Abstract {
	switch {
	case s == HeldScenario:
		return Nil
	case s == OutageScenario:
		return NonNil
	case r == StatusReply || r == HandleReply || r == ErrReply:
		return NonNil | Contention
	}
	return Nil
}

func (r Reply) valueIn(s Scenario) Abstract {
	if r == HandleReply {
		if s == HeldScenario {
			return NonNil
		}
		return Nil
	}
	if s == HeldScenario {
		return True
	}
	return False // the zero value where the command failed
}
