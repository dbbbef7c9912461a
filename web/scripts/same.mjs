// Builds the application anew and fails when web/dist, which the program embeds, has other files or bytes than the build.
import { execFileSync } from "node:child_process";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const web = fileURLToPath(new URL("..", import.meta.url));
const fresh = mkdtempSync(join(tmpdir(), "safelight-dist-"));
const list = (folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((f) => statSync(join(folder, f)).isFile())
    .sort();
try {
  execFileSync(
    "npx",
    ["vite", "build", "--outDir", fresh, "--logLevel", "error"],
    { cwd: web, stdio: "inherit" },
  );
  const [old, made] = [join(web, "dist"), fresh];
  const names = [...new Set([...list(old), ...list(made)])];
  const other = names.filter(
    (name) =>
      !list(old).includes(name) ||
      !list(made).includes(name) ||
      !readFileSync(join(old, name)).equals(readFileSync(join(made, name))),
  );
  if (other.length) {
    console.error(
      `web/dist is not what its sources make (make web):\n  ${other.join("\n  ")}`,
    );
    process.exitCode = 1;
  }
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
