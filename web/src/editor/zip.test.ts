import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { zipOf } from "./zip";

const python = !spawnSync("python3", ["--version"]).error;

test.runIf(python)("another program can read the ZIP", async () => {
  const folder = mkdtempSync(join(tmpdir(), "zip-"));
  try {
    const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => i % 251);
    const zip = await zipOf([
      new File(["one"], "a.txt"),
      new File([bytes], "Über 桜.bin"),
      new File([], "empty"),
    ]);
    writeFileSync(
      join(folder, "set.zip"),
      new Uint8Array(await zip.arrayBuffer()),
    );
    execFileSync("python3", [
      "-c",
      "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; z.extractall(sys.argv[2])",
      join(folder, "set.zip"),
      folder,
    ]);
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one");
    expect(new Uint8Array(readFileSync(join(folder, "Über 桜.bin")))).toEqual(
      bytes,
    );
    expect(readFileSync(join(folder, "empty")).length).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
