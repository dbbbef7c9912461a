import type { CodegenConfig } from "@graphql-codegen/cli";

// Types of every document in src, from the SDL. The output is not committed: `npm run generate` makes it in two seconds.
const config: CodegenConfig = {
  schema: "../schema/*.graphql",
  documents: ["src/**/*.ts", "!src/api/gen/**"],
  silent: true,
  generates: {
    "./src/api/gen/": {
      preset: "client",
      presetConfig: { fragmentMasking: false },
      config: {
        documentMode: "string",
        enumsAsTypes: true,
        useTypeImports: true,
        strictScalars: true,
        onlyOperationTypes: false,
        scalars: {
          Time: "string",
          Int64: "number",
          Upload: "Blob",
          JSON: "Record<string, unknown>",
        },
      },
    },
  },
};
export default config;
