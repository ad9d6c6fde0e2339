// Package statements prints what a member sees of the shop.
//
//leasevet:nolock it reads rows and changes none; printing a statement twice harms nobody
package statements

import (
	"context"
	"fmt"

	"github.com/leasevet/leasevet/examples/shop/internal/store"
)

// Print returns a member's statement.
func Print(ctx context.Context, rows *store.Store, member string) (string, error) {
	account, err := rows.Account(ctx, member)
	if err != nil {
		return "", err
	}
	limit, err := rows.Limit(ctx, member)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s: balance %d, may spend %d", member, account.Balance, account.Balance+limit.Amount), nil
}
