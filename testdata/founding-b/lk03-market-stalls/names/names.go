// Package names spells the locks of the market.
package names

import (
	"fmt"
	"strconv"
)

// Stall is one stall.
func Stall(stall int64) string { return "stall:rent:" + strconv.FormatInt(stall, 10) }

// Basket is the basket of a customer.
func Basket(customer int64) string { return fmt.Sprintf("basket:of:%d", customer) }

// Shelf is one shelf of a stall.
func Shelf(shelf int64) string { return fmt.Sprint("shelf:fill:", shelf) }

// Porter is somebody who carries.
func Porter(porter int64) string { return "porter:job:" + strconv.FormatInt(porter, 10) }
