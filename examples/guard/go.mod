module github.com/leasevet/leasevet/examples/guard

go 1.21

require (
	github.com/leasevet/leasevet/lockrt v0.0.0
	github.com/redis/go-redis/v9 v9.0.0
)

require (
	github.com/cespare/xxhash/v2 v2.2.0 // indirect
	github.com/dgryski/go-rendezvous v0.0.0-20200823014737-9f7001d12a5f // indirect
)

replace github.com/leasevet/leasevet/lockrt => ../../lockrt
