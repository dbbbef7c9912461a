type Rgb = { r: number; g: number; b: number };
export type Swatch = { color: string; share: number };

const part = (value: unknown) =>
  typeof value === "number" && value >= 0 && value <= 255
    ? Math.round(value).toString(16).padStart(2, "0")
    : null;

/** The colors of a palette as `/meta` answers it, the largest share first; what is no color is left out. */
export function swatches(palette: unknown): Swatch[] {
  if (!Array.isArray(palette)) return [];
  return palette.flatMap((one: Partial<Rgb & { share: number }> | null) => {
    const parts = [part(one?.r), part(one?.g), part(one?.b)];
    return parts.includes(null)
      ? []
      : [
          {
            color: `#${parts.join("")}`,
            share: typeof one?.share === "number" ? one.share : 0,
          },
        ];
  });
}

/** Coordinates as text that maps understand: degrees with five digits after the point, which are a meter. */
export const placeText = ({
  latitude,
  longitude,
}: {
  latitude: number;
  longitude: number;
}) => `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;

/** A signed address at the page's own origin: what another one answers cannot be read, and the signature is the same. */
export function ownAddress(url: string, origin: string): string {
  const { pathname, search } = new URL(url, origin);
  return pathname + search;
}
