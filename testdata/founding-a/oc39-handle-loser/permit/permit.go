// Package permit hands out permits.
package permit

import (
	"context"
	"time"

	"example.test/foundinga/oc39-handle-loser/permit/book"
)

// Permit may have been granted or not.
type Permit struct {
	book    *book.Book
	page    string
	granted bool
}

type Office struct{ book *book.Book }

func NewOffice(b *book.Book) *Office { return &Office{book: b} }

// Ask returns a permit; Granted tells whether it is worth anything.
func (o *Office) Ask(ctx context.Context, page string, d time.Duration) (*Permit, error) {
	ok, err := o.book.Enter(ctx, page, d)
	if err != nil {
		return nil, err
	}
	return &Permit{book: o.book, page: page, granted: ok}, nil
}

// Granted reports whether the permit was granted.
func (p *Permit) Granted() bool { return p.granted }

// Return gives the permit back.
func (p *Permit) Return(ctx context.Context) error {
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	return p.book.Strike(end, p.page)
}
