// The animated picture of the README: sliders of the editor move, and the URL follows.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { settled } from "./journeys/tab.mjs";
import { run } from "./server.mjs";

const moves = [
  ["Exposure", [0.1, 0.2, 0.3, 0.4]],
  ["Contrast", [6, 12, 18, 24]],
  ["Vibrance", [12, 24, 36, 48]],
];
const step = 240; // ms that a frame shows
const rest = 1500; // ms that it shows before and after a slider moves

/** Writes the animation to `file`, from a page that shows the editor. */
export async function animate(page, server, file) {
  const folder = mkdtempSync(join(tmpdir(), "safelight-frames-"));
  const frames = [];
  const take = async (duration) => {
    await page.locator("img[data-rendered]").waitFor();
    await settled(page, 20);
    const shot = join(folder, "frame.png");
    await page.screenshot({ path: shot });
    await run(
      server.data,
      "process",
      "filters:format(webp):lossless()",
      shot,
      `${shot}.webp`,
    );
    frames.push({ duration, chunk: bitstream(readFileSync(`${shot}.webp`)) });
  };
  await take(rest);
  for (const [name, values] of moves) {
    const slider = page.getByRole("slider", { name, exact: true });
    await slider.scrollIntoViewIfNeeded();
    await page.mouse.move(...(await thumb(slider)));
    await page.mouse.down();
    for (const value of values) {
      await page.mouse.move(...(await thumb(slider, value)));
      await take(step);
    }
    await page.mouse.up();
    await take(rest);
  }
  const { width, height } = page.viewportSize();
  const joined = join(folder, "joined.webp");
  writeFileSync(joined, animation(width, height, frames));
  // encoded again, a frame holds only what differs from the one before
  await run(server.data, "process", "filters:quality(90)", joined, file);
  rmSync(folder, { recursive: true });
}

/** Where the thumb of a slider is, or would be with another value. */
async function thumb(slider, value) {
  const box = await slider.boundingBox();
  const part = await slider.evaluate(
    ({ min, max, valueAsNumber }, to) =>
      ((to ?? valueAsNumber) - min) / (max - min),
    value,
  );
  const size = 16; // the middle of the thumb stays within the track
  return [box.x + size / 2 + part * (box.width - size), box.y + box.height / 2];
}

// https://developers.google.com/speed/webp/docs/riff_container
const number = (value, bytes) => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntLE(value, 0, bytes);
  return buffer;
};

function chunk(name, ...parts) {
  const content = Buffer.concat(parts);
  const padding = Buffer.alloc(content.length % 2);
  return Buffer.concat([
    Buffer.from(name),
    number(content.length, 4),
    content,
    padding,
  ]);
}

/** The chunk with the picture of a file that is not animated. */
function bitstream(file) {
  for (let at = 12; at < file.length;) {
    const size = file.readUInt32LE(at + 4);
    const end = at + 8 + size + (size % 2);
    if (/^VP8[ L]$/.test(file.toString("latin1", at, at + 4)))
      return file.subarray(at, end);
    at = end;
  }
  throw new Error("the frame has no picture");
}

/** An animated WebP that repeats forever. */
function animation(width, height, frames) {
  const size = Buffer.concat([number(width - 1, 3), number(height - 1, 3)]);
  const chunks = [
    chunk("VP8X", Buffer.from([2, 0, 0, 0]), size),
    chunk("ANIM", number(0xffffffff, 4), number(0, 2)),
    ...frames.map(({ duration, chunk: picture }) =>
      chunk(
        "ANMF",
        number(0, 6),
        size,
        number(duration, 3),
        Buffer.from([2]), // without blending
        picture,
      ),
    ),
  ];
  return chunk("RIFF", Buffer.from("WEBP"), ...chunks);
}
