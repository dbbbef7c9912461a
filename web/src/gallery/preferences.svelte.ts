export type View = "justified" | "square" | "list";
type Kept = { view: View; size: number; open: string[] };

const place = "safelight.gallery";

/** The gallery's display settings in this browser. */
class Preferences {
  view = $state<View>("justified");
  /** The height of a row, or the side of a square, in pixels. */
  size = $state(200);
  /** The expanded folders of the tree. */
  open = $state<string[]>([]);

  constructor() {
    try {
      const kept = JSON.parse(
        localStorage.getItem(place) ?? "{}",
      ) as Partial<Kept>;
      if (kept.view && ["justified", "square", "list"].includes(kept.view))
        this.view = kept.view;
      if (typeof kept.size === "number")
        this.size = Math.min(maxSize, Math.max(minSize, kept.size));
      if (Array.isArray(kept.open))
        this.open = kept.open
          .filter((path) => typeof path === "string")
          .slice(0, 200);
    } catch {
      // the stored value is not valid: use the defaults
    }
  }

  keep(): void {
    localStorage.setItem(
      place,
      JSON.stringify({
        view: this.view,
        size: this.size,
        open: this.open,
      } satisfies Kept),
    );
  }
}

export const minSize = 96;
export const maxSize = 400;
export const preferences = new Preferences();
