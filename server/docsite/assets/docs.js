// What the pages do besides being read: search, the theme, copying code, and examples that can be changed.
const { root } = document.currentScript.dataset;
const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [
  ...within.querySelectorAll(selector),
];

/** Creates an element with attributes and content. */
function element(name, attributes = {}, ...content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    made.setAttribute(key, value);
  made.append(...content);
  return made;
}

// Storage can be blocked.
const stored = (key) => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};

if (stored("safelight.session")) $("#_app").hidden = false;
$("#_nav [aria-current]")?.scrollIntoView({ block: "center" });
scrollTo(0, location.hash ? scrollY : 0);

// The theme follows the system until somebody chooses.

const themes = ["system", "light", "dark"];
const button = $("#_switch");
const theme = () => document.documentElement.dataset.theme ?? "system";
function choose(next) {
  if (next === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  button.setAttribute("aria-label", `Theme: ${next}`);
  button.title = `Theme: ${next}`;
}
choose(theme());
button.hidden = false;
button.addEventListener("click", () => {
  const next = themes[(themes.indexOf(theme()) + 1) % themes.length];
  choose(next);
  try {
    localStorage.setItem("safelight.theme", next);
  } catch {
    // it lasts as long as the page
  }
});

// Copying code.

async function copy(button, text) {
  await navigator.clipboard.writeText(text);
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = "Copy"), 1500);
}
if (navigator.clipboard)
  for (const block of $$(".code")) {
    const button = element("button", { class: "copy" }, "Copy");
    button.addEventListener("click", () =>
      copy(button, $("code", block).textContent),
    );
    block.append(button);
  }

// Search. The index is loaded when somebody first searches; see search.go.

const dialog = $("#_results");
const field = $("input", dialog);
const hits = $("#_hits");
let index;

function openSearch() {
  dialog.showModal();
  field.select();
  index ??= fetch(`${root}search.json`).then((answer) => answer.json());
  show();
}

/** How well a section matches all words; 0 if one is missing. */
function score(entry, words) {
  let sum = 0;
  const heading = (entry.h ?? entry.p).toLowerCase();
  const page = entry.p.toLowerCase();
  const text = (entry.t ?? "").toLowerCase();
  for (const word of words) {
    const at = heading.indexOf(word);
    if (heading === word) sum += 40;
    else if (at === 0) sum += 20;
    else if (at > 0) sum += 12;
    else if (page.includes(word)) sum += 6;
    else if (text.includes(word)) sum += 2;
    else return 0;
  }
  return sum + (entry.h ? 0 : 3);
}

/** Whether a section is about Safelight's own code, which comes after all that is about using it. */
const isForContributors = (entry) => entry.u.startsWith("contributing/");

/** The text with the words marked. */
function marked(text, words) {
  const escaped = words.map((word) =>
    word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"),
  );
  return text
    .split(new RegExp(`(${escaped.join("|")})`, "i"))
    .map((piece, i) => (i % 2 ? element("mark", {}, piece) : piece));
}

/** The part of the text around the first word. */
function excerpt(text, words) {
  const at = Math.max(
    0,
    ...words.map((word) => text.toLowerCase().indexOf(word)),
  );
  const from = at < 60 ? 0 : text.indexOf(" ", at - 40) + 1;
  return (from ? "… " : "") + text.slice(from, from + 130);
}

async function show() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const all = await index;
  if (
    words.join(" ") !==
    field.value.toLowerCase().split(/\s+/).filter(Boolean).join(" ")
  )
    return;
  const best = all
    .map((entry) => [words.length ? score(entry, words) : 0, entry])
    .filter(([points]) => points)
    .sort(
      ([a, one], [b, other]) =>
        isForContributors(one) - isForContributors(other) || b - a,
    )
    .slice(0, 12);
  hits.replaceChildren(
    ...best.map(([, entry], i) =>
      element(
        "li",
        { role: "option", id: `hit${i}`, "aria-selected": i === 0 },
        element(
          "a",
          { href: root + entry.u, tabindex: "-1" },
          element("b", {}, ...marked(entry.h ?? entry.p, words)),
          element(
            "small",
            {},
            [entry.g, entry.h && entry.p].filter(Boolean).join(" · "),
          ),
          element("span", {}, ...marked(excerpt(entry.t ?? "", words), words)),
        ),
      ),
    ),
  );
  field.setAttribute("aria-expanded", best.length > 0);
  $(".none", dialog).textContent =
    words.length && !best.length ? "Nothing found." : "";
  pick(0);
}

function pick(i) {
  const list = [...hits.children];
  list.forEach((one, n) => one.setAttribute("aria-selected", n === i));
  if (list[i]) field.setAttribute("aria-activedescendant", list[i].id);
  else field.removeAttribute("aria-activedescendant");
  list[i]?.scrollIntoView({ block: "nearest" });
}

const picked = () =>
  [...hits.children].findIndex(
    (one) => one.getAttribute("aria-selected") === "true",
  );
field.addEventListener("input", show);
field.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && hits.children.length) {
    event.preventDefault();
    pick((picked() + step + hits.children.length) % hits.children.length);
  } else if (event.key === "Enter") {
    event.preventDefault();
    $('[aria-selected="true"] a', hits)?.click();
  }
});
hits.addEventListener(
  "click",
  (event) => event.target.closest("a") && dialog.close(),
);
dialog.addEventListener(
  "click",
  (event) => event.target === dialog && dialog.close(),
);
$("#_find").hidden = false;
$("#_find").addEventListener("click", openSearch);
addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea");
  const slash =
    event.key === "/" &&
    !typing &&
    !event.ctrlKey &&
    !event.metaKey &&
    !event.altKey;
  if (
    dialog.open ||
    (!slash && !(event.key === "k" && (event.ctrlKey || event.metaKey)))
  )
    return;
  event.preventDefault();
  openSearch();
});

// The list of headings marks the one that is read.

const links = new Map(
  $$("aside a").map((link) => [decodeURIComponent(link.hash.slice(1)), link]),
);
const headings = $$("article :is(h2, h3)[id]").filter((one) =>
  links.has(one.id),
);
function follow() {
  const passed = headings.filter(
    (one) => one.getBoundingClientRect().top < 120,
  );
  const current = passed.at(-1) ?? headings[0];
  for (const [id, link] of links)
    link.toggleAttribute("data-here", id === current?.id);
}
addEventListener("scroll", follow, { passive: true });
follow();

// Examples: one picture over the other if both have the same size, and a URL that can be changed.

const sizeOf = (bytes) =>
  bytes < 1000
    ? `${bytes} B`
    : `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`;
const formatOf = (type) =>
  type
    .replace(/^image\//, "")
    .replace(/^(svg).*/, "$1")
    .toUpperCase();
const weightOf = (image) =>
  performance.getEntriesByName(image.currentSrc)[0]?.encodedBodySize;
const loaded = (image) =>
  image.complete && image.naturalWidth
    ? Promise.resolve()
    : new Promise((resolve) =>
        image.addEventListener("load", resolve, { once: true }),
      );

class Example {
  constructor(figure) {
    this.figure = figure;
    this.field = $(".url input", figure);
    this.said = $(".said", figure);
    this.before = $(".before img", figure);
    this.after = $(".after img", figure);
    this.meta = $("pre.meta", figure);
    this.first = this.field.value;
    const button = element("button", { class: "copy" }, "Copy");
    button.addEventListener("click", () => copy(button, this.field.value));
    if (navigator.clipboard) $(".url", figure).after(button);
    if (this.meta) this.read();
    else this.compare();
  }

  /** Shows the metadata in place of the link to it. */
  async read() {
    const answer = await fetch(this.meta.dataset.from);
    this.meta.textContent = await answer.text();
  }

  /** Lays one picture over the other, with a slider between them. */
  async compare() {
    await Promise.all([loaded(this.before), loaded(this.after)]);
    const [a, b] = [this.before, this.after];
    const same =
      a.naturalWidth === b.naturalWidth && a.naturalHeight === b.naturalHeight;
    const pair = $(".pair", this.figure);
    this.figure.classList.toggle("over", same);
    if (same && !$(".split", pair)) {
      const split = element("input", {
        type: "range",
        class: "split",
        value: 50,
        "aria-label": "Compare: left of it is the original",
      });
      const move = () => pair.style.setProperty("--at", `${split.value}%`);
      split.addEventListener("input", move);
      move();
      pair.append(split);
    }
    const type = formatOf(
      `image/${new URL(b.src).pathname.split(".").pop().replace("jpg", "jpeg")}`,
    );
    const weights = [weightOf(a), weightOf(b)];
    if (!b.src.startsWith("blob:"))
      this.say(
        `${b.naturalWidth} × ${b.naturalHeight}, ${type}` +
          (weights[0] && weights[1]
            ? `, ${sizeOf(weights[1])}; the original has ${sizeOf(weights[0])}`
            : ""),
      );
  }

  say(text, bad = false) {
    this.said.textContent = text;
    this.figure.classList.toggle("bad", bad);
  }

  /** Lets the URL be changed. */
  open() {
    this.field.readOnly = false;
    $("figcaption", this.figure).append(
      element("span", {}, "Change the URL: the picture follows."),
    );
    this.field.addEventListener("input", () => {
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => this.render(), 300);
    });
  }

  async ask(path) {
    this.asking?.abort();
    this.asking = new AbortController();
    const query = new URLSearchParams({ path });
    const answer = await fetch(`${this.figure.dataset.try}?${query}`, {
      signal: this.asking.signal,
    });
    if (answer.ok) return answer;
    const problem = await answer
      .json()
      .catch(() => ({ message: "The server cannot be reached." }));
    throw new Error(problem.message);
  }

  async render() {
    const path = this.field.value.trim();
    const began = performance.now();
    try {
      const answer = await this.ask(path);
      const took = Math.round(performance.now() - began);
      const blob = await answer.blob();
      if (this.meta) {
        this.meta.textContent = await blob.text();
        return this.say(`${sizeOf(blob.size)} in ${took} ms`);
      }
      const plain = await this.ask(
        path.replace(/filters:.*\)\/(?=[^)]*$)/, ""),
      );
      const earlier = [this.before.src, this.after.src];
      this.before.src = URL.createObjectURL(await plain.blob());
      this.after.src = URL.createObjectURL(blob);
      earlier
        .filter((src) => src.startsWith("blob:"))
        .forEach((src) => URL.revokeObjectURL(src));
      $(".after span", this.figure).textContent =
        path.match(/filters:(.*\))\/[^)]*$/)?.[1] ?? "Result";
      await this.compare();
      const warnings = answer.headers.get("X-Warnings");
      const { naturalWidth: width, naturalHeight: height } = this.after;
      this.say(
        `${width} × ${height}, ${formatOf(blob.type)}, ${sizeOf(blob.size)} in ${took} ms` +
          (warnings ? `. ${warnings}` : ""),
        Boolean(warnings),
      );
    } catch (problem) {
      if (problem.name !== "AbortError") this.say(problem.message, true);
    }
  }
}

const examples = $$(".example").map((figure) => new Example(figure));
if (examples.length)
  fetch(`${root}access.json`)
    .then((answer) => answer.json())
    .then(({ edit }) => edit && examples.forEach((one) => one.open()));
