// Package lockapi finds uses of lock libraries that break the libraries' own rules.
//
// # Analyzer lockapi
//
// A lock library does the hard part: a random owner value, one step for compare and delete. What remains are its rules,
// which stand in its documentation and are not checked by the compiler. Each rule has an id, and a finding shows it as
// library-misuse/ID.
//
// # library-misuse
//
// # What it does
//
// Reports a call that breaks one of these rules:
//
//   - redsync-shared-mutex: a redsync.Mutex in a field or package variable is locked by several goroutines. It keeps the
//     owner value of its last Lock only.
//   - redsync-other-mutex: Unlock or Extend on a mutex that was made for that and never locked: it has another owner value.
//   - redsync-result-dropped (a note): nobody looks at what Unlock returns, false where the lock was lost. Results
//     that are assigned to blanks are dropped on purpose.
//   - gozero-no-expire: a RedisLock that is acquired without SetExpire has a lease of half a second.
//   - rueidis-context-dropped: the context that rueidislock returns, which ends when the lock is lost, is not used.
//   - freed-before-return: a wrapper returns a library's lock, and a defer has released it by then.
//
// Sources are the package documentations of github.com/go-redsync/redsync/v4,
// github.com/zeromicro/go-zero/core/stores/redis, github.com/redis/rueidis/rueidislock and github.com/bsm/redislock.
//
// # Why is this bad
//
// The code looks as if it had a lock. Sections run side by side, or a lock stays until its lease ends, and no error says so.
//
// # Example
//
//	func (s *Service) unlock(key string) error {
//		_, err := s.rs.NewMutex(key).Unlock() // never the mutex that was locked
//		return err
//	}
//
// # Use instead
//
// Keep the mutex that was locked, in the flow that locked it, and release that one.
//
// # Known problems
//
// A mutex that one flow locks and unlocks in turn may be kept in a field; it is only reported where a loop starts
// goroutines that lock it, or a handler of requests does. Options that are not in sight may set the owner value, and
// silence redsync-other-mutex.
//
// # Fix safety
//
// There is no fix.
package lockapi

const doc = "lockapi: uses of lock libraries that break their rules"
