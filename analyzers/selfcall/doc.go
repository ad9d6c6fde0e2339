package selfcall

const doc = "selfcall: calls that go past the wrapper which takes the lock"
