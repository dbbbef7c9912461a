const eight = /^([0-9a-f]{6})([0-9a-f]{2})$/i;
const six = /^[0-9a-f]{6}$/i;

/** The alpha of a color, 0 to 255. Color names are opaque. */
export function alphaOf(color: string): number {
  const match = eight.exec(color);
  return match ? Number.parseInt(match[2]!, 16) : 255;
}

/** The color with another alpha, 0 to 255; null if its alpha cannot be written. */
export function withAlpha(color: string, alpha: number): string | null {
  const plain = eight.exec(color)?.[1] ?? (six.test(color) ? color : null);
  if (!plain) return null;
  return alpha >= 255 ? plain : plain + alpha.toString(16).padStart(2, "0");
}
