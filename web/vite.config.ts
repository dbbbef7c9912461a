import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { inlineDocuments } from "./build/documents.ts";
import { lucide } from "./build/lucide.ts";
import { messageParts } from "./build/messages.ts";

const root = fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "");
const server = process.env.SAFELIGHT_URL ?? "http://127.0.0.1:8000";

// What the page asks of the server during development. Pictures have paths of their own, which begin with a signature.
const proxied =
  "^/(api|healthz|readyz|metrics|playground|params|unsafe|openapi\\.json|schema\\.graphql|[A-Za-z0-9_-]{20,}=?)(/.*)?$";

// Few files for the first view, because each has half a kilobyte of headers: what every page uses is one, what the pages of the
// gallery use is another, and so are the icons that pages share. Other pages stay chunks of their own.
const chunks = [
  { name: "svelte", test: /node_modules\/(svelte|esm-env|clsx)\// },
  {
    name: "base",
    test: /\/src\/(api|router|theme|ui\/(ahead|Button|Icon|Menu\.|motion|Segments|toasts|Toasts)|install\/(install|shared)|messages\/(index|format)|session\/(session|refresh|storage)|shell\/(App|Frame|Message|routes)|searches\/(address|saved|SavedNav)|gallery\/(folders|query))/,
  },
  {
    name: "gallery",
    test: /\/src\/(gallery\/(Browser|Empty|FolderCard|Gallery|Grid|Line|SearchBox|Tile|ViewControls|Waiting|pages|things|tokenLabel)|ui\/Slider|viewer\/pages)\b/,
  },
  { name: "icons", test: /lucide:/, minShareCount: 2 },
];

// The hash comes first because git looks for the former version of a file among those whose names end alike. With the hash last,
// a commit that changes the application takes twenty times the bytes.
const names = {
  hashCharacters: "base36", // no name begins with a dash
  entryFileNames: "app/[hash]-[name].js",
  chunkFileNames: "app/[hash]-[name].js",
  assetFileNames: "app/[hash]-[name][extname]",
} as const;

export default defineConfig({
  root,
  resolve: {
    alias: {
      "@safelight/client": fileURLToPath(
        new URL("../clients/client/src/index.ts", import.meta.url),
      ),
    },
  },
  plugins: [lucide(), messageParts(root), inlineDocuments(root), svelte()],
  build: {
    outDir: "dist",
    assetsDir: "app",
    assetsInlineLimit: 0, // the policy allows no data: scripts, and pictures are few
    modulePreload: { polyfill: false },
    target: "es2022",
    rolldownOptions: {
      output: { codeSplitting: { groups: chunks }, ...names },
    },
    cssMinify: true,
    reportCompressedSize: false,
  },
  server: { proxy: { [proxied]: { target: server } } },
  test: {
    testTimeout: 60_000,
    include: [
      "src/**/*.test.ts",
      "build/**/*.test.ts",
      "scripts/**/*.test.mjs",
    ],
  },
});
