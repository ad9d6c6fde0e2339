// EXPECT-NONE

// Package exportscript exports the catalogues of tenants.
package exportscript

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"example.test/foundinga/oc06-export-script/guarded"
)

type Catalogue interface {
	Rows(ctx context.Context, tenant int64) ([]string, error)
}

type Exporter struct {
	rdb redis.UniversalClient
	cat Catalogue
}

func exportKey(tenant int64) string { return fmt.Sprintf("catalogue:%d:export", tenant) }

func sizeKey(tenant int64) string { return fmt.Sprintf("catalogue:%d:size", tenant) }

// Export returns the rows of a tenant.
func (e *Exporter) Export(ctx context.Context, tenant int64) ([]string, error) {
	return guarded.Call(ctx, e.rdb, exportKey(tenant), func(ctx context.Context) ([]string, error) {
		return e.cat.Rows(ctx, tenant)
	})
}

// Size counts them and remembers the count.
func (e *Exporter) Size(ctx context.Context, tenant int64) (int, error) {
	return guarded.Call(ctx, e.rdb, sizeKey(tenant), func(ctx context.Context) (int, error) {
		rows, err := e.cat.Rows(ctx, tenant)
		return len(rows), err
	})
}
