import { expect, test } from "vitest";
import {
  heard,
  latest,
  line,
  peak,
  points,
  shown,
  spent,
  stacked,
  values,
  type Hour,
  type Sample,
} from "./figures";

const begin = Date.UTC(2026, 2, 4, 5);
const at = (seconds: number) => new Date(begin + seconds * 1000).toISOString();
const sample = (seconds: number, more: Partial<Sample> = {}): Sample => ({
  endedAt: at(seconds),
  seconds: 10,
  requests: 20,
  imageMilliseconds: null,
  cacheHits: 0,
  cacheMisses: 0,
  queued: 0,
  running: 0,
  maxRunning: 4,
  workers: 1,
  memoryBytes: 100,
  workerMemoryBytes: 50,
  stages: [
    { stage: "LOAD", seconds: 1 },
    { stage: "ENCODE", seconds: 3 },
  ],
  ...more,
});
const answer = (id: string, ...samples: Sample[]): Hour => ({
  server: { instanceId: id, name: `host-${id}`, startedAt: at(0) },
  cursor: "",
  intervalSeconds: 10,
  samples,
});

test("the samples of each server are kept apart, without duplicates", () => {
  let all = heard([], answer("b", sample(10), sample(20)), begin + 20_000);
  all = heard(all, answer("a", sample(20)), begin + 20_000);
  all = heard(all, answer("b", sample(20), sample(30)), begin + 30_000);
  expect(
    all.map((one) => [
      one.instanceId,
      one.samples.map(({ endedAt: when }) => Date.parse(when) - begin),
    ]),
  ).toEqual([
    ["a", [20_000]],
    ["b", [10_000, 20_000, 30_000]],
  ]);
});
test("samples older than an hour are dropped, and so are servers without newer ones", () => {
  const all = heard(
    heard([], answer("a", sample(10)), begin),
    answer("b", sample(10), sample(3620)),
    begin + 3620_000,
  );
  expect(all.map((one) => [one.instanceId, one.samples.length])).toEqual([
    ["b", 1],
  ]);
  expect(heard([], answer("new"), begin)).toHaveLength(1);
});
test("a sample is converted to a rate, a share, or null if nothing was measured", () => {
  expect(values.answers(sample(0))).toBe(2);
  expect(values.hits(sample(0))).toBeNull();
  expect(values.hits(sample(0, { cacheHits: 3, cacheMisses: 1 }))).toBe(75);
  expect(values.memory(sample(0))).toBe(150);
  const all = points(
    [
      sample(0, { imageMilliseconds: 30 }),
      sample(10, { imageMilliseconds: 50 }),
      sample(20),
    ],
    values.milliseconds,
  );
  expect([latest(all), peak(all), latest([]), peak([])]).toEqual([
    50,
    50,
    null,
    0,
  ]);
});
test("a line follows the time, and has gaps where a server was down", () => {
  const end = begin + shown;
  const all = [
    { at: begin, value: 0 },
    { at: begin + shown / 2, value: 10 },
    { at: begin + shown / 2 + 10_000, value: null },
    { at: begin + shown / 2 + 20_000, value: 5 },
  ];
  expect(line(all, end, 10, 360, 22)).toBe("M0 21M180 1L182 11");
  expect(line([{ at: begin, value: 0 }], end, 0, 360, 22)).toBe("M0 21");
});
test("stages are stacked, with one column per minute", () => {
  expect(spent([sample(0), sample(10)])).toEqual({
    QUEUE: 0,
    LOAD: 2,
    PROCESS: 0,
    ENCODE: 6,
    SEND: 0,
  });
  const areas = stacked([sample(3590), sample(3600)], begin + shown, 600, 40);
  expect(areas.map(({ stage, path }) => [stage, path])).toEqual([
    ["QUEUE", ""],
    ["LOAD", "M590 40V30H598V40z"],
    ["PROCESS", ""],
    ["ENCODE", "M590 30V0H598V30z"],
    ["SEND", ""],
  ]);
});
