/** The possible times per picture of a slideshow, in seconds. */
export const intervals = [3, 5, 10, 20, 60] as const;
export type Slides = { seconds: number; repeat: boolean };

const place = "safelight.slideshow";

/** Loads the slideshow settings of this browser. */
export function keptSlides(
  storage: Pick<Storage, "getItem"> = localStorage,
): Slides {
  try {
    const { seconds, repeat } = JSON.parse(
      storage.getItem(place) ?? "{}",
    ) as Partial<Slides>;
    return {
      seconds: (intervals as readonly number[]).includes(seconds as number)
        ? seconds!
        : 5,
      repeat: repeat === true,
    };
  } catch {
    return { seconds: 5, repeat: false };
  }
}

/** Stores the slideshow settings. */
export function keepSlides(
  slides: Slides,
  storage: Pick<Storage, "setItem"> = localStorage,
): void {
  storage.setItem(place, JSON.stringify(slides));
}

/**
 * The index of the next picture of a slideshow; null at its end, and after -1, which means that the
 * current one is not in the list.
 */
export function nextSlide(
  index: number,
  count: number,
  repeat: boolean,
): number | null {
  if (index < 0 || count < 1) return null;
  if (index + 1 < count) return index + 1;
  return repeat && count > 1 ? 0 : null;
}
