import { expect, test } from 'vitest'
import { between, plot, readSamples, sum } from './figures'

const text = (n: number) => `# HELP x
safelight_requests_total{route="image",status="200"} ${10 * n}
safelight_requests_total{route="/a b",status="404"} ${n}
safelight_request_seconds_bucket{route="image",le="1"} 99
safelight_request_seconds_sum{route="image"} ${n}
safelight_request_seconds_count{route="image"} ${4 * n}
safelight_cache_hits_total{tier="memory"} ${3 * n}
safelight_cache_misses_total ${n}
safelight_stage_seconds_sum{stage="encode"} 2.5
process_resident_memory_bytes 1.5e+08
safelight_queue_depth 2
`
test('samples are read with their labels', () => {
  const samples = readSamples(text(1))
  expect(sum(samples, 'safelight_requests_total')).toBe(11)
  expect(sum(samples, 'safelight_requests_total', 'status="404"')).toBe(1)
  expect(sum(samples, 'safelight_request_seconds')).toBe(0)
})
test('figures are what grew', () => {
  expect(between(readSamples(text(1)), readSamples(text(3)), 2, 7)).toMatchObject({ at: 7, answers: 11, milliseconds: 250, hits: 75, memory: 150_000_000, waiting: 2, stages: { encode: 2.5, load: 0 } })
  expect(between(readSamples(text(3)), readSamples(text(1)), 2, 7)).toMatchObject({ answers: 0, milliseconds: null, hits: null })
})
test('a plot reaches from bottom to top', () => {
  expect(plot([0, 10, 5], 100, 22)).toBe('0,21 50,1 100,11')
  expect(plot([0], 100, 22)).toBe('0,21')
})
