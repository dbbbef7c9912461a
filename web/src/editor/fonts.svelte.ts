import { graphql } from "../api/graphql";
import { request } from "../api/request";

const Fonts = graphql(`
  query Fonts {
    fonts
  }
`);

let fonts = $state.raw<readonly string[]>([]);
let asked = false;

/** The font families of the server, which are requested once; empty until the answer is here. */
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
