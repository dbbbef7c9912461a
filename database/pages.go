package database

import (
	"context"

	"github.com/safelight/safelight/fault"
)

// MaxPage is the maximum number of items on a page.
const MaxPage = 100

// Page is a page of a list.
type Page[T any] struct {
	Items         []T
	Before, After bool // whether there are items before and after the page
	// Count returns the total number of items on all pages. It is nil for lists that are never counted.
	Count func(context.Context) (int, error)
}

// CheckPage returns fault.Invalid unless first, the page size, is 1 to MaxPage.
func CheckPage(first int) error {
	if first < 1 || first > MaxPage {
		return fault.OnField(fault.Invalid, "first", "first is %d, expected 1 to %d", first, MaxPage)
	}
	return nil
}

// FirstOf returns the page with the first items of a list. The query must read one more item, which shows
// whether another page follows.
func FirstOf[T any](list []T, first int) *Page[T] {
	return &Page[T]{Items: list[:min(first, len(list))], After: len(list) > first}
}

// PageOf returns the page of an in-memory list that starts with the item at start.
func PageOf[T any](list []T, start, first int) *Page[T] {
	p := FirstOf(list[start:], first)
	p.Before, p.Count = start > 0, func(context.Context) (int, error) { return len(list), nil }
	return p
}
