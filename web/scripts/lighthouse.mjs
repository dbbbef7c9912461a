// Asks Lighthouse about the gallery and the editor, logged in, in Chromium against the real server. Accessibility and best practices
// have to reach 95; --performance adds performance, as the median of five, which is only reported.
import lighthouse from "lighthouse";
import puppeteer from "puppeteer-core";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromiumOptions, paintDemo, startServer } from "./server.mjs";

const minScore = 95;
const runs = process.argv.includes("--performance") ? 5 : 0;
const out = fileURLToPath(new URL("../journeys/", import.meta.url));
const pages = {
  gallery: "/f/demo/landscapes",
  editor: "/edit/demo/landscapes/dawn.jpg",
};

const demo = await paintDemo();
const server = await startServer({ demo });
const session = await server.login();
await server.indexed(session);
const browser = await puppeteer.launch(chromiumOptions).catch((error) => {
  // A machine on which it does not start says nothing about the application.
  console.log(
    `SKIP  Lighthouse: Chromium does not start: ${error.message.split("\n")[0]}`,
  );
  return null;
});

/** Asks about one page; `only` names the categories. */
async function ask(address, only, formFactor) {
  const page = await browser.newPage();
  await page.goto(`${server.url}/login`);
  await page.evaluate(
    (text) => localStorage.setItem("safelight.session", text),
    JSON.stringify(session),
  );
  const desktop = formFactor === "desktop" && {
    screenEmulation: {
      mobile: false,
      width: 1350,
      height: 940,
      deviceScaleFactor: 1,
      disabled: false,
    },
  };
  const { lhr } = await lighthouse(
    server.url + address,
    {
      onlyCategories: only,
      formFactor,
      disableStorageReset: true,
      logLevel: "error",
      ...desktop,
    },
    undefined,
    page,
  );
  await page.close();
  if (!new URL(lhr.finalDisplayedUrl).pathname.startsWith(address))
    throw new Error(`${address} led to ${lhr.finalDisplayedUrl}`);
  if (lhr.runtimeError)
    throw new Error(`${address}: ${lhr.runtimeError.message}`);
  return lhr;
}
const score = (lhr, category) =>
  Math.round(lhr.categories[category].score * 100);

let failed = false;
try {
  for (const [name, address] of browser ? Object.entries(pages) : []) {
    const lhr = await ask(
      address,
      ["accessibility", "best-practices"],
      "mobile",
    );
    const scores = ["accessibility", "best-practices"].map((category) =>
      score(lhr, category),
    );
    const good = scores.every((one) => one >= minScore);
    console.log(
      `${good ? "ok   " : "FAIL "} ${name}: accessibility ${scores[0]}, best practices ${scores[1]}`,
    );
    if (!good) {
      failed = true;
      mkdirSync(out, { recursive: true });
      writeFileSync(
        `${out}lighthouse-${name}.json`,
        JSON.stringify(lhr, null, 2),
      );
    }
    for (const audit of Object.values(lhr.audits))
      if (audit.score !== null && audit.score < 1 && !good)
        console.log(`      ${audit.id}: ${audit.title}`);
    for (const formFactor of runs ? ["mobile", "desktop"] : []) {
      const found = [];
      for (let i = 0; i < runs; i++) {
        const { audits, ...rest } = await ask(
          address,
          ["performance"],
          formFactor,
        );
        found.push({
          score: score(rest, "performance"),
          lcp: audits["largest-contentful-paint"].numericValue,
          tbt: audits["total-blocking-time"].numericValue,
          cls: audits["cumulative-layout-shift"].numericValue,
        });
      }
      const median = (key) =>
        found.map((one) => one[key]).sort((a, b) => a - b)[runs >> 1];
      console.log(
        `      ${name}, ${formFactor}: performance ${median("score")} (${found.map((one) => one.score).join(" ")}), largest paint ${Math.round(median("lcp"))} ms, blocked ${Math.round(median("tbt"))} ms, shift ${median("cls").toFixed(3)}`,
      );
    }
  }
} finally {
  await browser?.close();
  await server.stop();
  demo.remove();
}
process.exitCode = failed ? 1 : 0;
