import type { CodegenConfig } from '@graphql-codegen/cli'

// The schema is the server's own: point SAFELIGHT_SCHEMA at http://your-server/schema.graphql
// elsewhere than in this repository.
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
        scalars: { Time: 'string', Int64: 'number', Upload: 'Blob', JSON: 'unknown' },
      },
    },
  },
  emitLegacyCommonJSImports: false,
}

export default config
