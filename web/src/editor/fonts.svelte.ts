import { graphql } from "../api/graphql";
import { request } from "../api/request";

const Fonts = graphql(`
  query Fonts {
    fonts
  }
`);

let fonts = $state.raw<readonly string[]>([]);
let asked = false;

/** The families of fonts that the server has, which it is asked for once; empty until it answers. */
export function installedFonts(): readonly string[] {
  if (!asked) {
    asked = true;
    request(Fonts, {}).then(
      (answer) => (fonts = answer.fonts ?? []),
      () => (asked = false),
    );
  }
  return fonts;
}
