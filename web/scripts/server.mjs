// Starts bin/safelight on a free port over a temporary folder, and a browser to look at it.
import { spawn } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";
import { chromium } from "playwright-core";

const root = fileURLToPath(new URL("../..", import.meta.url));
export const binary = process.env.WEB_BINARY ?? join(root, "bin/safelight");
export const password = "only-for-this-run";

/** Runs a program to its end. */
function execute(program, ...args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: "inherit" });
    child.on("error", reject);
    child.on("exit", (code) =>
      code
        ? reject(new Error(`${program} ${args.join(" ")}: ${code}`))
        : resolve(),
    );
  });
}

/** Runs a command of the binary to its end. */
export const run = (data, ...args) => execute(binary, ...args, "--data", data);

/**
 * Fills the index of a new server with files that are not there; scripts/seed says which. With `WEB_SEEDS`, a folder, what was made
 * is kept there for the next time: a million files take 40 s of a processor, and a copy of them one.
 */
async function seed(data, files, start) {
  for (let i = 0; i * 500 < files; i++)
    mkdirSync(join(data, "files/library", `f${String(i).padStart(4, "0")}`), {
      recursive: true,
    });
  const kept =
    process.env.WEB_SEEDS && join(process.env.WEB_SEEDS, String(files));
  if (kept && existsSync(kept)) return cpSync(kept, data, { recursive: true });
  const { child, ended } = await start(); // makes the tables
  child.kill();
  await ended;
  await execute(
    process.env.WEB_SEED ?? join(root, "bin/seed"),
    join(data, "safelight.db"),
    String(files),
  );
  if (!kept) return;
  const half = `${kept}.${process.pid}`; // a copy that was interrupted is not used
  mkdirSync(half, { recursive: true });
  for (const name of ["safelight.db", "keys.json"])
    copyFileSync(join(data, name), join(half, name));
  renameSync(half, kept);
}

/** Paints the sample pictures once, for many servers. */
export async function paintDemo() {
  const data = mkdtempSync(join(tmpdir(), "safelight-demo-"));
  await run(data, "demo");
  return {
    folder: join(data, "files"),
    remove: () => rmSync(data, { recursive: true, force: true }),
  };
}

/** A copy of a folder whose files are the same ones: an index that knows those finds them unchanged. */
function linkTree(from, to) {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkTree(source, target);
    else linkSync(source, target);
  }
}

// What tells of a file whether somebody has written to it.
const fingerprint = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => [name, statSync(join(folder, name))])
    .filter(([, stat]) => stat.isFile())
    .map(([name, { size, mtimeMs }]) => `${name} ${size} ${mtimeMs}`)
    .sort()
    .join("\n");

/**
 * Lets a server make its tables, its administrator and the index of the sample pictures once, for many servers: `startServer` goes on
 * from there, which saves a second of CPU each time. The pictures of all those servers are the same files: whoever changes one has to
 * replace it. `unchanged` throws after somebody has written to one. Those with something to prepare begin with copies.
 */
export async function startOnce(demo) {
  const server = await startServer({ demo });
  await server.indexed(await server.login());
  const data = mkdtempSync(join(tmpdir(), "safelight-demo-"));
  await server.stop({
    keep: (folder) => renameSync(folder, join(data, "data")),
  });
  const begun = join(data, "data");
  const before = fingerprint(join(begun, "files"));
  return {
    ...demo,
    begun,
    unchanged() {
      if (fingerprint(join(begun, "files")) !== before)
        throw new Error(
          "this journey, or one beside it, has changed a sample picture of all",
        );
    },
    remove() {
      demo.remove();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/**
 * Starts a server over a new folder with the pictures of `demo`, or none. `samples` puts some of them into Journeys/Norway too,
 * or those of the folder `pictures`. `prepare` gets the folder before the server sees it. `files` is a number of files that only
 * the index has, beside the pictures of `demo`, which it has not. `through` gets the address of the server and gives that of something
 * between it and the browser, with a way to close it.
 */
export async function startServer({
  demo = null,
  samples = false,
  pictures = "",
  prepare = null,
  files: seeded = 0,
  through = null,
  env = {},
  args = [],
} = {}) {
  const data = mkdtempSync(join(tmpdir(), "safelight-web-"));
  const files = join(data, "files");
  // What is prepared may be a sample picture, and another database knows none.
  const begun =
    !seeded && !prepare && !args.includes("--database") && demo?.begun;
  if (begun) {
    for (const name of ["safelight.db", "keys.json", "database.json"])
      copyFileSync(join(begun, name), join(data, name));
    linkTree(join(begun, "files"), files);
  } else if (demo) cpSync(demo.folder, files, { recursive: true });
  if (samples)
    cpSync(
      existsSync(pictures) ? pictures : join(files, "demo", "landscapes"),
      join(files, "Journeys", "Norway"),
      { recursive: true },
    );
  prepare?.(files);
  const start = (port = 0) =>
    startProcess(
      [
        "--listen",
        `127.0.0.1:${port}`,
        "--data",
        data,
        // The index knows files that do not exist.
        ...(seeded ? ["--scan-interval", "0", "--allow-new-storage"] : []),
        ...args,
      ],
      env,
    );
  if (seeded) await seed(data, seeded, start);
  let { child, ended, url, output } = await start();
  const dist = process.env.WEB_DIST ? await serveDist(url) : null;
  const before = await through?.(dist?.url ?? url);
  return {
    url: before?.url ?? dist?.url ?? url,
    data,
    output: () => output(),
    /** Ends the server as a crash does; the returned function starts it again at the same address. */
    async crash() {
      child.kill("SIGKILL");
      await ended;
      return async () =>
        void ({ child, ended, output } = await start(new URL(url).port));
    },
    /** Logs the administrator or somebody else in; what the application keeps of it. */
    async login(username = "admin") {
      const answer = await fetch(`${url}/api/auth/login`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ username, password }),
      });
      const { token, expiresIn, user } = await answer.json();
      const now = Date.now();
      return { token, issuedAt: now, expiresAt: now + expiresIn * 1000, user };
    },
    /** Makes an account with the role of a user, and logs it in. */
    async join(admin) {
      await this.ask(
        admin,
        "mutation($input: CreateUserInput!) { createUser(input: $input) { id } }",
        {
          input: {
            displayName: "Wren",
            username: "wren",
            password,
            role: "USER",
          },
        },
      );
      return this.login("wren");
    },
    /** Asks the API as somebody who is logged in; an error ends the journey. */
    async ask({ token }, query, variables) {
      const answer = await fetch(`${url}/api/graphql`, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          Authorization: `Bearer ${token}`,
        },
        body: JSON.stringify({ query, variables }),
      });
      const { data, errors } = await answer.json();
      if (errors) throw new Error(`${query}: ${JSON.stringify(errors)}`);
      return data;
    },
    /** Waits until the first scan has ended and every picture it found is analyzed, so that nothing changes under a journey. */
    async indexed(session) {
      if (seeded) return;
      for (;;) {
        const { indexStatus } = await this.ask(
          session,
          "{ indexStatus { pendingFiles scan { state } } }",
        );
        if (indexStatus.scan?.state === "FAILED")
          throw new Error(`the first scan failed:\n${output()}`);
        if (
          indexStatus.scan?.state === "DONE" &&
          indexStatus.pendingFiles === 0
        )
          return;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    /** Ends it; `keep` may take its data folder first, which is removed otherwise. */
    async stop({ keep = () => undefined } = {}) {
      child.kill();
      before?.close();
      dist?.close();
      await ended;
      keep(data);
      rmSync(data, { recursive: true, force: true });
    },
  };
}

// Starts the binary, and waits for the address that it prints. Pictures wait longer than by default: a busy machine is not what
// the journeys are about.
async function startProcess(args, env) {
  const ours = {
    SAFELIGHT_ADMIN_PASSWORD: password,
    SAFELIGHT_QUEUE_TIMEOUT: "30s",
  };
  const child = spawn(binary, args, {
    env: { ...process.env, ...ours, ...env },
  });
  // Of one that has ended by itself, too: who stops it does not wait for ever.
  const ended = new Promise((resolve) => child.once("exit", resolve));
  let said = "";
  let logged = "";
  child.stderr.on("data", (part) => (logged += part));
  const url = await new Promise((resolve, reject) => {
    child.stdout.on("data", (part) => {
      said += part;
      const address = /Safelight \S+ at (\S+)/.exec(said);
      if (address && said.includes("  data")) resolve(address[1]);
    });
    child.on("exit", () =>
      reject(new Error(`the server ended:\n${said}\n${logged}`)),
    );
  });
  return { child, ended, url, output: () => said + logged };
}

/**
 * Serves web/dist as it is now in front of a server whose binary has an older one, with that server's headers, so that
 * nothing has to be linked again after each change of a page.
 */
async function serveDist(upstream) {
  const dist = new URL("../dist", import.meta.url);
  const types = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webmanifest": "application/manifest+json",
  };
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url, upstream);
    const page =
      request.method === "GET" && request.headers.accept?.includes("text/html");
    if (pathname.startsWith("/app/")) {
      response.writeHead(200, {
        "Content-Type":
          types[pathname.slice(pathname.lastIndexOf("."))] ?? "text/plain",
        "Cache-Control": "max-age=3600",
        "Content-Encoding": "br",
        "Service-Worker-Allowed": "/",
      });
      const params = { [constants.BROTLI_PARAM_QUALITY]: 6 }; // as the server does, so that a first view has the same weight
      return response.end(
        brotliCompressSync(readFileSync(dist.pathname + pathname), { params }),
      );
    }
    const headers = page
      ? { ...request.headers, "accept-encoding": "identity" }
      : request.headers;
    const onward = http.request(
      new URL(request.url, upstream),
      { method: request.method, headers },
      (answer) => {
        const ours =
          page && answer.headers["content-security-policy"]?.includes("svelte");
        const { "content-length": _, etag: __, ...rest } = answer.headers;
        response.writeHead(answer.statusCode, ours ? rest : answer.headers);
        if (!ours) return answer.pipe(response);
        answer.resume();
        response.end(readFileSync(`${dist.pathname}/index.html`));
      },
    );
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy()); // a stream whose page has gone ends on the server too
    request.pipe(onward);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => server.closeAllConnections() ?? server.close(),
  };
}

/**
 * Debian's Chromium without windows, which takes a third less CPU than the whole one without a display, and without what it does in
 * the background, as Playwright and Puppeteer launch it.
 */
export const chromiumOptions = {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell",
  args: [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
};

/**
 * Starts it. `whole` is Chromium with all its parts: the shell does not say what hinders it from installing the application, and keeps
 * storage for frames of other sites.
 */
export const startBrowser = ({ whole = false } = {}) =>
  chromium.launch(
    whole
      ? {
          ...chromiumOptions,
          executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
        }
      : chromiumOptions,
  );
