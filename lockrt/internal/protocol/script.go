package protocol

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// Script is a Lua script and what its calls have in common. It does what redis.Script does with fewer allocations, which
// are a good part of what an uncontended lock costs.
type Script struct {
	text, hash interface{}
}

// NewScript returns the script with this text.
func NewScript(text string) Script {
	return Script{text: text, hash: redis.NewScript(text).Hash()}
}

// Client is what runs scripts: any client of go-redis.
type Client interface {
	Process(ctx context.Context, cmd redis.Cmder) error
}

// run sends the script's hash, and its text if the server does not know it: after a restart, a failover, SCRIPT FLUSH.
func (s Script) run(ctx context.Context, c Client, keysAndArgs ...interface{}) *redis.Cmd {
	cmd := redis.NewCmd(ctx, append([]interface{}{"evalsha", s.hash}, keysAndArgs...)...)
	if err := c.Process(ctx, cmd); err == nil || !redis.HasErrorPrefix(err, "NOSCRIPT") {
		return cmd
	}
	cmd = redis.NewCmd(ctx, s.eval(keysAndArgs...)...)
	_ = c.Process(ctx, cmd) // the command has the error too
	return cmd
}

// eval returns the arguments of a command with the text. A pipeline has no second try, so it sends that at once.
func (s Script) eval(keysAndArgs ...interface{}) []interface{} {
	return append([]interface{}{"eval", s.text}, keysAndArgs...)
}
