import { graphql, type FaceFragment } from "../api/graphql";
import { passes } from "../api/insist";
import { pauseOrOnline } from "../api/pause";
import { ApiError, request } from "../api/request";
import { session } from "../session/session.svelte";
import { fontFile } from "./server";

graphql(`
  fragment Face on Font {
    id
    family
    style
    weight
    isItalic
  }
`);
const Fonts = graphql(`
  query Fonts {
    installedFonts
    fonts {
      nodes {
        ...Face
      }
    }
  }
`);

type Families = { installed: readonly string[]; uploaded: FaceFragment[] };
const none = (): Families => ({ installed: [], uploaded: [] });
let families = $state.raw(none());
let asked: object | null = null;

/** The server's fonts, which are requested once until `forgetFonts`; empty until they have arrived. */
export function serverFonts(): Families {
  if (!asked) {
    const now = (asked = {});
    request(Fonts, {}).then(
      ({ installedFonts, fonts }) => {
        if (asked !== now) return;
        families = {
          installed: installedFonts ?? [],
          uploaded: fonts?.nodes ?? [],
        };
      },
      () => {
        if (asked === now) asked = null;
      },
    );
  }
  return families;
}

/** Discards the server's fonts: they have changed, or another person may see others. */
export function forgetFonts(): void {
  asked = null;
  families = none();
}
session.onLeave((forGood) => forGood && forgetFonts());

const faces = new Map<string, Promise<string>>();
/** Milliseconds after which a font that failed to download is requested again. */
const patience = 30_000;

/**
 * Makes the browser load an uploaded font. Returns its CSS family, which is unique to it; empty on
 * failure. A font that the browser rejects is not requested again.
 */
export function face(font: Pick<FaceFragment, "id">): Promise<string> {
  let loaded = faces.get(font.id);
  if (!loaded) {
    loaded = fontFile(font.id)
      .then((bytes) => new FontFace(font.id, bytes).load())
      .then(
        (one) => {
          document.fonts.add(one);
          return font.id;
        },
        (error: unknown) => {
          if (error instanceof ApiError && passes(error))
            void pauseOrOnline(patience).then(() => faces.delete(font.id));
          return "";
        },
      );
    faces.set(font.id, loaded);
  }
  return loaded;
}

/** The uploaded font of a family that is closest to the style of a text. */
export function closest(
  fonts: readonly FaceFragment[],
  family: string,
  style: string,
): FaceFragment | undefined {
  const weight = style.includes("bold") ? 700 : 400;
  const far = (font: FaceFragment) =>
    Math.abs(font.weight - weight) +
    (font.isItalic === style.includes("italic") ? 0 : 1000);
  return fonts
    .filter((font) => font.family.toLowerCase() === family.toLowerCase())
    .sort((a, b) => far(a) - far(b))[0];
}
