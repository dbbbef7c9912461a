// Pictures of every page in dark, light and on a phone, to be looked at: web/screenshots/NAME-KIND.png. With --documents, only those
// that the documentation shows, as docs/images/NAME.webp, and its animation. PICTURES is a folder of pictures to show besides the demo's.
// With LANGUAGES=de,ja, in these languages instead, light and on a phone: NAME-KIND-de.png.
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { animate } from "./animation.mjs";
import { mailPages, pages } from "./pages.mjs";
import { withMail } from "./journeys/mail.mjs";
import { openTab, settled } from "./journeys/tab.mjs";
import { understandEnglish } from "./spoken.mjs";
import { paintDemo, run, startBrowser, startServer } from "./server.mjs";

const out = fileURLToPath(new URL("../screenshots/", import.meta.url));
const images = fileURLToPath(new URL("../../docs/images/", import.meta.url));
const forDocuments = process.argv[2] === "--documents";
const only = forDocuments ? undefined : process.argv[2];

/** The pages that the documentation shows, by the name of the picture. */
const documents = {
  gallery: "library",
  album: "album",
  picture: "info",
  editor: "editorLayers",
  crop: "editorCrop",
  health: "health",
  share: "share",
  "share-dialog": "shareDialog",
  feedback: "feedback",
  "mail-share": "mailShare",
};
mkdirSync(out, { recursive: true });

const kinds = {
  dark: { viewport: { width: 1440, height: 900 }, colorScheme: "dark" },
  light: { viewport: { width: 1440, height: 900 }, colorScheme: "light" },
  phone: {
    viewport: { width: 390, height: 844 },
    colorScheme: "dark",
    deviceScaleFactor: 2,
    hasTouch: true,
    isMobile: true,
  },
};

const languages = process.env.LANGUAGES?.split(",");
const tabs = Object.entries(kinds).flatMap(([kind, options]) =>
  languages
    ? languages
        .filter(() => kind !== "dark")
        .map((language) => [
          `${kind}-${language}`,
          { ...options, locale: language },
          language,
        ])
    : [[kind, options]],
);

const demo = await paintDemo();
const mail = await withMail();
const server = await startServer({
  demo,
  samples: true,
  pictures: process.env.PICTURES ?? "",
  args: mail.args,
});
const browser = await startBrowser();
const said = [];
try {
  for (const [kind, options, language] of tabs) {
    if (forDocuments && kind !== "dark") continue;
    const inside = await openTab(browser, server, {
      ...options,
      session: await server.login(),
    });
    const outside = await openTab(browser, server, options);
    for (const { page } of [inside, outside]) {
      if (language) understandEnglish(page, language);
      await page.goto(`${server.url}/login`);
    }
    for (const [name, one] of Object.entries({ ...pages, ...mailPages })) {
      if (only && !only.split(",").includes(name)) continue;
      const shown = Object.entries(documents).find(([, of]) => of === name);
      if (forDocuments && !shown) continue;
      const { page } = one.guest ? outside : inside;
      await page.evaluate(
        (view) =>
          localStorage.setItem(
            "safelight.gallery",
            JSON.stringify({ view, size: 200 }),
          ),
        one.view ?? "justified",
      );
      await page.goto(server.url + one.path);
      await settled(page);
      // A step that finds nothing in another language is told; the others go on.
      await one.do?.(page).catch((error) => {
        if (!language) throw error;
        said.push(`${name}-${kind}: ${error.message.split("\n")[0]}`);
      });
      await settled(page, 20);
      const file = `${out}${name}-${kind}.png`;
      await page.screenshot({ path: file });
      if (forDocuments)
        await run(
          server.data,
          "process",
          "filters:quality(75)",
          file,
          `${images}${shown[0]}.webp`,
        );
    }
    if (forDocuments) {
      const { page } = inside;
      await page.setViewportSize({ width: 1120, height: 700 });
      await page.goto(server.url + pages.editorSize.path);
      await animate(page, server, `${images}editing.webp`);
    }
    said.push(
      ...[...inside.wrong, ...outside.wrong].map((text) => `${kind}: ${text}`),
    );
    await outside.context.close();
    await inside.context.close();
  }
} finally {
  await browser.close();
  await server.stop();
  mail.end();
  demo.remove();
}
for (const line of new Set(said)) console.log(line);
