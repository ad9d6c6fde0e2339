// Package lockrttest is a Redis for tests of code that takes locks: in memory, for one test, without a port.
//
//	srv := lockrttest.New(t)
//	svc := NewService(srv.Locker())
//	srv.Outage(true) // what does the service do when Redis is gone?
//
// The Locker is the real one, and so is the go-redis client; only the server is a model. It knows what lockrt sends, and
// the few commands with which a test looks at keys. That it answers as Redis does is tested against a real server, order
// by order.
//
// It takes time from package time. In a bubble of testing/synctest that is virtual time: leases of 30 seconds end at
// once, and a test of what happens then is exact and takes no time. Make the server inside the bubble.
package lockrttest
