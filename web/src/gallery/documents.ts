import { graphql } from "../api/graphql";

/** The fields that a grid or a list needs. */
export const TileFragment = graphql(`
  fragment Tile on File {
    id
    path
    name
    size
    modifiedAt
    takenAt
    format
    analysisState
    width
    height
    pages
    dominantColor
    thumbHash
    tags
    rating
    favorite
    access
    focalPoint {
      x
      y
    }
    small: url(
      operations: { height: 240, filters: [{ name: "format", args: "webp" }] }
    )
    medium: url(
      operations: { height: 480, filters: [{ name: "format", args: "webp" }] }
    )
    large: url(
      operations: { height: 960, filters: [{ name: "format", args: "webp" }] }
    )
    still: url(
      operations: {
        height: 480
        filters: [{ name: "page", args: "1" }, { name: "format", args: "webp" }]
      }
    ) @include(if: $calm)
  }
`);

export const Files = graphql(`
  query Files(
    $folder: String!
    $recursive: Boolean!
    $filter: FileFilter
    $search: String
    $sort: FileSort!
    $order: SortOrder!
    $first: Int!
    $after: String
    $skip: Int!
    $count: Boolean!
    $calm: Boolean!
  ) {
    files(
      folder: $folder
      recursive: $recursive
      filter: $filter
      search: $search
      sort: $sort
      order: $order
      first: $first
      after: $after
      skip: $skip
    ) {
      totalCount @include(if: $count)
      nodes {
        ...Tile
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

/** The exact number of files that a search finds. The first page omits it when there are very many. */
export const CountFiles = graphql(`
  query CountFiles(
    $folder: String!
    $recursive: Boolean!
    $filter: FileFilter
    $search: String
  ) {
    files(
      folder: $folder
      recursive: $recursive
      filter: $filter
      search: $search
      first: 1
    ) {
      totalCount(exact: true)
    }
  }
`);

/** A page of an album, as the grid shows it. */
export const AlbumFiles = graphql(`
  query AlbumFiles(
    $id: ID!
    $first: Int!
    $after: String
    $skip: Int!
    $count: Boolean!
    $calm: Boolean!
  ) {
    album(id: $id) {
      files(first: $first, after: $after, skip: $skip) {
        totalCount @include(if: $count)
        nodes {
          ...Tile
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`);

/** The exact number of files of a smart album. The first page omits it when there are very many. */
export const CountAlbumFiles = graphql(`
  query CountAlbumFiles($id: ID!) {
    album(id: $id) {
      files(first: 1) {
        totalCount(exact: true)
      }
    }
  }
`);

export const LookAtFolder = graphql(`
  query LookAtFolder($folder: String!) {
    files(folder: $folder, first: 1) {
      totalCount
    }
  }
`);

export const Folders = graphql(`
  query Folders($folder: String!, $after: String) {
    folders(folder: $folder, first: 100, after: $after) {
      nodes {
        id
        path
        name
        hasFolders
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

/** The person's right on a folder. */
export const FolderRight = graphql(`
  query FolderRight($path: String!) {
    folder(path: $path) {
      access
    }
  }
`);

export const ToCleanUp = graphql(`
  query ToCleanUp($most: Int!, $edits: Boolean!) {
    newFeedback @include(if: $edits)
    files(recursive: true, filter: { isBroken: true }, first: 1) {
      totalCount
    }
    duplicates(first: $most) {
      nodes {
        count
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);

export const FolderFaces = graphql(`
  query FolderFaces(
    $ids: [ID!]!
    $size: Int!
    $shown: [ProcessorFilterInput!]!
  ) {
    foldersById(ids: $ids) {
      id
      fileCount
      files(recursive: true, sort: MODIFIED, order: DESC, first: 8) {
        nodes {
          id
          format
          analysisState
          thumb: url(
            operations: {
              width: $size
              height: $size
              smart: true
              filters: $shown
            }
          )
        }
      }
    }
  }
`);

export const PinnedFolders = graphql(`
  query PinnedFolders {
    pinnedFolders {
      id
      path
      name
    }
  }
`);

export const PinFolder = graphql(`
  mutation PinFolder($input: PinFolderInput!) {
    pinFolder(input: $input) {
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const Tags = graphql(`
  query Tags($after: String) {
    tags(first: 100, after: $after) {
      nodes {
        name
        count
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

export const CreateFolder = graphql(`
  mutation CreateFolder($input: CreateFolderInput!) {
    createFolder(input: $input) {
      userErrors {
        ...Refusal
      }
    }
  }
`);

/** Token values that begin with the typed text. */
export const Suggest = graphql(`
  query Suggest(
    $text: String!
    $limit: Int!
    $tags: Boolean!
    $folders: Boolean!
    $cameras: Boolean!
    $lenses: Boolean!
    $places: Boolean!
    $cities: Boolean!
  ) {
    tags: suggestions(for: TAG, text: $text, limit: $limit)
      @include(if: $tags) {
      value
      count
    }
    folders: suggestions(for: FOLDER, text: $text, limit: $limit)
      @include(if: $folders) {
      value
      count
    }
    cameras: suggestions(for: CAMERA, text: $text, limit: $limit)
      @include(if: $cameras) {
      value
      count
    }
    lenses: suggestions(for: LENS, text: $text, limit: $limit)
      @include(if: $lenses) {
      value
      count
    }
    places: suggestions(for: PLACE, text: $text, limit: $limit)
      @include(if: $places) {
      value
      count
    }
    cities: suggestions(for: CITY, text: $text, limit: $limit)
      @include(if: $cities) {
      value
    }
  }
`);

/** The number of files for each of several filters, each combined with a search. */
export const FileCounts = graphql(`
  query FileCounts(
    $folder: String!
    $filter: FileFilter!
    $search: String!
    $each: [FileFilter!]!
  ) {
    fileCounts(folder: $folder, filter: $filter, search: $search, each: $each)
  }
`);

/** Tags, cameras and lenses of the files that a search finds. */
export const FacetValues = graphql(`
  query FacetValues(
    $text: String!
    $most: Int!
    $folder: String!
    $search: String
    $ofTags: FileFilter
    $ofCameras: FileFilter
    $ofLenses: FileFilter
  ) {
    tags: suggestions(
      for: TAG
      text: $text
      limit: $most
      folder: $folder
      search: $search
      filter: $ofTags
    ) {
      value
      count
    }
    cameras: suggestions(
      for: CAMERA
      limit: $most
      folder: $folder
      search: $search
      filter: $ofCameras
    ) {
      value
      count
    }
    lenses: suggestions(
      for: LENS
      limit: $most
      folder: $folder
      search: $search
      filter: $ofLenses
    ) {
      value
      count
    }
  }
`);
