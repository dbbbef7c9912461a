import type { MetricsQuery } from "../api/graphql";

export type Hour = NonNullable<MetricsQuery["serverMetrics"]>;
export type Sample = Hour["samples"][number];
export type Stage = Sample["stages"][number]["stage"];

/** A server behind this URL, with its samples of the last hour. */
export type Heard = {
  instanceId: string;
  name: string;
  startedAt: string;
  samples: Sample[];
};

/** The period shown, in milliseconds. */
export const shown = 3_600_000;

/**
 * Adds a response to the known servers. Samples that are too old are dropped, and so are servers
 * without newer ones.
 */
export function heard(
  before: readonly Heard[],
  { server, samples }: Hour,
  now: number,
): Heard[] {
  const old = before.find((one) => one.instanceId === server.instanceId);
  const newest = old?.samples.at(-1)?.endedAt ?? "";
  const fresh = samples.filter(
    (sample) => Date.parse(sample.endedAt) > (newest ? Date.parse(newest) : 0),
  );
  const all = old
    ? before.map((one) =>
        one === old ? { ...one, samples: [...one.samples, ...fresh] } : one,
      )
    : [...before, { ...server, samples: fresh }];
  return all
    .map((one) => ({
      ...one,
      samples: one.samples.filter(
        (sample) => Date.parse(sample.endedAt) > now - shown,
      ),
    }))
    .filter(
      (one) => one.instanceId === server.instanceId || one.samples.length > 0,
    )
    .sort(
      (a, b) =>
        a.name.localeCompare(b.name) || a.startedAt.localeCompare(b.startedAt),
    );
}

/** A point of a plot; the value is null if nothing was measured, such as the mean of nothing. */
export type Point = { at: number; value: number | null };

/** The value of a sample in each plot. */
export const values = {
  answers: (one: Sample) => one.requests / one.seconds,
  milliseconds: (one: Sample) => one.imageMilliseconds ?? null,
  hits: (one: Sample) =>
    one.cacheHits + one.cacheMisses
      ? (one.cacheHits / (one.cacheHits + one.cacheMisses)) * 100
      : null,
  waiting: (one: Sample) => one.queued,
  running: (one: Sample) => one.running,
  memory: (one: Sample) => one.memoryBytes + one.workerMemoryBytes,
} as const satisfies Record<string, (one: Sample) => number | null>;

export const points = (
  samples: readonly Sample[],
  value: (one: Sample) => number | null,
): Point[] =>
  samples.map((one) => ({ at: Date.parse(one.endedAt), value: value(one) }));

/** The newest known value; null if there is none. */
export const latest = (all: readonly Point[]) =>
  all.findLast((point) => point.value !== null)?.value ?? null;

/** The largest value. */
export const peak = (all: readonly Point[]) =>
  Math.max(0, ...all.map((point) => point.value ?? 0));

const round = (n: number) => Math.round(n * 10) / 10;
const across = (at: number, end: number, width: number) =>
  round(width * (1 - (end - at) / shown));
/** The time without a sample, in milliseconds, above which a line has a gap. */
const gap = 45_000;

/**
 * Lines through points as the `d` of a path in a box. Its right edge is the time `end`, its left
 * edge an hour before, and its top the value `top`.
 */
export function line(
  all: readonly Point[],
  end: number,
  top: number,
  width: number,
  height: number,
): string {
  let path = "";
  let last: number | null = null;
  for (const { at, value } of all) {
    if (value === null) continue;
    const y = round(
      height - 1 - (Math.min(value, top) / (top || 1)) * (height - 2),
    );
    path += `${last === null || at - last > gap ? "M" : "L"}${across(at, end, width)} ${y}`;
    last = at;
  }
  return path;
}

export const stageNames = [
  "QUEUE",
  "LOAD",
  "PROCESS",
  "ENCODE",
  "SEND",
] as const satisfies readonly Stage[];

/** The total time spent in each stage, in seconds. */
export function spent(samples: readonly Sample[]): Record<Stage, number> {
  const sum: Record<Stage, number> = {
    QUEUE: 0,
    LOAD: 0,
    PROCESS: 0,
    ENCODE: 0,
    SEND: 0,
  };
  for (const sample of samples)
    for (const { stage, seconds } of sample.stages) sum[stage] += seconds;
  return sum;
}

/**
 * Stacked areas of the stages, as the `d` of a path each. Each column is one minute, because ten
 * seconds contain too few requests.
 */
export function stacked(
  samples: readonly Sample[],
  end: number,
  width: number,
  height: number,
): { stage: Stage; path: string }[] {
  const columns = 60;
  const minutes = Array.from({ length: columns }, () => spent([]));
  for (const sample of samples) {
    const column = Math.min(
      columns - 1,
      Math.max(
        0,
        columns -
          1 -
          Math.floor((end - Date.parse(sample.endedAt)) / (shown / columns)),
      ),
    );
    for (const { stage, seconds } of sample.stages)
      minutes[column]![stage] += seconds;
  }
  const top = Math.max(
    ...minutes.map((minute) =>
      Object.values(minute).reduce((a, b) => a + b, 0),
    ),
    1e-9,
  );
  const base = minutes.map(() => 0);
  return stageNames.map((stage) => {
    const bars = minutes.map((minute, i) => {
      const [from, to] = [base[i]!, base[i]! + minute[stage]];
      base[i] = to;
      const [x, next, low, high] = [
        (i / columns) * width,
        ((i + 0.8) / columns) * width,
        height - (from / top) * height,
        height - (to / top) * height,
      ].map(round) as [number, number, number, number];
      return low === high ? "" : `M${x} ${low}V${high}H${next}V${low}z`;
    });
    return { stage, path: bars.join("") };
  });
}
