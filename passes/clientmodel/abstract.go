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
	switch role {
	case ValueResult:
		return r.valueIn(s)
	case ErrResult:
		return r.errorIn(s)
	case RawResult:
		return r.rawIn(s)
	case RawErrResult:
		if s == OutageScenario {
			return NonNil
		}
		return Nil
	case MissingResult:
		return r.missingIn(s)
	}
	return 0
}

// rawIn is the reply as an interface value: what is in it shows beside NonNil.
func (r Reply) rawIn(s Scenario) Abstract {
	switch {
	case s == OutageScenario:
		return Nil
	case s == HeldScenario:
		return NonNil | True
	case r == StatusReply:
		return Nil
	case r == IntReply, r == BoolReply:
		return NonNil | False
	}
	return 0
}

func (r Reply) missingIn(s Scenario) Abstract {
	switch {
	case s == HeldScenario:
		return False
	case s == TakenScenario && r == StatusReply:
		return True
	case s == TakenScenario && r == IntReply:
		return False
	}
	return 0
}

// ReadReply is what a reader makes of a reply and an error.
func ReadReply(raw, err Abstract) (value, readErr Abstract) {
	switch {
	case err&NonNil != 0:
		return False, err
	case raw == Nil:
		return False, NonNil | Contention
	case raw&(Nil|NonNil) == NonNil:
		return Content(raw), err
	}
	return 0, 0
}

// Content is what is in an interface value.
func Content(raw Abstract) Abstract {
	if raw == Nil {
		return False
	}
	return raw & (True | False)
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
