/** A text without case and accents, for comparison with typed text. */
export const fold = (text: string): string =>
  text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
