import { expect, test } from 'vitest'
import { mannerOf, Selection, span } from './selection.svelte'

const names = Array.from({ length: 20 }, (_, i) => `p${i}`)
const between = async (from: number, to: number) => names.slice(from, to)
const at = (s: Selection, i: number, manner: 'only' | 'toggle' | 'range') => s.select(i, names[i]!, manner, between)
const has = (s: Selection) => [...s.paths].sort((a, b) => names.indexOf(a) - names.indexOf(b))

test('a range goes both ways and shrinks again', async () => {
  const s = new Selection()
  await at(s, 5, 'only')
  await at(s, 8, 'range')
  expect(has(s)).toEqual(['p5', 'p6', 'p7', 'p8'])
  await at(s, 3, 'range')
  expect(has(s)).toEqual(['p3', 'p4', 'p5'])
})

test('toggle adds and takes away, only replaces', async () => {
  const s = new Selection()
  await at(s, 1, 'toggle')
  await at(s, 4, 'toggle')
  expect(has(s)).toEqual(['p1', 'p4'])
  await at(s, 1, 'toggle')
  expect(has(s)).toEqual(['p4'])
  await at(s, 9, 'only')
  expect(has(s)).toEqual(['p9'])
})

test('a range without a beginning selects one', async () => {
  const s = new Selection()
  await at(s, 7, 'range')
  expect(has(s)).toEqual(['p7'])
})

test('what was selected before a range stays', async () => {
  const s = new Selection()
  await at(s, 0, 'toggle')
  await at(s, 10, 'toggle')
  await at(s, 12, 'range')
  expect(has(s)).toEqual(['p0', 'p10', 'p11', 'p12'])
})

test('what comes after something else was done is not selected', async () => {
  const s = new Selection()
  await at(s, 2, 'only')
  let come = (_: string[]) => {}
  const range = s.select(9, names[9]!, 'range', () => new Promise((resolve) => (come = resolve)))
  s.clear()
  come(names.slice(2, 10))
  await range
  expect(has(s)).toEqual([])
  const all = s.all(new Promise((resolve) => (come = resolve)))
  await at(s, 4, 'only')
  come(names)
  await all
  expect(has(s)).toEqual(['p4'])
  await s.all(Promise.resolve(names))
  expect(s.size).toBe(20)
})

test('a path that comes after something else was done is not selected', async () => {
  const s = new Selection()
  let come = (_: string | undefined) => {}
  const coming = () => new Promise<string | undefined>((resolve) => (come = resolve))
  const cleared = s.select(3, coming(), 'toggle', between)
  s.clear()
  come('p3')
  await cleared
  expect(has(s)).toEqual([])
  const failed = s.select(3, coming(), 'toggle', between)
  come(undefined)
  await failed
  expect(has(s)).toEqual([])
  const loaded = s.select(3, coming(), 'toggle', between)
  come('p3')
  await loaded
  expect(has(s)).toEqual(['p3'])
})

test('a rubber band is not joined by what was asked for before', async () => {
  const s = new Selection()
  let come = (_: string[]) => {}
  const all = s.all(new Promise((resolve) => (come = resolve)))
  s.draw(new Set(), ['p1', 'p2'])
  come(names)
  await all
  expect(has(s)).toEqual(['p1', 'p2'])
})

test('a range that cannot be fetched leaves the last one', async () => {
  const s = new Selection()
  await at(s, 2, 'only')
  await at(s, 4, 'range')
  await s.select(9, names[9]!, 'range', async () => [])
  expect(has(s)).toEqual(['p2', 'p3', 'p4'])
})

test('a range begins at its picture, wherever that is now', async () => {
  const s = new Selection()
  await at(s, 5, 'only')
  await s.select(9, names[9]!, 'range', between, (path) => (path === 'p5' ? 8 : -1))
  expect(has(s)).toEqual(['p8', 'p9'])
})

test.each([[{ shiftKey: true, ctrlKey: true, metaKey: false }, 'range'], [{ shiftKey: false, ctrlKey: false, metaKey: true }, 'toggle'], [{ shiftKey: false, ctrlKey: false, metaKey: false }, 'only']] as const)(
  'keys %o', (keys, manner) => expect(mannerOf(keys)).toBe(manner),
)
test('span', () => expect(span(9, 4)).toEqual({ from: 4, to: 10 }))
