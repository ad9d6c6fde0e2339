package lockrt

import (
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/leasevet/leasevet/lockrt/internal/redistest"
)

func startCluster(t *testing.T) *redis.ClusterClient {
	t.Helper()
	return redistest.StartCluster(t).Client(t)
}
