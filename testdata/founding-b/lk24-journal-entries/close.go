package journalentries

import (
	"context"
	"fmt"
)

// closingKey is held while a year is closed.
const closingKey = "journal-year-end"

func lineKey(line int64) string { return fmt.Sprintf("journal:line:%d", line) }

// Close closes the year.
func (j *Journal) Close(ctx context.Context) error { return j.hold(ctx, closingKey, j.books.Close) }

// Cross crosses a line out.
func (j *Journal) Cross(ctx context.Context, line int64) error {
	return j.hold(ctx, lineKey(line), func(ctx context.Context) error { return j.books.Cross(ctx, line) })
}
