import { graphql, type FaceFragment } from "../api/graphql";
import { request } from "../api/request";
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
let families = $state.raw<Families>({ installed: [], uploaded: [] });
let asked = false;

/** The fonts of the server, which are requested once; empty until the answer is here. */
export function serverFonts(): Families {
  if (!asked) {
    asked = true;
    request(Fonts, {}).then(
      ({ installedFonts, fonts }) =>
        (families = {
          installed: installedFonts ?? [],
          uploaded: fonts?.nodes ?? [],
        }),
      () => (asked = false),
    );
  }
  return families;
}

const faces = new Map<string, Promise<string>>();

/** Has the browser load an uploaded font. Returns its family in CSS, which no other font has; empty if it fails. */
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
        () => {
          faces.delete(font.id);
          return "";
        },
      );
    faces.set(font.id, loaded);
  }
  return loaded;
}

/** The uploaded font of a family that comes closest to the style of a text. */
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
