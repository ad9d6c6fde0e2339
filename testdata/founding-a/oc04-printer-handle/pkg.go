// EXPECT-NONE

// Package printerhandle prints badges on the printers of a fair.
package printerhandle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.test/foundinga/oc04-printer-handle/claim"
)

var ErrPrinting = errors.New("printer is in use")

type Printer interface {
	Print(ctx context.Context, badge int64) error
}

type Fair struct {
	claims   *claim.Claims
	printers map[int]Printer
}

func printerKey(n int) string { return fmt.Sprintf("fair:printer:%d", n) }

// Badge prints one badge. The claim is returned whether it was won or not: Return looks at its owner.
func (f *Fair) Badge(ctx context.Context, printer int, badge int64) error {
	c, err := f.claims.Make(ctx, printerKey(printer), 30*time.Second)
	if err != nil {
		return fmt.Errorf("printer %d: %w", printer, err)
	}
	defer c.Return(ctx)
	if !c.Won() {
		return ErrPrinting
	}
	p := f.printers[printer]
	if p == nil {
		return errors.New("no such printer")
	}
	return p.Print(ctx, badge)
}
