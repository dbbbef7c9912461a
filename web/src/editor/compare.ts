import {
  differenceOf,
  similarity,
  tilesOf,
  type Difference,
  type Similarity,
} from "./difference";

/**
 * Compares two pictures of the same size as this browser decodes them; null if it cannot decode
 * one, the sizes differ, or `signal` aborts.
 */
export async function compare(
  reference: Blob,
  other: Blob,
  signal: AbortSignal,
): Promise<Difference | null> {
  const bitmaps = await Promise.all([
    createImageBitmap(reference),
    createImageBitmap(other),
  ]).catch(() => null);
  if (!bitmaps) return null;
  const [a, b] = bitmaps;
  try {
    if (a.width !== b.width || a.height !== b.height) return null;
    const parts: Similarity[] = [];
    for (const tile of tilesOf(a)) {
      const canvas = new OffscreenCanvas(tile.width, tile.height);
      const context = canvas.getContext("2d", { willReadFrequently: true })!;
      const read = (bitmap: ImageBitmap) => {
        context.clearRect(0, 0, tile.width, tile.height);
        context.drawImage(bitmap, -tile.x, -tile.y);
        return context.getImageData(0, 0, tile.width, tile.height);
      };
      parts.push(similarity(read(a), read(b)));
      // One tile at a time, so that the page stays responsive.
      await new Promise((resolve) => setTimeout(resolve));
      if (signal.aborted) return null;
    }
    return differenceOf(parts);
  } finally {
    a.close();
    b.close();
  }
}
