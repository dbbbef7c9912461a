type Rgb = { r: number; g: number; b: number };
export type Swatch = { color: string; share: number };

const part = (value: unknown) =>
  typeof value === "number" && value >= 0 && value <= 255
    ? Math.round(value).toString(16).padStart(2, "0")
    : null;

/** The colors of the palette in a `/meta` response, largest share first. Invalid colors are omitted. */
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

/** Coordinates as text for map services: degrees with five decimals, which is accurate to a meter. */
export const placeText = ({
  latitude,
  longitude,
}: {
  latitude: number;
  longitude: number;
}) => `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;

/** A signed URL moved to the page's origin, whose responses the page can read. The signature stays valid. */
export function ownAddress(url: string, origin: string): string {
  const { pathname, search } = new URL(url, origin);
  return pathname + search;
}
