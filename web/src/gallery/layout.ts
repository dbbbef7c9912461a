/** Rows of a grid: row r holds the items from starts[r] up to starts[r + 1], at tops[r], heights[r] high. */
export type Rows = {
  starts: Uint32Array
  tops: Float64Array
  heights: Float32Array
  /** Left edge and width of every item. */
  lefts: Float32Array
  widths: Float32Array
  /** Of all rows together, without a gap at the end. */
  height: number
}

export type Box = { width: number; size: number; gap: number }

/** Pictures wider or higher than this are shown as if they were not, cropped. */
export const narrowest = 0.45
export const widest = 3.6
export const clampRatio = (ratio: number) => Math.min(widest, Math.max(narrowest, ratio || 1))

/**
 * Rows that fill the width, each about `size` high, in which every picture keeps its ratio (width by height). The last row
 * is not stretched.
 */
export function justify(ratios: ArrayLike<number>, box: Box): Rows {
  const rows = emptyRows(ratios.length)
  let row = 0
  let top = 0
  let start = 0
  let sum = 0
  for (let i = 0; i < ratios.length; i++) {
    sum += clampRatio(ratios[i]!)
    const room = box.width - (i - start) * box.gap
    const last = i === ratios.length - 1
    const exact = room / sum
    if (exact > box.size && !last) {
      // Break before this picture when that is nearer to the wanted height than after it: decided at the next one.
      continue
    }
    let end = i + 1
    let height = exact
    if (exact <= box.size && i > start) {
      const without = (room + box.gap) / (sum - clampRatio(ratios[i]!))
      if (without - box.size < box.size - exact && without < box.size * 1.5) {
        end = i
        height = without
      }
    } else if (exact > box.size) height = Math.min(exact, box.size)
    place(rows, row++, start, end, top, height, ratios, box)
    top += height + box.gap
    if (end <= i) {
      start = i
      sum = 0
      i--
    } else {
      start = end
      sum = 0
    }
  }
  return finish(rows, row, ratios.length, top, box.gap)
}

function place(rows: Rows, row: number, start: number, end: number, top: number, height: number, ratios: ArrayLike<number>, box: Box): void {
  rows.starts[row] = start
  rows.tops[row] = top
  rows.heights[row] = height
  let left = 0
  for (let i = start; i < end; i++) {
    const width = clampRatio(ratios[i]!) * height
    rows.lefts[i] = left
    rows.widths[i] = width
    left += width + box.gap
  }
}

/** Rows of equal squares, as many in a row as fit at about `size`. */
export function squares(count: number, box: Box): Rows {
  const columns = Math.max(1, Math.round((box.width + box.gap) / (box.size + box.gap)))
  const side = (box.width - (columns - 1) * box.gap) / columns
  return even(count, columns, side, side, box.gap)
}

/** One item in a row. */
export function lines(count: number, box: Box): Rows {
  return even(count, 1, box.width, box.size, box.gap)
}

function even(count: number, columns: number, width: number, height: number, gap: number): Rows {
  const rows = emptyRows(count)
  let row = 0
  for (let start = 0; start < count; start += columns, row++) {
    rows.starts[row] = start
    rows.tops[row] = row * (height + gap)
    rows.heights[row] = height
  }
  for (let i = 0; i < count; i++) {
    rows.lefts[i] = (i % columns) * (width + gap)
    rows.widths[i] = width
  }
  return finish(rows, row, count, row * (height + gap), gap)
}

function emptyRows(count: number): Rows {
  return { starts: new Uint32Array(count + 1), tops: new Float64Array(count), heights: new Float32Array(count), lefts: new Float32Array(count), widths: new Float32Array(count), height: 0 }
}

function finish(rows: Rows, row: number, count: number, top: number, gap: number): Rows {
  rows.starts[row] = count
  return { ...rows, starts: rows.starts.subarray(0, row + 1), tops: rows.tops.subarray(0, row), heights: rows.heights.subarray(0, row), height: Math.max(0, top - gap) }
}

/** The row that an item is in. */
export function rowOf(rows: Rows, index: number): number {
  return lastAtMost(rows.starts, index, rows.tops.length)
}

/** The rows that touch the part of the page from `top` to `bottom`: from, and up to but without, `to`. */
export function rowsBetween(rows: Rows, top: number, bottom: number): { from: number; to: number } {
  const count = rows.tops.length
  if (!count || bottom < 0 || top > rows.height) return { from: 0, to: 0 }
  return { from: lastAtMost(rows.tops, top, count), to: lastAtMost(rows.tops, bottom, count) + 1 }
}

/** A rectangle in the pixels of the sheet. */
export type Area = { left: number; right: number; top: number; bottom: number }

/** The items that a rectangle touches. */
export function itemsIn(rows: Rows, area: Area): number[] {
  const { from, to } = rowsBetween(rows, area.top, area.bottom)
  const items: number[] = []
  for (let row = from; row < to; row++) {
    const top = rows.tops[row]!
    if (top > area.bottom || top + rows.heights[row]! < area.top) continue
    for (let i = rows.starts[row]!; i < rows.starts[row + 1]!; i++) {
      if (rows.lefts[i]! <= area.right && rows.lefts[i]! + rows.widths[i]! >= area.left) items.push(i)
    }
  }
  return items
}

// The last index whose value is at most x; 0 when none is.
function lastAtMost(values: ArrayLike<number>, x: number, count: number): number {
  let low = 0
  let high = count - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (values[middle]! <= x) low = middle
    else high = middle - 1
  }
  return Math.max(0, low)
}

const keys = /^(Arrow(Left|Right|Up|Down)|Page(Up|Down)|Home|End)$/

/** Where a key leads from an item; undefined for a key that leads nowhere. `page` is how high the window is. */
export function step(rows: Rows, index: number, key: string, page: number): number | undefined {
  if (!keys.test(key)) return undefined
  const count = rows.widths.length
  const within = (i: number) => Math.min(count - 1, Math.max(0, i))
  switch (key) {
    case 'ArrowLeft':
      return within(index - 1)
    case 'ArrowRight':
      return within(index + 1)
    case 'Home':
      return 0
    case 'End':
      return count - 1
  }
  const row = rowOf(rows, index)
  let target = row
  if (key === 'ArrowUp') target = row - 1
  else if (key === 'ArrowDown') target = row + 1
  else if (key === 'PageDown') target = Math.max(row + 1, lastAtMost(rows.tops, rows.tops[row]! + page, rows.tops.length))
  else if (key === 'PageUp') target = Math.min(row - 1, lastAtMost(rows.tops, rows.tops[row]! - page, rows.tops.length))
  target = Math.min(rows.tops.length - 1, Math.max(0, target))
  return target === row ? index : nearest(rows, target, rows.lefts[index]! + rows.widths[index]! / 2)
}

/** The item of a row whose middle is nearest to a place. */
export function nearest(rows: Rows, row: number, middle: number): number {
  let best = rows.starts[row]!
  for (let i = best; i < rows.starts[row + 1]!; i++) {
    const distance = (n: number) => Math.abs(rows.lefts[n]! + rows.widths[n]! / 2 - middle)
    if (distance(i) < distance(best)) best = i
  }
  return best
}
