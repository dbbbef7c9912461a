import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Plugin } from "vite";

const require = createRequire(import.meta.url);
const prefix = "lucide:";

/** Makes `import search from 'lucide:search'` the icon's outline as the `d` of one path, so that only used icons are shipped. */
export function lucide(): Plugin {
  return {
    name: "safelight-lucide",
    resolveId: (id) => (id.startsWith(prefix) ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith(`\0${prefix}`)) return;
      const file = require.resolve(
        `lucide-static/icons/${id.slice(prefix.length + 1)}.svg`,
      );
      return `export default ${JSON.stringify(outline(readFileSync(file, "utf8")))}`;
    },
  };
}

/** The shapes of an SVG icon as one path. */
export function outline(svg: string): string {
  const shapes = [
    ...svg.matchAll(
      /<(path|circle|rect|line|polyline|polygon|ellipse)\b([^>]*?)\/?>/g,
    ),
  ];
  return shapes.map(([, tag, text]) => shape(tag!, attributes(text!))).join("");
}

function attributes(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  );
}

function shape(tag: string, a: Record<string, string>): string {
  const n = (name: string) => Number(a[name] ?? 0);
  switch (tag) {
    case "path":
      return absoluteStart(a.d!);
    case "line":
      return `M${n("x1")} ${n("y1")}L${n("x2")} ${n("y2")}`;
    case "polyline":
      return `M${a.points}`;
    case "polygon":
      return `M${a.points}z`;
    case "circle":
      return oval(n("cx"), n("cy"), n("r"), n("r"));
    case "ellipse":
      return oval(n("cx"), n("cy"), n("rx"), n("ry"));
    default:
      return rectangle(
        n("x"),
        n("y"),
        n("width"),
        n("height"),
        n("rx") || n("ry"),
      );
  }
}

const oval = (x: number, y: number, rx: number, ry: number) =>
  `M${x - rx} ${y}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0`;

function rectangle(
  x: number,
  y: number,
  w: number,
  h: number,
  r: number,
): string {
  const arc = (dx: number, dy: number) =>
    r ? `a${r} ${r} 0 0 1 ${dx} ${dy}` : "";
  return `M${x + r} ${y}h${w - 2 * r}${arc(r, r)}v${h - 2 * r}${arc(-r, r)}h${2 * r - w}${arc(-r, -r)}v${2 * r - h}${arc(r, -r)}z`;
}

// A path that begins with a relative move would begin where the shape before it ended. The pairs of numbers that
// follow a move are lines, relative ones after a relative move.
function absoluteStart(d: string): string {
  return d.replace(
    /^m\s*(-?\d*\.?\d+)[\s,]*(-?\d*\.?\d+)\s*(?=([-.\d])?)/,
    (_, x, y, more) => `M${x} ${y}${more ? "l" : ""}`,
  );
}
