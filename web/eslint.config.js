import js from "@eslint/js";
import prettier from "eslint-config-prettier";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import ts from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

export default ts.config(
  { ignores: ["dist/", "src/api/gen/", "screenshots/"] },
  js.configs.recommended,
  ts.configs.recommended,
  svelte.configs.recommended,
  prettier,
  svelte.configs.prettier,
  { languageOptions: { globals: { ...globals.browser, ...globals.node } } },
  {
    rules: {
      // A name that starts with an underscore says that its value is not needed.
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_" },
      ],
      // Many maps and sets are bookkeeping that nothing on the page shows, and so not reactive.
      "svelte/prefer-svelte-reactivity": "off",
      // It does not see every warning that svelte-check gives.
      "svelte/no-unused-svelte-ignore": "off",
    },
  },
  {
    files: ["public/app/worker.js"],
    languageOptions: { globals: globals.serviceworker },
  },
  {
    // TypeScript knows the names itself.
    files: ["**/*.ts", "**/*.svelte"],
    rules: { "no-undef": "off" },
  },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: {
      parserOptions: { parser: ts.parser, svelteConfig },
    },
  },
);
