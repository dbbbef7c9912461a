import { describe, expect, test } from "vitest";
import de from "./server/de.json";
import en from "./server/en.json";
import { Phrases } from "./phrases";

const german = new Phrases(en, de);

describe("texts from the server", () => {
  test.each([
    ["explain", 'Load the image "a: b.jpg"', 'Bild "a: b.jpg" laden'],
    [
      "explain",
      "Fit it inside 300 x 200: 267 x 200 pixels",
      "In 300 × 200 einpassen: 267 × 200 Pixel",
    ],
    [
      "explain",
      "Fill 12 x 8, cropping to the middle left",
      "12 × 8 füllen, Ausschnitt: mittig links",
    ],
    ["explain", "Draw Hi at 40, bottom", "Hi bei 40, unten zeichnen"],
    ["explain", "Encode as JPEG", "Als JPEG kodieren"],
    ["explain", "Encode as webp", "Als webp kodieren"],
    [
      "explain",
      "Draw Hi, box x at 3, 4, box navy, shadow black: 10 x 10 pixels",
      "Hi, box x bei 3, 4 zeichnen, Kasten navy, Schatten black: 10 × 10 Pixel",
    ],
    [
      "warning",
      'filter blur: argument sigma is "a", expected a number from 0 to 1000',
      'Filter blur: Das Argument sigma ist "a", erwartet: eine Zahl von 0 bis 1000',
    ],
    ["finding", "file /srv/a; 3 GB free", "file /srv/a; 3 GB frei"],
    [
      "finding",
      "cached in memory,file; /c has 3 GiB free, may take 2 GiB",
      "zwischengespeichert in memory,file; /c: 3 GiB frei, höchstens 2 GiB davon",
    ],
    [
      "finding",
      "file /srv/a: the storage folder is gone",
      "file /srv/a: Der Ordner des Speichers ist verschwunden",
    ],
    ["storage", "a text of a later server", "a text of a later server"],
  ])("%s: %s", (subject, text, expected) => {
    expect(german.translate(subject, text)).toBe(expected);
  });
  test("settings are translated by name", () => {
    expect(german.of("setting.pdf", "Accept")).toMatch(/^PDF-Dateien/);
    expect(german.of("setting.later", "A new one.")).toBe("A new one.");
  });
});
