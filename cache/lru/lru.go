// Package lru keeps values in the order of their last use, with their total size.
package lru

import (
	"container/list"
	"iter"
)

// List holds values by key in the order of their last use. It evicts nothing by itself: the owner calls Oldest and
// Remove while Bytes exceeds its limit. Its methods are not safe for concurrent use. Make it with New.
type List[K comparable, V any] struct {
	items map[K]*list.Element
	order *list.List // values are *item, the most recently used first
	bytes int64
}

type item[K comparable, V any] struct {
	key   K
	value V
	bytes int64
}

// New returns an empty List.
func New[K comparable, V any]() *List[K, V] {
	return &List[K, V]{items: map[K]*list.Element{}, order: list.New()}
}

// Get returns the value of a key and marks it as used; ok is false if there is none.
func (l *List[K, V]) Get(k K) (v V, ok bool) {
	e := l.items[k]
	if e == nil {
		return v, false
	}
	l.order.MoveToFront(e)
	return e.Value.(*item[K, V]).value, true
}

// Contains reports whether the key has a value, without marking it as used.
func (l *List[K, V]) Contains(k K) bool { return l.items[k] != nil }

// Put sets the value of a key and marks it as used.
func (l *List[K, V]) Put(k K, v V, bytes int64) {
	l.Remove(k)
	l.bytes += bytes
	l.items[k] = l.order.PushFront(&item[K, V]{k, v, bytes})
}

// PutLast sets the value of a key and ranks it as the least recently used.
func (l *List[K, V]) PutLast(k K, v V, bytes int64) {
	l.Remove(k)
	l.bytes += bytes
	l.items[k] = l.order.PushBack(&item[K, V]{k, v, bytes})
}

// Remove removes a key and returns its value; ok is false if there is none.
func (l *List[K, V]) Remove(k K) (v V, ok bool) {
	e := l.items[k]
	if e == nil {
		return v, false
	}
	i := l.order.Remove(e).(*item[K, V])
	delete(l.items, k)
	l.bytes -= i.bytes
	return i.value, true
}

// Oldest returns the least recently used key; ok is false if the list is empty.
func (l *List[K, V]) Oldest() (k K, ok bool) {
	e := l.order.Back()
	if e == nil {
		return k, false
	}
	return e.Value.(*item[K, V]).key, true
}

// All yields every value with its size, the most recently used first. The list must not be changed during the
// iteration.
func (l *List[K, V]) All() iter.Seq2[V, int64] {
	return func(yield func(V, int64) bool) {
		for e := l.order.Front(); e != nil; e = e.Next() {
			if i := e.Value.(*item[K, V]); !yield(i.value, i.bytes) {
				return
			}
		}
	}
}

// Len returns the number of values.
func (l *List[K, V]) Len() int { return l.order.Len() }

// Bytes returns the total size of all values.
func (l *List[K, V]) Bytes() int64 { return l.bytes }
