import { expect, test } from 'vitest'
import { anchorOf, partAt, placeOf, placesOf, scrolledTo, ticks } from './places'

const places = placesOf([100, 300, 50])

test('parts follow each other', () => {
  expect([...places]).toEqual([0, 100, 400, 450])
  expect([...placesOf([])]).toEqual([0])
})

test.each([[-5, 0], [0, 0], [99, 0], [100, 1], [399.5, 1], [400, 2], [9000, 2]])('%d is in part %d', (at, part) => {
  expect(partAt(places, at)).toBe(part)
})

test('a part that was scrolled to is at the top, though browsers round', () => {
  const fractions = placesOf([100.7, 300.6, 50.5])
  for (const part of [0, 1, 2]) expect(scrolledTo(fractions, Math.floor(fractions[part]!))).toBe(part)
})

test('what is seen stays when parts above it grow', () => {
  const anchor = anchorOf(places, 250)
  expect(anchor).toEqual({ part: 1, within: 0.5 })
  expect(placeOf(places, anchor)).toBe(250)
  expect(placeOf(placesOf([700, 300, 50]), anchor)).toBe(850)
  expect(placeOf(placesOf([]), anchor)).toBe(0)
  expect(placeOf(placesOf([100]), anchor)).toBe(50)
})

test('years are printed once, and not over each other', () => {
  const months = ['2026-02', '2026-01', '2025-12', '2024-11'].map((start, i) => ({ start: `${start}-01T00:00:00Z`, count: [3, 100, 0, 100][i]! }))
  const four = placesOf([50, 50, 10, 890])
  expect(ticks(months, four, 500, 16).map((tick) => tick.year)).toEqual(['2026', null, '2025', null])
  expect(ticks(months, four, 5000, 16).map((tick) => tick.year)).toEqual(['2026', null, '2025', '2024'])
  const lengths = ticks(months, four, 500, 16).map((tick) => tick.length)
  expect(lengths[1]).toBe(1)
  expect(lengths[2]).toBe(0)
  expect(lengths[0]).toBeGreaterThan(0.25)
})
