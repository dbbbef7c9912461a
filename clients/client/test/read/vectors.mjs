import { readFileSync } from 'node:fs'

/** Reads testdata/vectors, or a copy that VECTORS names. */
export const vectors = (name) => JSON.parse(readFileSync(new URL(name, process.env.VECTORS ?? new URL('../../../../testdata/vectors/', import.meta.url)), 'utf8'))
