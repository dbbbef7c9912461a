import { existsSync, readdirSync } from "node:fs";

// The picture that the editor opens: of those that are given, fjord.jpg or the first JPEG.
const given = existsSync(process.env.PICTURES ?? "")
  ? readdirSync(process.env.PICTURES)
  : ["dawn.jpg"];
const fjord = `Journeys/Norway/${given.includes("fjord.jpg") ? "fjord.jpg" : given.filter((name) => /\.jpe?g$/i.test(name)).sort()[0]}`;

// Opens the menu of the first picture. A tile has none before its picture is known.
async function openMenu(page) {
  const first = page.locator("[role=option]").first();
  await first.and(page.locator(":not([aria-label=Loading])")).waitFor();
  await first.click({ button: "right" });
  await page.getByRole("menu").waitFor();
}

// The pages that screenshots and axe go through. `do` brings a page into a state; `view` is the gallery's.
const rendered = (page) => page.locator("img[data-rendered]").waitFor();
const norway = "/f/Journeys/Norway";

// Leads to the link that was made.
async function toLink(page) {
  await page.getByRole("button", { name: "Create link" }).click();
  const address = page.getByLabel("The link", { exact: true });
  await page.goto(await address.inputValue());
  await page.locator(".grid img").first().waitFor();
}

// Opens the dialog that shares the folder of the page, and fills it in.
async function toShare(page) {
  await page.getByRole("button", { name: "Actions for this folder" }).click();
  await page.getByRole("menuitem", { name: "Share…" }).click();
  await page.getByLabel("Title for visitors").fill("Winter in the North");
}

export const pages = {
  login: { path: "/login", guest: true },
  setup: { path: "/setup", guest: true },
  gallery: { path: `${norway}?sort=size` },
  library: { path: "/" },
  selection: {
    path: `${norway}?sort=size&q=is%3Alandscape`,
    async do(page) {
      for (const n of [0, 1])
        await page
          .locator("[role=option]")
          .nth(n)
          .locator("[data-pick]")
          .click({ force: true });
      await page.mouse.move(0, 0);
    },
  },
  list: { path: norway, view: "list" },
  square: { path: norway, view: "square" },
  menu: {
    path: norway,
    do: (page) => page.getByRole("button", { name: "Sorted by" }).click(),
  },
  filter: {
    path: norway,
    async do(page) {
      await page.getByRole("button", { name: "Filter", exact: true }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  move: {
    path: norway,
    async do(page) {
      await page
        .locator("[role=option] [data-pick]")
        .first()
        .click({ force: true });
      await page.getByRole("button", { name: "Move", exact: true }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  folder: {
    path: norway,
    async do(page) {
      const make = page.getByRole("button", { name: "New folder" });
      if (await make.isVisible()) await make.click();
      else {
        await page.locator(".trail [aria-haspopup=menu]").click(); // on a phone
        await page.getByRole("menuitem").nth(1).click();
      }
      await page.getByRole("dialog").waitFor();
    },
  },
  shareDialog: { path: norway, do: toShare },
  share: {
    path: norway,
    async do(page) {
      await toShare(page);
      await toLink(page);
    },
  },
  feedback: {
    path: norway,
    async do(page) {
      await toShare(page);
      await page.getByLabel("Visitors may comment, pick and rate").check();
      await toLink(page);
      await page.locator(".grid button").first().click();
      const look = page.getByRole("dialog");
      await page.keyboard.press("c");
      await look.getByLabel("Your name").fill("Ingrid");
      await look.getByRole("button", { name: "Continue" }).click();
      const text = look.getByLabel("Write a comment");
      const box = await look.locator(".frame").boundingBox();
      for (const [words, x, y] of [
        ["This one for the cover, please.", 0.5, 0.35],
        ["Is there a version with more sky?", 0.2, 0.2],
      ]) {
        await text.fill(words);
        await page.mouse.click(box.x + box.width * x, box.y + box.height * y);
        await look.getByRole("button", { name: "Send" }).click();
        await look.locator("li", { hasText: words }).waitFor();
      }
      await look.getByRole("button", { name: "Pick", exact: true }).click();
      await look.getByRole("button", { name: "5 stars" }).click();
    },
  },
  shareFeedback: {
    path: "/me/shares",
    async do(page) {
      await page
        .getByRole("link", { name: "Feedback on Winter in the North" })
        .first()
        .click();
      await page.locator(".comments .pin").first().waitFor();
    },
  },
  shares: {
    path: "/me/shares",
    do: (page) => page.getByRole("heading", { name: "Share links" }).waitFor(),
  },
  editLink: {
    path: "/me/shares",
    async do(page) {
      await page
        .getByRole("button", { name: "Edit the link Winter in the North" })
        .first()
        .click();
      await page.getByRole("dialog").waitFor();
    },
  },
  root: { path: "/f" },
  fileMenu: {
    path: norway,
    do: openMenu,
  },
  folderMenu: {
    path: "/f/Journeys",
    async do(page) {
      await page.locator("[data-folder]").first().click({ button: "right" });
      await page.getByRole("menu").waitFor();
    },
  },
  renameFile: {
    path: norway,
    async do(page) {
      await page.locator("[role=option]").first().focus();
      await page.keyboard.press("F2");
      await page.getByRole("dialog").waitFor();
    },
  },
  shareNothing: { path: "/share" },
  rate: {
    path: norway,
    async do(page) {
      await page
        .locator("[role=option] [data-pick]")
        .first()
        .click({ force: true });
      await page.getByRole("button", { name: "Rate" }).click();
      await page
        .getByRole("menuitem", { name: "Favorite", exact: true })
        .waitFor();
    },
  },
  timeline: { path: "/timeline" },
  map: { path: "/map" },
  clean: { path: "/clean" },
  cleanSimilar: { path: "/clean?show=similar" },
  cleanBroken: { path: "/clean?show=broken" },
  search: { path: "/search?q=type%3Apng" },
  saveSearch: {
    path: "/search?q=is%3Aportrait",
    async do(page) {
      await page.getByRole("button", { name: "Save search" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  savedSearches: {
    path: "/search?q=is%3Alandscape+type%3Ajpeg",
    async do(page) {
      const save = page.getByRole("button", { name: "Save search" });
      if (await save.count()) {
        await save.click();
        await page
          .getByRole("dialog")
          .getByLabel("Name")
          .fill("Wide photographs");
        await page.keyboard.press("Enter");
        await page.getByText("Search Wide photographs saved").waitFor();
      }
      await page.goto(new URL("/search", page.url()).href);
      await page.getByRole("region", { name: "Saved searches" }).waitFor();
    },
  },
  nothing: { path: `${norway}?q=nothing-has-this-name` },
  trash: { path: "/trash" },
  me: { path: "/me" },
  sessions: { path: "/me/sessions" },
  security: { path: "/me/security" },
  viewer: { path: `/i/${fjord}` },
  info: { path: `/i/${fjord}?info=1` },
  noPicture: { path: "/i/Journeys/Norway/nothing.jpg" },
  editor: {
    path: `/edit/${fjord}?p=1200x800/smart/filters:brightness(8):contrast(12):text(N%25C3%25A6r%25C3%25B8yfjord,72,-72,sans-bold-72,ffffff)`,
    do: rendered,
  },
  editorCrop: {
    path: `/edit/${fjord}`,
    async do(page) {
      await page.getByRole("button", { name: "Crop and rotate" }).click();
      await page.getByRole("button", { name: "4:5" }).click();
      await rendered(page);
    },
  },
  editorStraighten: {
    path: `/edit/${fjord}?p=200x100:1000x700/filters:straighten(6.5)`,
    async do(page) {
      await page.getByRole("button", { name: "Crop and rotate" }).click();
      await rendered(page);
      await page.getByRole("slider", { name: "Straighten" }).focus();
      await page.keyboard.down("ArrowLeft");
      await page.locator(".grid").waitFor();
    },
  },
  editorLayers: {
    path: `/edit/${fjord}?p=1200x800/filters:brightness(8):image(600x200/color:000000,0,bottom,40):text(Fjord,72,-72,sans-bold-72,ffffff)`,
    async do(page) {
      await page.getByRole("button", { name: "Layers", exact: true }).click();
      await page
        .getByRole("button", { name: "Fjord", exact: true })
        .last()
        .click();
      await rendered(page);
    },
  },
  editorGuides: {
    path: `/edit/${fjord}?p=1200x800/filters:image(300x160/color:1b2a3a,120,120,20):text(Fjord,120,500,sans-bold-72,ffffff)`,
    async do(page) {
      await page.getByRole("button", { name: "Layers", exact: true }).click();
      await page
        .getByRole("button", { name: "Fjord", exact: true })
        .last()
        .click();
      await rendered(page);
      await page.locator('[data-others="1"]').waitFor();
      const box = await page
        .getByRole("button", { name: "Move Fjord with the arrow keys" })
        .boundingBox();
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.mouse.down();
      await page.mouse.move(
        box.x + box.width / 2 + 2,
        box.y + box.height / 2 - 40,
      );
      await page.locator(".guide").first().waitFor();
    },
  },
  editorCompare: {
    path: `/edit/${fjord}?p=filters:grayscale():contrast(20):blurr(3)`,
    async do(page) {
      await page.getByRole("button", { name: "Before and after" }).click();
      await page.getByRole("button", { name: "In words" }).click();
      await rendered(page);
    },
  },
  editorOutput: {
    path: `/edit/${fjord}?p=600x400/filters:format(avif)`,
    async do(page) {
      await page.getByRole("button", { name: "Output" }).click();
      await rendered(page);
    },
  },
  editorSize: {
    path: `/edit/${fjord}?p=600x600`,
    async do(page) {
      await page.getByRole("button", { name: "Size", exact: true }).click();
      await rendered(page);
    },
  },
  saveFile: {
    path: `/edit/${fjord}?p=600x400/filters:pixelate(4)`,
    async do(page) {
      await rendered(page);
      await page.keyboard.press("Control+s");
      await page.getByRole("dialog").waitFor();
    },
  },
  album: {
    path: norway,
    async do(page) {
      await page.locator("[role=option]").first().focus();
      await page.keyboard.press("Control+a");
      const add = page.getByRole("button", { name: "Add to album" });
      const more = page
        .getByRole("toolbar")
        .getByRole("button", { name: "More actions" }); // on a phone
      await add.or(more).first().waitFor(); // the bar comes after the keys
      if (await add.isVisible()) await add.click();
      else {
        await more.click();
        await page.getByRole("menuitem", { name: "Add to album" }).click();
      }
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Find or name").fill("Winter in the North");
      await dialog
        .getByRole("button", { name: /Winter/ })
        .first()
        .click();
      await page.getByRole("button", { name: "Show" }).last().click();
      await page.waitForURL(/\/a\//);
    },
  },
  albums: { path: "/albums" },
  templates: { path: "/templates" },
  health: {
    path: "/admin",
    do: (page) => page.getByText("The storage responds").waitFor(),
  },
  accounts: { path: "/admin/accounts" },
  groups: {
    path: "/admin/groups",
    do: (page) => page.getByText("No groups yet").waitFor(),
  },
  access: {
    path: "/f",
    async do(page) {
      await page
        .getByRole("button", { name: "Actions for this folder" })
        .click();
      await page.getByRole("menuitem", { name: "Access" }).click();
      await page.getByText("Granted on this folder").waitFor();
    },
  },
  webhooks: {
    path: "/admin/webhooks",
    do: (page) => page.getByText("No webhooks yet").waitFor(),
  },
  newAccount: {
    path: "/admin/accounts",
    async do(page) {
      await page.getByRole("button", { name: "New account" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  tokens: { path: "/admin/tokens" },
  audit: { path: "/admin/audit" },
  signing: { path: "/admin/signing" },
  families: { path: "/admin/families" },
  presets: {
    path: "/admin/presets",
    do: (page) => page.getByRole("button", { name: "New preset" }).waitFor(),
  },
  fonts: {
    path: "/admin/fonts",
    do: (page) => page.getByText("No fonts have been added").waitFor(),
  },
  newPreset: {
    path: "/admin/presets",
    async do(page) {
      await page.getByRole("button", { name: "New preset" }).click();
      await page.getByRole("textbox", { name: "Name" }).fill("card");
      await page
        .getByRole("textbox", { name: "Operations" })
        .fill("fit-in/{width}x0/filters:grayscale():quality({q})");
      await page.getByRole("button", { name: "Add a parameter" }).click();
      const first = page.getByRole("group", { name: "Parameter 1" });
      await first.getByLabel("Default").fill("640");
      await first
        .getByRole("textbox", { name: "Values", exact: true })
        .fill("320, 640, 960");
      await first.getByLabel("Parameter", { exact: true }).fill("width");
      await page.getByRole("button", { name: "Add a parameter" }).click();
      const second = page.getByRole("group", { name: "Parameter 2" });
      await second.getByLabel("Allowed").selectOption("range");
      await second.getByLabel("From").fill("40");
      await second.getByLabel("To", { exact: true }).fill("95");
      await second.getByLabel("Default").fill("80");
      await second.getByLabel("Parameter", { exact: true }).fill("q");
      await page.locator('img[data-preset*="640x0"]').waitFor();
    },
  },
  storage: { path: "/admin/storage" },
  cache: { path: "/admin/cache" },
  index: { path: "/admin/index" },
  settings: {
    path: "/admin/settings",
    do: (page) => page.getByText("SAFELIGHT_TOKEN_LIFETIME").waitFor(),
  },
  settingsFound: {
    path: "/admin/settings?q=password&show=changed",
    do: (page) =>
      page.getByText("environment SAFELIGHT_ADMIN_PASSWORD").waitFor(),
  },
  diagnosis: {
    path: "/admin/diagnosis",
    do: (page) => page.locator("ul[aria-busy=false] li").first().waitFor(),
  },
  palette: {
    path: norway,
    async do(page) {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Go to" }).fill("fo");
      await page.getByRole("option").first().waitFor();
    },
  },
  shortcuts: {
    path: norway,
    async do(page) {
      await page.keyboard.press("?");
      await page.getByRole("dialog").waitFor();
    },
  },
  nowhere: { path: "/f/No/Such/Folder" },
};

async function toMessage(page) {
  await toShare(page);
  await page.getByRole("button", { name: "Create link" }).click();
  await page.getByLabel("Send to").fill("ada@example.com, grace@example.com");
  await page
    .getByLabel("Note (optional)")
    .fill("From our week in the North. The second one is for the wall.");
  await page.getByRole("button", { name: "Send", exact: true }).hover();
}

/** Pages of a server that sends e-mail. */
export const mailPages = {
  mailShare: { path: norway, do: toMessage },
  mail: {
    path: norway,
    async do(page) {
      await toMessage(page);
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await page.getByText("2 messages are on their way").waitFor();
      await page.goto(new URL("/admin/mail", page.url()).href);
      await page.getByText("grace@example.com").first().waitFor();
      await page.mouse.move(0, 0);
    },
  },
};
