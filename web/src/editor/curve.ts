import { nameOfFilter } from "./filters";
import type { Operations } from "./operations";
import { splitArgs } from "./parse";

/** The channels that a curve can apply to; the first one means all channels. */
export const curveChannels = ["rgb", "r", "g", "b"] as const;
export type CurveChannel = (typeof curveChannels)[number];
/** x and y, 0 to 255. */
export type CurvePoint = readonly [x: number, y: number];

/** The maximum number of points that the server accepts. */
export const mostPoints = 8;

function channelOf(args: string[]): CurveChannel {
  const first = args[0]?.toLowerCase() as CurveChannel;
  return curveChannels.indexOf(first) > 0 ? first : "rgb";
}

const findCurve = (o: Operations, channel: CurveChannel) =>
  o.filters.findLastIndex(
    (filter) =>
      nameOfFilter(filter.name) === "curve" &&
      !filter.hidden &&
      channelOf(splitArgs(filter.args)) === channel,
  );

/** The points of a channel's curve in the order of x; empty if it has no curve. */
export function curveOf(o: Operations, channel: CurveChannel): CurvePoint[] {
  const at = findCurve(o, channel);
  if (at < 0) return [];
  const numbers = splitArgs(o.filters[at]!.args)
    .map(Number)
    .filter((n) => !Number.isNaN(n));
  return Array.from({ length: Math.floor(numbers.length / 2) }, (_, i) => [
    numbers[2 * i]!,
    numbers[2 * i + 1]!,
  ]);
}

/**
 * Sets the curve of a channel; a new one is placed where `add` puts it. Without points the curve is
 * removed.
 */
export function setCurve(
  o: Operations,
  channel: CurveChannel,
  points: CurvePoint[],
  add: (o: Operations, args: string) => Operations,
): Operations {
  const at = findCurve(o, channel);
  const args = [...(channel === "rgb" ? [] : [channel]), ...points.flat()].join(
    ",",
  );
  if (!points.length)
    return at < 0 ? o : { ...o, filters: o.filters.toSpliced(at, 1) };
  if (at < 0) return add(o, args);
  return { ...o, filters: o.filters.with(at, { ...o.filters[at]!, args }) };
}

const within = (n: number, low: number, high: number) =>
  Math.min(Math.max(Math.round(n), low), high);

/** The points after moving one of them, which stays between its neighbors. */
export function movePoint(
  points: CurvePoint[],
  at: number,
  x: number,
  y: number,
): CurvePoint[] {
  const low = at ? points[at - 1]![0] + 1 : 0;
  const high = at < points.length - 1 ? points[at + 1]![0] - 1 : 255;
  return points.with(at, [within(x, low, high), within(y, 0, 255)]);
}

/** The points with a new one, and its index; null if there is no room. */
export function addPoint(
  points: CurvePoint[],
  x: number,
  y: number,
): { points: CurvePoint[]; at: number } | null {
  const point: CurvePoint = [within(x, 0, 255), within(y, 0, 255)];
  if (
    points.length === mostPoints ||
    points.some(([other]) => other === point[0])
  )
    return null;
  const next = points.findIndex(([other]) => other > point[0]);
  const at = next < 0 ? points.length : next;
  return { points: points.toSpliced(at, 0, point), at };
}

/** The points and the ends of the curve, as the server uses them. */
function knotsOf(points: CurvePoint[]): CurvePoint[] {
  const knots = [...points];
  if (!knots.length || knots[0]![0] > 0) knots.unshift([0, 0]);
  if (knots.at(-1)![0] < 255) knots.push([255, 255]);
  return knots;
}

/** The x in the middle of the widest gap, where a new point has the most room. */
export function widestGap(points: CurvePoint[]): number {
  const knots = knotsOf(points);
  let best = 0;
  for (let i = 1; i < knots.length - 1; i++)
    if (knots[i + 1]![0] - knots[i]![0] > knots[best + 1]![0] - knots[best]![0])
      best = i;
  return Math.round((knots[best]![0] + knots[best + 1]![0]) / 2);
}

/** The curve's value at x as the server computes it: a monotone cubic (Fritsch and Carlson). */
export function lineOf(points: CurvePoint[]): (x: number) => number {
  const knots = knotsOf(points);
  const last = knots.length - 1;
  const width = (i: number) => knots[i + 1]![0] - knots[i]![0];
  const secants = Array.from(
    { length: last },
    (_, i) => (knots[i + 1]![1] - knots[i]![1]) / width(i),
  );
  const slopes = knots.map((_, i) => {
    if (i === 0 || i === last) return secants[i && i - 1]!;
    const [a, b] = [secants[i - 1]!, secants[i]!];
    return a * b > 0 ? (a + b) / 2 : 0;
  });
  secants.forEach((secant, i) => {
    if (!secant) return void (slopes[i] = slopes[i + 1] = 0);
    const length = Math.hypot(slopes[i]! / secant, slopes[i + 1]! / secant);
    if (length <= 3) return;
    slopes[i]! *= 3 / length;
    slopes[i + 1]! *= 3 / length;
  });
  return (x) => {
    const next = knots.findIndex(([other]) => other >= x);
    const i = Math.min(Math.max(next - 1, 0), last - 1);
    const t = (x - knots[i]![0]) / width(i);
    return (
      knots[i]![1] * (1 + 2 * t) * (1 - t) ** 2 +
      width(i) * slopes[i]! * t * (1 - t) ** 2 +
      knots[i + 1]![1] * t * t * (3 - 2 * t) +
      width(i) * slopes[i + 1]! * t * t * (t - 1)
    );
  };
}
