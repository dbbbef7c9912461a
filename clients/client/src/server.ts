import { absoluteUrl } from './family.js'

/**
 * A Safelight server, for programs on another server. The token needs scope read; never send it to
 * a browser.
 */
export interface Server {
  /** The server's URL, such as `https://img.example.com`. */
  server: string
  token: string
  signal?: AbortSignal | undefined
  /** A replacement for the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
}

/** The arguments of the GraphQL field `File.srcFamily`. */
export interface FamilyOptions {
  /** Operations as in a URL, such as `300x200/smart`; by default the picture at its own size. */
  operations?: string | undefined
  /** What a browser may choose; by default width and format. */
  vary?: readonly ('WIDTH' | 'DPR' | 'FORMAT' | 'QUALITY')[] | undefined
  /** In CSS pixels. */
  widths?: readonly number[] | undefined
  densities?: readonly number[] | undefined
  formats?: readonly string[] | undefined
  /** The lifetime of the URLs in seconds; by default they do not expire. */
  expiresIn?: number | undefined
  /** The name of the family key for signing; by default the processor secret is used. */
  key?: string | undefined
  /**
   * `PINNED`, the default: the URLs contain the version of the file, so fetch them again when the
   * file may have been replaced. `LATEST`: they show a replaced file within 5 minutes; for pages
   * that are built once.
   */
  version?: 'PINNED' | 'LATEST' | undefined
}

/** The data for showing a picture on a page. */
export interface PagePicture {
  /** An absolute URL that contains `{choice}`. */
  template: string
  /** Null until the file is analyzed. */
  thumbHash: string | null
}

// keeps a request within the server's complexity limit
const filesOfOneRequest = 50

/**
 * Returns families of files, in the order of their paths; null for a file that does not exist.
 * Throws an Error with the server's message if the server refuses the request: a token without
 * scope read, unknown operations, too many widths.
 */
export async function fetchFamilies(server: Server, paths: readonly string[], options: FamilyOptions = {}): Promise<(PagePicture | null)[]> {
  const pictures: (PagePicture | null)[] = []
  for (let from = 0; from < paths.length; from += filesOfOneRequest) {
    pictures.push(...(await fetchSome(server, paths.slice(from, from + filesOfOneRequest), options)))
  }
  return pictures
}

interface Answer {
  data?: Record<string, { thumbHash: string | null; srcFamily: { template: string } | null } | null> | null
  errors?: { message: string; extensions?: { code?: string } }[]
}

async function fetchSome({ server, token, signal, fetch = globalThis.fetch }: Server, paths: readonly string[], options: FamilyOptions) {
  const formats = options.formats?.map((format) => format.toUpperCase()) // an enum in the API
  const variables = { vary: ['WIDTH', 'FORMAT'], ...options, formats, ...Object.fromEntries(paths.map((path, i) => [`path${i}`, path])) }
  const response = await fetch(absoluteUrl(server, '/api/graphql'), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: familiesQuery(paths.length), variables }),
    signal: signal ?? null,
  })
  const { data, errors = [] } = (await response.json().catch(() => ({ errors: [{ message: `${response.status} ${response.statusText}` }] }))) as Answer
  const refused = errors.find(({ extensions }) => extensions?.code !== 'NOT_FOUND')
  if (refused) throw new Error(`${server}: ${refused.message}`)

  return paths.map((_, i) => {
    const file = data?.[`file${i}`]
    return file?.srcFamily ? { template: absoluteUrl(server, file.srcFamily.template), thumbHash: file.thumbHash } : null
  })
}

/** The query for a number of files, each with a variable for its path. */
function familiesQuery(files: number): string {
  const paths = Array.from({ length: files }, (_, i) => `$path${i}: String!`).join(', ')
  const typeOf = {
    operations: 'String',
    vary: '[SrcVary!]!',
    widths: '[Int!]',
    densities: '[Float!]',
    formats: '[ImageFormat!]',
    expiresIn: 'Int',
    key: 'String',
    version: 'UrlVersion! = PINNED',
  }
  const types = Object.entries(typeOf).map(([name, type]) => `$${name}: ${type}`).join(', ')
  const options = Object.keys(typeOf).map((name) => `${name}: $${name}`).join(', ')
  const fields = Array.from({ length: files }, (_, i) => `file${i}: file(path: $path${i}) { thumbHash srcFamily(${options}) { template } }`)
  return `query Families(${types}, ${paths}) { ${fields.join(' ')} }`
}
