// Walks through the application in a real Chromium against a real server. Each journey has a server, a folder of pictures and a
// browser profile of its own, so that none depends on another. One more than there are processors run at a time, or JOBS of them,
// because half of the time a journey waits. Each has a browser of its own, because a browser has one clipboard.
//
// A journey fails on an error in the console, a report of the policy, a request to another host, or a finding of axe
// where it ends: visit.mjs. Names as arguments walk only those; what failed is in web/journeys.
import { availableParallelism } from "node:os";
import { access } from "./journeys/access.mjs";
import * as admin from "./journeys/admin.mjs";
import { albums, albumUndo } from "./journeys/albums.mjs";
import * as docs from "./journeys/docs.mjs";
import * as editor from "./journeys/editor.mjs";
import * as embed from "./journeys/embed.mjs";
import * as factors from "./journeys/factors.mjs";
import * as files from "./journeys/files.mjs";
import { fonts, fontsLeft } from "./journeys/fonts.mjs";
import { installed } from "./journeys/installed.mjs";
import * as guides from "./journeys/guides.mjs";
import { keysOnly, keysOnlyEditor } from "./journeys/keyboard.mjs";
import * as handsOff from "./journeys/handsoff.mjs";
import * as leaving from "./journeys/leaving.mjs";
import * as live from "./journeys/live.mjs";
import * as long from "./journeys/long.mjs";
import { firefox } from "./journeys/firefox.mjs";
import * as gallery from "./journeys/gallery.mjs";
import * as corners from "./journeys/corners.mjs";
import * as maps from "./journeys/map.mjs";
import * as offline from "./journeys/offline.mjs";
import * as pages from "./journeys/pages.mjs";
import * as planted from "./journeys/planted.mjs";
import { roles } from "./journeys/roles.mjs";
import { scrub } from "./journeys/scrub.mjs";
import * as search from "./journeys/search.mjs";
import * as selecting from "./journeys/selecting.mjs";
import { services } from "./journeys/services.mjs";
import * as session from "./journeys/session.mjs";
import * as everyday from "./journeys/everyday.mjs";
import { feedback } from "./journeys/feedback.mjs";
import { share } from "./journeys/share.mjs";
import { mail } from "./journeys/mail.mjs";
import { signInLibrary, signInRefused } from "./journeys/signin.mjs";
import * as slides from "./journeys/slides.mjs";
import {
  exportSizes,
  sizeOfItsOwn,
  templateCrop,
  templateForSelection,
  templateForTen,
  textOfOneSize,
  variablesForSelection,
} from "./journeys/ten.mjs";
import * as tones from "./journeys/tone.mjs";
import * as uploads from "./journeys/uploads.mjs";
import * as versions from "./journeys/versions.mjs";
import * as viewer from "./journeys/viewer.mjs";
import * as undo from "./journeys/undo.mjs";
import { out, visit } from "./journeys/visit.mjs";
import { webhooks } from "./journeys/webhooks.mjs";
import { paintDemo, startBrowser, startOnce, startServer } from "./server.mjs";

const { longList } = long;
const {
  upload200,
  uploadVisitor,
  uploadReopened,
  uploadFinishes,
  uploadSame,
  uploadLeaving,
  uploadArrived,
} = uploads;
// The longest are the first, so that at the end none runs alone.
const journeys = {
  ...pages,
  roles,
  feedback,
  share,
  access,
  albums,
  albumUndo,
  keysOnly,
  keysOnlyEditor,
  ...session,
  signInLibrary,
  signInRefused,
  factors: factors.factors,
  passkeyAlone: factors.passkeyAlone,
  factorRequired: factors.factorRequired,
  ...leaving,
  ...selecting,
  ...gallery,
  ...files,
  fonts,
  fontsLeft,
  installed,
  upload200,
  uploadVisitor,
  uploadReopened,
  uploadFinishes,
  uploadSame,
  uploadLeaving,
  uploadArrived,
  ...offline,
  ...undo,
  ...everyday,
  ...corners,
  longList,
  ...search,
  map: maps.map,
  mapAsksAgain: maps.mapAsksAgain,
  searchPlaces: maps.searchPlaces,
  scrub,
  ...handsOff,
  ...live,
  ...viewer,
  ...slides,
  ...editor,
  ...tones,
  templateForTen,
  exportSizes,
  sizeOfItsOwn,
  textOfOneSize,
  templateCrop,
  templateForSelection,
  variablesForSelection,
  ...guides,
  ...versions,
  ...embed,
  ...admin,
  webhooks,
  mail,
  ...docs,
  services,
  firefox,
  ...planted,
};
const only = process.argv.slice(2);

// Those that do not say who is logged in are walked as the administrator, or with WEB_ROLE=user as a person without that role.
const role = process.env.WEB_ROLE ?? "admin";

/**
 * Walks one. `as` is the role that is logged in, "admin" or "user", null for nobody; `server` and `tab` are options of both; the first
 * may be made when it starts. `whole` asks for a browser of its own, Chromium with all its parts.
 */
async function walk(shared, demo, name, journey) {
  const {
    as = role,
    server: given = {},
    tab = {},
    whole = false,
    walk: steps,
  } = typeof journey === "function" ? { walk: journey } : journey;
  const wanted = typeof given === "function" ? await given() : given;
  let server, browser;
  try {
    browser = whole ? await startBrowser({ whole }) : shared;
    server = await startServer({ demo, ...wanted });
    const session =
      wanted.env?.SAFELIGHT_ADMIN_PASSWORD === "" ? null : await server.login();
    if (session) await server.indexed(session);
    const kept = (page) =>
      page.screenshot({ path: `${out}${name}.png`, timeout: 10_000 });
    await visit(
      browser,
      server,
      {
        session: as === "user" ? await server.join(session) : as && session,
        tab,
        options: wanted,
        kept,
      },
      steps,
    );
    demo.unchanged();
  } catch (error) {
    throw new Error(
      `${error.message}\n  server: ${server?.output().trim().split("\n").slice(-8).join("\n  ")}`,
      { cause: error },
    );
  } finally {
    if (whole) await browser?.close();
    await server?.stop();
    wanted.end?.(); // or what it started would keep node from ending
  }
}

const unknown = only.filter((name) => !journeys[name]);
if (unknown.length)
  throw new Error(
    `no journey ${unknown.join(", ")}, expected ${Object.keys(journeys).join(", ")}`,
  );
const demo = await startOnce(await paintDemo());
const began = Date.now();
const seconds = (since) => ((Date.now() - since) / 1000).toFixed(1);
const wanted = only.length ? only : Object.keys(journeys);
// What scrolls and measures where pictures stand, frame by frame, has the machine for itself.
const measuring = new Set(["longList", "scrub"]);
let failed = [];

// An error that nobody waited for, as of a server of a journey or of a promise that was given up, fails the journeys that run then.
// Node would end at the first, and with it all others.
const running = new Map();
let strays = 0; // that came while none ran
for (const event of ["unhandledRejection", "uncaughtException"])
  process.on(event, (error) => {
    console.log(
      `${event} during ${[...running.keys()].join(", ") || "no journey"}\n${error?.stack ?? error}`,
    );
    if (!running.size) strays++;
    for (const stray of running.values()) stray.push(error);
  });

/** Walks journeys, one after the other, in one browser. */
async function worker(waiting) {
  const browser = await startBrowser().catch((error) => {
    // A machine on which it does not start says nothing about the application.
    console.log(
      `SKIP  all journeys: Chromium does not start: ${error.message.split("\n")[0]}`,
    );
    return null;
  });
  if (!browser) return;
  try {
    for (let name = waiting.shift(); name; name = waiting.shift()) {
      const start = Date.now();
      const stray = [];
      running.set(name, stray);
      try {
        await walk(browser, demo, name, journeys[name]);
        if (stray.length)
          throw new Error(
            `an error that nobody waited for, of this journey or of one beside it: ${stray[0]?.message ?? stray[0]}`,
            { cause: stray[0] },
          );
        console.log(`ok    ${name} (${seconds(start)} s)`);
      } catch (error) {
        failed.push(name);
        console.log(
          `FAIL  ${name} (${seconds(start)} s)\n${error.stack}\n${error.cause?.stack ?? ""}`,
        );
      } finally {
        running.delete(name);
      }
    }
  } finally {
    await browser.close();
  }
}

try {
  const others = wanted.filter((name) => !measuring.has(name));
  await Promise.all(
    Array.from(
      { length: Number(process.env.JOBS ?? availableParallelism() + 1) },
      () => worker(others),
    ),
  );
  await worker(wanted.filter((name) => measuring.has(name)));
  // Beside others, on two cores, a page may take longer than a step waits. A fault fails when it has the machine for itself, too.
  const again = failed;
  failed = [];
  if (again.length) console.log(`again, alone: ${again.join(", ")}`);
  await worker([...again]);
} finally {
  demo.remove();
}
console.log(
  `${failed.length ? `failed twice: ${failed.join(", ")}` : "the journeys are done"} after ${seconds(began)} s`,
);
process.exitCode = failed.length || strays ? 1 : 0;
