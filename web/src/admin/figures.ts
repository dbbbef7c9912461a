/** The samples of a Prometheus answer, by name with labels. */
export type Samples = Map<string, number>

/** Reads the text format. Buckets of histograms are left out. */
export function readSamples(text: string): Samples {
  const samples: Samples = new Map()
  for (const line of text.split('\n')) {
    if (!line || line.startsWith('#') || line.includes('_bucket{')) continue
    const at = line.lastIndexOf(' ')
    samples.set(line.slice(0, at), Number(line.slice(at + 1)))
  }
  return samples
}

/** The sum of every sample of a name, with labels that contain a text. */
export function sum(samples: Samples, name: string, label = ''): number {
  let total = 0
  for (const [key, value] of samples) if ((key === name || key.startsWith(`${name}{`)) && key.includes(label)) total += value
  return total
}

export type Figures = { at: number; answers: number; milliseconds: number | null; hits: number | null; memory: number; waiting: number; stages: Record<string, number> }

const stages = ['queue', 'load', 'process', 'encode', 'write']

/** What happened between two looks, `seconds` apart. */
export function between(before: Samples, after: Samples, seconds: number, at: number): Figures {
  const grown = (name: string, label = '') => Math.max(0, sum(after, name, label) - sum(before, name, label))
  const images = grown('safelight_request_seconds_count', 'route="image"')
  const [hits, misses] = [grown('safelight_cache_hits_total'), grown('safelight_cache_misses_total')]
  return {
    at,
    answers: grown('safelight_requests_total') / seconds,
    milliseconds: images ? (grown('safelight_request_seconds_sum', 'route="image"') / images) * 1000 : null,
    hits: hits + misses ? (hits / (hits + misses)) * 100 : null,
    memory: sum(after, 'process_resident_memory_bytes'),
    waiting: sum(after, 'safelight_queue_depth'),
    stages: Object.fromEntries(stages.map((stage) => [stage, sum(after, 'safelight_stage_seconds_sum', `stage="${stage}"`)])),
  }
}

/** A line of values as the `points` of a polyline in a box; the tallest reaches the top. */
export function plot(values: readonly number[], width: number, height: number): string {
  const top = Math.max(...values, 1e-9)
  const step = width / Math.max(1, values.length - 1)
  return values.map((value, i) => `${Math.round(i * step * 10) / 10},${Math.round((height - (value / top) * (height - 2) - 1) * 10) / 10}`).join(' ')
}
