// Package lockkey checks what the keys of locks are made of: a key has to name one resource, the same one for everybody
// who works on it, and no other.
//
// It looks at the keys of acquires that are known to be part of a lock, through helpers, closures, key functions and
// constructors. A part of a key that it does not understand makes no finding.
//
// # key-from-strings
//
// # What it does
//
// Reports a key that the function which acquires puts together itself, by +, Sprintf, Join, a Builder or append. It is
// a warning where the same key is put together in two or more functions, or where a key function for it exists; else
// it is a note. A helper that only joins what it is given is not to blame; the function that calls it is.
//
// # Why is this bad
//
// A lock works if all who need it spell its key alike. Nothing checks that two texts in two functions stay the same.
//
// # Example
//
//	key := "cart:" + strconv.FormatInt(cart, 10)
//	ok, err := rdb.SetNX(ctx, key, owner, ttl).Result()
//
// # Use instead
//
//	func cartKey(cart int64) string { return "cart:" + strconv.FormatInt(cart, 10) }
//
// # Known problems
//
// Keys that are put together from values which are not understood are not compared.
//
// # Fix safety
//
// There is no automatic fix. Keep the text as it is while old replicas run.
//
// # unstable-key
//
// # What it does
//
// Reports parts of a key that differ from one run to the next for the same resource: the time, addresses, structs that
// are printed with what they point to, the order of a map, values that are random where the key is made.
//
// # Why is this bad
//
// Two flows that work on the same resource acquire different keys: both are told yes, and the lock excludes nobody.
//
// # Example
//
//	key := fmt.Sprintf("device:flash:%v", device) // prints all fields, the time it was last seen too
//
// # Use instead
//
//	key := "device:flash:" + device.Serial
//
// # Known problems
//
// A time that is cut to a slot which flows share (Truncate, division, a format without seconds, the parts of a date) is
// right, and so are types with a String method. A struct of numbers and texts prints the same every time and is not
// reported, although one of its fields may be a state.
//
// # Fix safety
//
// There is no automatic fix.
//
// # ambiguous-key
//
// # What it does
//
// Reports two parts of variable width that meet without a separator. The message shows two pairs of values that give
// the same key.
//
// # Why is this bad
//
// Work on one resource waits for work on another one. Where both locks are held by one flow, it waits for itself.
//
// # Example
//
//	func desk(hall, row string) string { return "desk:" + hall + row }
//
// # Use instead
//
//	func desk(hall, row string) string { return "desk:" + hall + ":" + row }
//
// # Known problems
//
// A part with a fixed width is known by its verb (%08d), its type (a UUID, a digest of an array type) or because its
// type has only a few constants. Results of functions that are not known are taken to be of fixed width. A separator
// that a part can contain itself is not reported.
//
// # Fix safety
//
// There is no automatic fix: another key is another lock, which old replicas do not know.
//
// # empty-key-part
//
// # What it does
//
// Reports parts that are empty when something is missing, and that nobody looks at before the acquire: an entry of a
// map, a header or form value, a text that does not parse, a value of a context, a field found by reflection, a field
// that one of the constructors leaves out.
//
// # Why is this bad
//
// A lock for each user becomes one lock for all users whose name is missing. It shows as waiting, not as an error.
//
// # Example
//
//	campus := campusOf[hall]
//	return hold(ctx, "campus:"+campus, work)
//
// # Use instead
//
//	campus, ok := campusOf[hall]
//	if !ok {
//		return errUnknownHall
//	}
//
// # Known problems
//
// Any look at the value counts: a comparison, or a call that takes it and returns a bool or an error which is looked
// at. A key function of another package that refuses an empty part by a panic is not seen. An entry with a constant
// name of a map that some function returned, such as the parts of a route, is taken to be there.
//
// # Fix safety
//
// There is no automatic fix.
//
// # key-ignores-entity
//
// # What it does
//
// Notes functions that are given one entity, hand it to the work in the section, and acquire one key for all entities.
//
// # Why is this bad
//
// Work on different entities waits, or is turned away, without need.
//
// # Example
//
//	func (f *Farm) Restart(ctx context.Context, turbine int64) error {
//		return f.hold(ctx, "restart", func() error { return f.turbines.Restart(ctx, turbine) })
//	}
//
// # Use instead
//
//	return f.hold(ctx, restartKey(turbine), ...)
//
// # Known problems
//
// It may be meant: only one turbine may restart at a time. That is why it is a note. A plain string is taken for the
// name of something only where the function looks at it or uses it twice, or where another key contains it.
//
// # Fix safety
//
// There is no automatic fix.
//
// # mismatched-prefix
//
// # What it does
//
// Reports keys that vary over the same thing and differ only in case, in a separator, in a plural s or in a letter of
// one word. It also reports a release that looks at another key than the acquire, because only one of the two goes
// through a client that puts a prefix before its keys.
//
// # Why is this bad
//
// The two sides do not exclude each other. Every test of either side passes.
//
// # Example
//
//	hold(ctx, "lock:payment:"+id, work)
//	hold(ctx, "lock:payments:"+id, work)
//
// # Use instead
//
// One key function that both call. If two locks are meant, give them names that say so.
//
// # Known problems
//
// Short words that differ in a letter are taken to be two words (horse, house), and so are versions and shards, which
// differ in digits, and keys whose variable parts have names that differ.
//
// # Fix safety
//
// There is no automatic fix: while old replicas run, either spelling excludes only half of them.
//
// # shared-key
//
// # What it does
//
// Notes the key of a lock under which somebody else stores a value.
//
// # Why is this bad
//
// Storing the value takes the lock away from its holder, and the holder's release removes the value.
//
// # Example
//
//	ok, err := rdb.SetNX(ctx, "report:"+id, owner, ttl).Result()
//	rdb.Set(ctx, "report:"+id, result, 0)
//
// # Use instead
//
// A prefix of its own for the lock: "lock:report:".
//
// # Known problems
//
// Two pieces of unrelated work that acquire one key are not reported.
//
// # Fix safety
//
// There is no automatic fix.
//
// # duplicate-prefix
//
// # What it does
//
// Reports a key that is spelled again although a key function or a constant has it, in the importing package or else in
// the later file. Keys that are all put together where they are acquired are key-from-strings.
//
// # Why is this bad
//
// When one of the two texts changes, the two sides no longer exclude each other.
//
// # Example
//
//	func entryKey(entry int64) string  { return "journal:entry:" + strconv.FormatInt(entry, 10) }
//	func namedKey(entry string) string { return fmt.Sprintf("journal:entry:%s", entry) }
//
// # Use instead
//
//	const entryPrefix = "journal:entry:"
//
// # Known problems
//
// Whole keys are compared. A prefix that two different keys begin with may be spelled twice.
//
// # Fix safety
//
// There is no automatic fix.
package lockkey

const doc = "lockkey: the key of a lock names one resource, the same one for everybody"
