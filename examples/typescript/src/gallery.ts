// Pages of a folder, uploads that meet a file of the same name, and the trash.
import assert from 'node:assert/strict'
import type { ConflictPolicy, PageQuery } from './gql/graphql.js'
import { graphql } from './gql/index.js'
import type { Safelight } from './safelight.js'

const Page = graphql(`
  query Page($folder: String!, $first: Int!, $after: String) {
    files(folder: $folder, sort: NAME, order: ASC, first: $first, after: $after) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes { id path size width height srcset(widths: [320, 640, 1280], operations: { filters: [{ name: "format", args: "webp" }] }) }
    }
  }
`)

const Add = graphql(`
  mutation Add($path: String!, $content: Upload!, $onConflict: ConflictPolicy!) {
    addFile(input: { path: $path, content: $content, onConflict: $onConflict }) {
      file { path }
      userErrors { code message }
    }
  }
`)

const Trash = graphql(`
  mutation Trash($paths: [String!]!) {
    trashFiles(input: { paths: $paths }) {
      results { item ok trashed { id } error { code message } }
      userErrors { code message }
    }
  }
`)

const Restore = graphql(`
  mutation Restore($ids: [ID!]!) {
    restoreFiles(input: { ids: $ids, onConflict: RENAME }) {
      results { item ok file { path } error { code message } }
      userErrors { code message }
    }
  }
`)

const Purge = graphql(`
  mutation Purge($ids: [ID!]!) {
    purgeFiles(input: { ids: $ids }) {
      results { item ok error { code message } }
      userErrors { code message }
    }
  }
`)

/** A file as a page of a folder shows it. */
export interface Picture {
  id: string
  path: string
  width?: number | null
  /** For `<img srcset>`; null for what is no picture. */
  srcset?: string | null
}

/** All files of a folder in the order of their names, fetched in pages of `first`. */
export async function* pictures(safelight: Safelight, folder: string, first: number): AsyncGenerator<Picture> {
  for (let after: string | null | undefined = null; ; ) {
    const { files }: PageQuery = await safelight.query(Page, { folder, first, after })
    assert(files, 'who is signed in may read')
    yield* files.nodes
    if (!files.pageInfo.hasNextPage) return
    after = files.pageInfo.endCursor
  }
}

/** Uploads a picture and returns the path that it got, which RENAME may change; throws what was refused. */
export async function add(safelight: Safelight, path: string, content: Blob, onConflict: ConflictPolicy): Promise<string> {
  const { addFile } = await safelight.mutate(Add, { path, content, onConflict })
  assert(addFile, 'who may write may upload')
  const [refused] = addFile.userErrors
  if (refused) throw new Error(`${refused.code}: ${refused.message}`)
  assert(addFile.file)
  return addFile.file.path
}

/** Moves files or folders to the trash and returns their ids there. */
export async function trash(safelight: Safelight, paths: string[]): Promise<string[]> {
  const { trashFiles } = await safelight.mutate(Trash, { paths })
  return (trashFiles?.results ?? []).map(({ item, trashed, error }) => {
    if (!trashed) throw new Error(`${item}: ${error?.code} ${error?.message}`)
    return trashed.id
  })
}

/** Brings files and folders back and returns where they lie now. */
export async function restore(safelight: Safelight, ids: string[]): Promise<string[]> {
  const { restoreFiles } = await safelight.mutate(Restore, { ids })
  return (restoreFiles?.results ?? []).map(({ item, file, error }) => {
    if (!file) throw new Error(`${item}: ${error?.code} ${error?.message}`)
    return file.path
  })
}

/** Removes for good what lies in the trash under those ids. */
export async function purge(safelight: Safelight, ids: string[]): Promise<void> {
  const { purgeFiles } = await safelight.mutate(Purge, { ids })
  for (const { item, error } of purgeFiles?.results ?? []) {
    if (error) throw new Error(`${item}: ${error.code} ${error.message}`)
  }
}
