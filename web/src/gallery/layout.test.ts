import { describe, expect, test } from 'vitest'
import { clampRatio, itemsIn, justify, lines, rowOf, rowsBetween, squares, step } from './layout'

const ratios = (n: number) => Float32Array.from({ length: n }, (_, i) => [1.5, 0.67, 1.78, 1, 3.2, 0.2][i % 6]!)

describe('justify', () => {
  test.each([320, 900, 1440, 3840])('rows fill a width of %i, keep ratios, and lose nothing', (width) => {
    const box = { width, size: 200, gap: 4 }
    const all = ratios(500)
    const rows = justify(all, box)
    expect(rows.starts[0]).toBe(0)
    expect(rows.starts.at(-1)).toBe(500)
    for (let r = 0; r < rows.tops.length; r++) {
      const [from, to] = [rows.starts[r]!, rows.starts[r + 1]!]
      expect(to).toBeGreaterThan(from)
      const right = rows.lefts[to - 1]! + rows.widths[to - 1]!
      if (r < rows.tops.length - 1) {
        expect(right).toBeCloseTo(width, 1)
        expect(rows.tops[r + 1]).toBeCloseTo(rows.tops[r]! + rows.heights[r]! + 4, 2)
        expect(rows.heights[r]).toBeLessThan(320)
      } else expect(right).toBeLessThanOrEqual(width + 0.1)
      for (let i = from; i < to; i++) expect(rows.widths[i]! / rows.heights[r]!).toBeCloseTo(clampRatio(all[i]!), 2)
    }
    expect(rows.height).toBeCloseTo(rows.tops.at(-1)! + rows.heights.at(-1)!, 2)
  })
  test('the last row is not stretched', () => {
    const rows = justify([1], { width: 1000, size: 200, gap: 4 })
    expect([rows.heights[0], rows.widths[0]]).toEqual([200, 200])
  })
  test('nothing is no rows', () => {
    expect(justify([], { width: 1000, size: 200, gap: 4 })).toMatchObject({ height: 0 })
  })
  test('rows before a change stay where they were', () => {
    const box = { width: 1200, size: 200, gap: 4 }
    const [few, many] = [justify(ratios(300), box), justify(ratios(400), box)]
    for (let r = 0; r < few.tops.length - 2; r++) expect(many.starts[r]).toBe(few.starts[r])
  })
})

test('squares fill the width', () => {
  const rows = squares(10, { width: 416, size: 100, gap: 4 })
  expect(rows.tops.length).toBe(3)
  expect(rows.lefts[3]! + rows.widths[3]!).toBeCloseTo(416)
  expect(rows.height).toBeCloseTo(3 * 101 + 8)
})

test('the window holds what touches it, and no more', () => {
  const rows = lines(1000, { width: 300, size: 40, gap: 0 })
  expect(rowsBetween(rows, 0, 79)).toEqual({ from: 0, to: 2 })
  expect(rowsBetween(rows, 4000, 4400)).toEqual({ from: 100, to: 111 })
  expect(rowsBetween(rows, 39_990, 50_000)).toEqual({ from: 999, to: 1000 })
  expect(rowsBetween(rows, 50_000, 60_000)).toEqual({ from: 0, to: 0 })
})

test('a million items are found at once', () => {
  const rows = justify(ratios(1_000_000), { width: 1440, size: 200, gap: 4 })
  expect(rowOf(rows, 999_999)).toBe(rows.tops.length - 1)
  const { from, to } = rowsBetween(rows, rows.height / 2, rows.height / 2 + 900)
  expect(to - from).toBeLessThan(8)
})

describe('keys', () => {
  const rows = squares(10, { width: 416, size: 100, gap: 4 }) // rows of four
  test.each([
    ['ArrowRight', 0, 1], ['ArrowRight', 9, 9], ['ArrowLeft', 0, 0], ['ArrowDown', 1, 5], ['ArrowDown', 7, 9], ['ArrowDown', 9, 9],
    ['ArrowUp', 9, 5], ['ArrowUp', 2, 2], ['Home', 7, 0], ['End', 0, 9], ['PageDown', 0, 8], ['PageUp', 9, 1],
  ])('%s from %i leads to %i', (key, from, to) => {
    expect(step(rows, from, key, 250)).toBe(to)
  })
})

describe('a rectangle touches', () => {
  // Three columns of 100 with 10 between, rows of 100 with 10 between: items 0 1 2, 3 4 5, 6.
  const rows = squares(7, { width: 320, size: 100, gap: 10 })
  test.each([
    { name: 'one', area: { left: 20, right: 60, top: 20, bottom: 60 }, items: [0] },
    { name: 'a gap between columns', area: { left: 102, right: 108, top: 20, bottom: 60 }, items: [] },
    { name: 'a gap between rows', area: { left: 0, right: 320, top: 102, bottom: 108 }, items: [] },
    { name: 'two columns of two rows', area: { left: 50, right: 120, top: 50, bottom: 120 }, items: [0, 1, 3, 4] },
    { name: 'the end', area: { left: 50, right: 400, top: 200, bottom: 900 }, items: [3, 4, 5, 6] },
    { name: 'what is above everything', area: { left: 0, right: 320, top: -80, bottom: -10 }, items: [] },
    { name: 'what is below everything', area: { left: 0, right: 320, top: 600, bottom: 700 }, items: [] },
  ])('$name', ({ area, items }) => {
    expect(itemsIn(rows, area)).toEqual(items)
  })
})
