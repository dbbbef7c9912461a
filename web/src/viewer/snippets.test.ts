import { expect, test } from "vitest";
import { snippet, type Pieces } from "./snippets";

const family = "/s/family(480w,960w,avif,webp,jpeg)/{choice}/trip/a.jpg";
const pieces: Pieces = {
  alt: 'A "fjord" [1] & <sea>',
  width: 960,
  height: 640,
  url: "/s/960x0/a.jpg",
  family,
};
const origin = "https://pictures.example";
const at = (choice: string) => origin + family.replace("{choice}", choice);

test("relative URLs become absolute, and absolute ones stay", () => {
  expect(snippet("url", pieces, origin)).toBe(
    "https://pictures.example/s/960x0/a.jpg",
  );
  expect(snippet("picture", pieces, origin)).toContain(
    `"\n    ${at("480w,jpeg")} 480w,\n    ${at("960w,jpeg")} 960w"`,
  );
  const elsewhere = snippet(
    "picture",
    { ...pieces, family: `https://cdn.example${family}` },
    origin,
  );
  expect(elsewhere).toContain(
    `"\n    https://cdn.example${family.replace("{choice}", "480w,avif")} 480w,`,
  );
});

test("the alt text cannot break out of its attribute", () => {
  expect(snippet("img", pieces, origin)).toContain(
    'alt="A &quot;fjord&quot; [1] &amp; &lt;sea&gt;"',
  );
  expect(snippet("markdown", pieces, origin)).toBe(
    '![A "fjord" \\[1\\] & <sea>](<https://pictures.example/s/960x0/a.jpg>)',
  );
});

test("React and Next.js get texts as JavaScript, and Next.js gets the template", () => {
  const jsx = snippet(
    "react",
    { ...pieces, alt: 'a "b" {c} </script>' },
    origin,
  );
  expect(jsx).toContain('alt={"a \\"b\\" {c} </script>"}');
  expect(jsx).toContain(
    `srcSet={"${at("480w,webp")} 480w, ${at("960w,webp")} 960w"}`,
  );
  expect(jsx).toContain("width={960} height={640}");
  expect(snippet("next", pieces, origin)).toContain(
    `src={"${at("{choice}")}"}`,
  );
});

test.each(["img", "picture", "react", "next"] as const)(
  "%s says how wide the page shows it",
  (kind) => {
    expect(snippet(kind, { ...pieces, width: 1600 }, origin)).toContain(
      'sizes="(max-width: 1600px) 100vw, 1600px"',
    );
  },
);

test.each(["url", "markdown", "css"] as const)("%s needs no family", (kind) => {
  expect(snippet(kind, { ...pieces, family: "" }, origin)).toBe(
    snippet(kind, pieces, origin),
  );
});

test("the best format comes first, and the dimensions are set before the picture loads", () => {
  const text = snippet("picture", pieces, origin);
  expect([...text.matchAll(/\/480w,(\w+)\//g)].map(([, name]) => name)).toEqual(
    ["avif", "webp", "jpeg"],
  );
  expect(text).not.toContain('type="image/jpeg"');
  expect(text).toContain('width="960" height="640"');
  expect(snippet("img", pieces, origin)).toContain(`${at("480w,webp")} 480w`);
  expect(snippet("css", pieces, origin)).toBe(
    'background: url("https://pictures.example/s/960x0/a.jpg") center / cover no-repeat;',
  );
});
