// graphql-eslint over the SDL: its recommended and Relay rules. What is off or weaker, and why:
import graphql from '@graphql-eslint/eslint-plugin'

export default [
  {
    files: ['**/*.graphql'],
    languageOptions: { parser: graphql.parser, parserOptions: { graphQLConfig: { schema: './schema/*.graphql' } } },
    plugins: { '@graphql-eslint': graphql },
    rules: {
      ...graphql.configs['flat/schema-recommended'].rules,
      ...graphql.configs['flat/schema-relay'].rules,
      // descriptions of more than one line are blocks, the others are not
      '@graphql-eslint/description-style': 'off',
      // values, payloads, pages and results have no identity; what has one implements Node
      '@graphql-eslint/strict-id-in-types': 'off',
      // User.username is the contract's name, Folder.folders holds folders; schema/lint_names_test.go holds all other fields
      '@graphql-eslint/no-typename-prefix': 'off',
      // pages go forward only: a keyset cursor and hasPreviousPage; first and after are required
      '@graphql-eslint/relay-arguments': ['error', { includeBoth: false }],
      // connections also have `nodes`, results are lists in input order, and groups or events are no nodes
      '@graphql-eslint/relay-edge-types': ['error', { withEdgeSuffix: true, shouldImplementNode: false, listTypeCanWrapOnlyEdgeType: false }],
    },
  },
]
