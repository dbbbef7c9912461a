/** The number of histogram bins. */
const bins = 64;

/**
 * The curves of red, green and blue as the points of polylines, 100 wide and 40 high. Transparent
 * pixels are ignored.
 */
export function histogram(pixels: Uint8ClampedArray): [string, string, string] {
  const counts = [0, 1, 2].map(() => new Float64Array(bins));
  for (let i = 0; i < pixels.length; i += 4)
    if (pixels[i + 3]! > 127)
      for (let band = 0; band < 3; band++)
        counts[band]![(pixels[i + band]! * bins) >> 8]! += 1;
  // A single full bin, for example from a white border, must not flatten the rest.
  const top = Math.max(
    1,
    ...counts.map((count) => [...count].sort((a, b) => b - a)[2]!),
  );
  return counts.map((count) =>
    [...count]
      .map(
        (n, i) =>
          `${((i / (bins - 1)) * 100).toFixed(1)},${(40 - 40 * Math.min(1, n / top)).toFixed(1)}`,
      )
      .join(" "),
  ) as [string, string, string];
}

/** The pixels of a picture, scaled down; null if it is from another origin or cannot be loaded. */
export async function pixelsOf(url: string): Promise<Uint8ClampedArray | null> {
  const image = new Image();
  image.src = url;
  try {
    await image.decode();
    const width = Math.min(256, image.naturalWidth);
    const height = Math.min(256, image.naturalHeight);
    const canvas = Object.assign(document.createElement("canvas"), {
      width,
      height,
    });
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context?.drawImage(image, 0, 0, width, height);
    return context?.getImageData(0, 0, width, height).data ?? null;
  } catch {
    return null;
  }
}
