// Package leasetable edits the pages of a handbook.
package leasetable

import (
	"context"
	"fmt"
	"time"

	"example.test/foundinga/oc08-lease-table/lease"
)

type Pages interface {
	Save(ctx context.Context, page int64, text string) error
}

// Editor serves many browsers at once.
type Editor struct {
	leases lease.Leases
	pages  Pages
}

func pageKey(page int64) string { return fmt.Sprintf("handbook:page:%d:edit", page) }

// Open begins to edit a page.
func (e *Editor) Open(ctx context.Context, page int64) error {
	return e.leases.Take(ctx, pageKey(page), 40*time.Second)
}

// Typing is called by the browser while somebody types.
func (e *Editor) Typing(ctx context.Context, page int64) error {
	return e.leases.Extend(ctx, pageKey(page), 40*time.Second) // ALSO-OK: ownerless-extend
}

// Close is called by every browser that leaves the page, editing or not.
func (e *Editor) Close(ctx context.Context, page int64) error {
	return e.leases.Drop(ctx, pageKey(page)) // ALSO-OK: ownerless-release
}
