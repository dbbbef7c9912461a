/**
 * Marks a GraphQL document and gives it its types, which `npm run generate` creates. Documents are
 * in `.ts` files beside the components that use them; the build replaces each call by the
 * document's text.
 */
export { graphql } from "./gen";
export type * from "./gen/graphql";
