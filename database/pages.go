package database

import (
	"context"

	"github.com/safelight/safelight/fault"
)

// MaxPage is how many items a page may have.
const MaxPage = 100

// Page is a page of a list.
type Page[T any] struct {
	Items         []T
	Before, After bool // whether there are items before and after the page
	// Count returns how many items all pages have; nil for lists that nobody counts.
	Count func(context.Context) (int, error)
}

// CheckPage returns fault.Invalid unless first, the size of a page, is 1 to MaxPage.
func CheckPage(first int) error {
	if first < 1 || first > MaxPage {
		return fault.OnField(fault.Invalid, "first", "first is %d, expected 1 to %d", first, MaxPage)
	}
	return nil
}

// FirstOf returns the page of the first items of a list. A query reads one more, which shows whether any follow.
func FirstOf[T any](list []T, first int) *Page[T] {
	return &Page[T]{Items: list[:min(first, len(list))], After: len(list) > first}
}

// PageOf returns the page of a list in memory that begins with the item at start.
func PageOf[T any](list []T, start, first int) *Page[T] {
	p := FirstOf(list[start:], first)
	p.Before, p.Count = start > 0, func(context.Context) (int, error) { return len(list), nil }
	return p
}
