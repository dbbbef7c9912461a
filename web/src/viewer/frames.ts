/** Milliseconds for which browsers show a frame of 10 ms or less. */
const shortest = 100;

/** The duration of each frame of an animated WebP in milliseconds; empty for anything else. */
export function frameDurations(bytes: Uint8Array): number[] {
  const durations: number[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const name = (at: number) =>
    String.fromCharCode(...bytes.subarray(at, at + 4));
  if (bytes.length < 12 || name(0) !== "RIFF" || name(8) !== "WEBP")
    return durations;
  for (let at = 12; at + 8 <= bytes.length;) {
    const length = view.getUint32(at + 4, true);
    if (name(at) === "ANMF" && at + 24 <= bytes.length) {
      const duration = view.getUint32(at + 8 + 12, true) & 0xffffff;
      durations.push(duration <= 10 ? shortest : duration);
    }
    at += 8 + length + (length % 2);
  }
  return durations;
}

/**
 * The number of the frame, from 1, that a looping animation shows after some milliseconds. Encoders
 * merge equal frames, so there may be fewer durations than frames; the frame then follows from the
 * share of the total time.
 */
export function frameAt(
  durations: readonly number[],
  frames: number,
  elapsed: number,
): number {
  const all = durations.reduce((sum, one) => sum + one, 0);
  if (all <= 0 || frames < 1) return 1;
  const now = elapsed % all;
  if (durations.length !== frames)
    return Math.min(frames, Math.floor((now / all) * frames) + 1);
  let end = 0;
  return durations.findIndex((one) => now < (end += one)) + 1 || frames;
}
