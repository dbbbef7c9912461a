// What the main thread of a page does in each frame, from a trace of Chromium.

// What runs scripts, at the top of the stack of the main thread.
const scripts = new Set([
  "FireAnimationFrame",
  "EventDispatch",
  "TimerFire",
  "FunctionCall",
  "EvaluateScript",
  "RunMicrotasks",
  "v8.callFunction",
]);
const categories = [
  "devtools.timeline",
  "disabled-by-default-devtools.timeline",
  "toplevel",
];

/**
 * Traces the page while `work` runs. Milliseconds of script in each frame, by the clock of the thread (`cpu`, which other programs of the
 * machine do not lengthen) and by that of the wall, from one frame to the next, how many tasks took 50 ms of the thread, and how long the
 * longest took of it.
 */
export async function trace(browser, page, work) {
  await browser.startTracing(page, { categories });
  await work();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  return framesOf(traceEvents);
}

/** The same, of events that are here. */
export function framesOf(events) {
  const painted = events.filter(({ name }) => name === "PrePaint");
  // The main thread that draws the page is the one with most frames.
  const threads = new Map();
  for (const event of painted)
    threads.set(threadOf(event), (threads.get(threadOf(event)) ?? 0) + 1);
  const [main] = [...threads].sort((a, b) => b[1] - a[1])[0] ?? [];
  const starts = painted
    .filter((event) => threadOf(event) === main)
    .map(({ ts }) => ts)
    .sort((a, b) => a - b);
  const cpu = new Float64Array(Math.max(0, starts.length - 1));
  const wall = cpu.slice();
  let [until, frame] = [0, 0];
  const timed = events.filter(
    (event) => event.ph === "X" && threadOf(event) === main,
  );
  for (const { name, ts, dur, tdur } of timed.sort(
    (a, b) => a.ts - b.ts || b.dur - a.dur,
  )) {
    if (!scripts.has(name) || ts < until) continue; // inside of another one
    until = ts + dur;
    while (frame < cpu.length && starts[frame + 1] <= ts) frame++;
    if (ts < starts[0] || frame >= cpu.length) continue;
    cpu[frame] += (tdur ?? dur) / 1000;
    wall[frame] += dur / 1000;
  }
  const tasks = timed
    .filter(({ name }) => name === "RunTask")
    .map(({ dur, tdur }) => (tdur ?? dur) / 1000);
  return {
    frames: cpu.length,
    cpu,
    wall,
    between: starts.slice(1).map((start, i) => (start - starts[i]) / 1000),
    tasks: tasks.filter((ms) => ms > 50).length,
    longest: Math.max(0, ...tasks),
  };
}
const threadOf = ({ pid, tid }) => `${pid} ${tid}`;

/** The value below which a part of the values is, from 0 to 1; 0 of no values. */
export function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return (
    sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0
  );
}

/** Median, 95th and 99th percentile and the maximum in milliseconds. */
export function summary(values) {
  const at = (part) => quantile(values, part).toFixed(1);
  return `median ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, max ${at(1)} ms`;
}
