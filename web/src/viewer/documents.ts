import { graphql } from "../api/graphql";

export const ViewedFragment = graphql(`
  fragment Viewed on File {
    id
    path
    name
    access
    size
    modifiedAt
    takenAt
    format
    analysisState
    width
    height
    pages
    camera
    dominantColor
    thumbHash
    sha256
    phash
    coordinates {
      latitude
      longitude
      altitude
    }
    place {
      name
    }
    exif {
      name
      value
    }
    tags
    rating
    favorite
    description
    focalPoint {
      x
      y
    }
    small: url(
      operations: { width: 480, filters: [{ name: "format", args: "webp" }] }
    )
    screens: srcset(
      widths: [960, 1600, 2400, 3600, 5400, 8000]
      operations: { filters: [{ name: "format", args: "webp" }] }
    )
    full: url(operations: { filters: [{ name: "format", args: "webp" }] })
    original: url(
      operations: { filters: [{ name: "raw" }, { name: "attachment" }] }
    ) @include(if: $edit)
    thumbnailUrls {
      original
    }
  }
`);

/** The fields that lists can be sorted by. */
export const Placed = graphql(`
  query Placed($path: String!) {
    file(path: $path) {
      name
      size
      modifiedAt
      takenAt
      width
      height
      rating
    }
  }
`);

export const ViewedFile = graphql(`
  query ViewedFile($path: String!, $edit: Boolean!) {
    file(path: $path) {
      ...Viewed
    }
  }
`);

/** A page of a file or a frame of a paused animation, with the URL for its size. */
export const ViewedPage = graphql(`
  query ViewedPage(
    $path: String!
    $page: [ProcessorFilterInput!]!
    $shown: [ProcessorFilterInput!]!
  ) {
    file(path: $path) {
      id
      small: url(operations: { width: 480, filters: $shown })
      screens: srcset(
        widths: [960, 1600, 2400, 3600, 5400, 8000]
        operations: { filters: $shown }
      )
      full: url(operations: { filters: $shown })
      meta: metaUrl(operations: { filters: $page })
    }
  }
`);

/** The URL of a picture's palette. */
export const PaletteUrl = graphql(`
  query PaletteUrl($path: String!, $filters: [ProcessorFilterInput!]!) {
    file(path: $path) {
      id
      meta: metaUrl(operations: { filters: $filters })
    }
  }
`);

export const SaveFile = graphql(`
  mutation SaveFile($input: UpdateFileInput!, $edit: Boolean!) {
    updateFile(input: $input) {
      file {
        ...Viewed
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const FileForUse = graphql(`
  query FileForUse(
    $path: String!
    $width: Int!
    $page: [ProcessorFilterInput!]!
    $jpeg: [ProcessorFilterInput!]!
    $webp: [ProcessorFilterInput!]!
    $avif: [ProcessorFilterInput!]!
    $jxl: [ProcessorFilterInput!]!
    $version: UrlVersion!
  ) {
    file(path: $path) {
      id
      url(operations: { width: $width, filters: $page }, version: $version)
      jpegUrl: url(operations: { width: $width, filters: $jpeg })
      webpUrl: url(operations: { width: $width, filters: $webp })
      avifUrl: url(operations: { width: $width, filters: $avif })
      jxlUrl: url(operations: { width: $width, filters: $jxl })
    }
  }
`);

/** A separate request, because a server that only allows presets refuses it. */
export const FamilyForUse = graphql(`
  query FamilyForUse(
    $path: String!
    $widths: [Int!]!
    $operations: String
    $version: UrlVersion!
  ) {
    file(path: $path) {
      id
      srcFamily(
        operations: $operations
        version: $version
        vary: [WIDTH, FORMAT]
        widths: $widths
        formats: [AVIF, WEBP, JPEG]
      ) {
        template
      }
    }
  }
`);

export const Similar = graphql(`
  query Similar($path: String!, $shown: [ProcessorFilterInput!]!) {
    similarFiles(path: $path, first: 12) {
      nodes {
        distance
        file {
          id
          path
          name
          thumb: url(
            operations: {
              width: 144
              height: 144
              smart: true
              filters: $shown
            }
          )
        }
      }
    }
  }
`);

export const RegionUrl = graphql(`
  query RegionUrl($path: String!, $region: ProcessorParamsInput!) {
    file(path: $path) {
      id
      url(operations: $region)
    }
  }
`);
