import type { CodegenConfig } from '@graphql-codegen/cli'

// The schema is the server's own: elsewhere than in this repository, point SAFELIGHT_SCHEMA at a file with the output of
// `safelight schema`, or at http://your-server/schema.graphql of a server with graphql-public-schema.
const config: CodegenConfig = {
  schema: process.env.SAFELIGHT_SCHEMA ?? '../../schema/*.graphql',
  documents: 'src/**/*.ts',
  ignoreNoDocuments: false,
  generates: {
    'src/gql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        strictScalars: true,
        useTypeImports: true,
        enumsAsTypes: true,
        scalars: { Time: 'string', Int64: 'number', Upload: 'Blob', JSON: 'Record<string, unknown>' },
      },
    },
  },
  emitLegacyCommonJSImports: false,
}

export default config
