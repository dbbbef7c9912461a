/** Where each part of a page begins, and where the last one ends: one more than there are parts. */
export function placesOf(heights: readonly number[]): Float64Array {
  const places = new Float64Array(heights.length + 1)
  for (const [i, height] of heights.entries()) places[i + 1] = places[i]! + height
  return places
}

/** The part that a place is in; the first or the last one beyond them, 0 when there is none. */
export function partAt(places: Float64Array, at: number): number {
  let low = 0
  let high = Math.max(0, places.length - 2)
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (places[middle]! <= at) low = middle
    else high = middle - 1
  }
  return low
}

/** The part that begins at the top after scrolling to it. Browsers round where they scroll to, by less than a pixel. */
export const scrolledTo = (places: Float64Array, top: number): number => partAt(places, top + 1)

/** A place that stays when parts change their heights: a part, and how far into it, in parts of its height. */
export type Anchor = { part: number; within: number }

/** The anchor of a place. */
export function anchorOf(places: Float64Array, at: number): Anchor {
  const part = partAt(places, at)
  const height = (places[part + 1] ?? 0) - (places[part] ?? 0)
  return { part, within: height ? Math.max(0, Math.min(1, (at - places[part]!) / height)) : 0 }
}

/** The place of an anchor. */
export function placeOf(places: Float64Array, { part, within }: Anchor): number {
  const i = Math.max(0, Math.min(part, places.length - 2))
  return places.length < 2 ? 0 : places[i]! + within * (places[i + 1]! - places[i]!)
}

/** One tick of the scrubber: how long it is, from 0 to 1, and the year that begins at it. */
export type Tick = { at: number; length: number; year: string | null }

/**
 * The ticks of months, newest first, along a scrubber of a height in pixels. Years that would be printed over each other are left
 * out; a tick is as long as its month is full, on a scale on which a month of ten is still seen beside one of ten thousand.
 */
export function ticks(months: readonly { start: string; count: number }[], places: Float64Array, height: number, line: number): Tick[] {
  const all = places.at(-1) || 1
  const fullest = Math.max(1, ...months.map((month) => month.count))
  let printed = -Infinity
  let before = ''
  return months.map(({ start, count }, i) => {
    const at = places[i]! / all
    const year = start.slice(0, 4)
    const prints = year !== before && (at * height - printed >= line || printed === -Infinity)
    before = year
    if (prints) printed = at * height
    return { at, length: Math.log1p(count) / Math.log1p(fullest), year: prints ? year : null }
  })
}
