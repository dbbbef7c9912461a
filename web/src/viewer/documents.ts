import { graphql } from '../api/graphql'

export const ViewedFragment = graphql(`
  fragment Viewed on File {
    id
    path
    name
    size
    modifiedAt
    takenAt
    format
    width
    height
    pages
    camera
    dominantColor
    thumbHash
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
    small: url(operations: { width: 480, filters: [{ name: "format", args: "webp" }] })
    screens: srcset(widths: [960, 1600, 2400, 3600, 5400, 8000], operations: { filters: [{ name: "format", args: "webp" }] })
    full: url(operations: { filters: [{ name: "format", args: "webp" }] })
    original: url(operations: { filters: [{ name: "raw" }, { name: "attachment" }] })
  }
`)

export const ViewedFile = graphql(`
  query ViewedFile($path: String!) {
    file(path: $path) {
      ...Viewed
    }
  }
`)

export const SaveFile = graphql(`
  mutation SaveFile($input: UpdateFileInput!) {
    updateFile(input: $input) {
      file {
        ...Viewed
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`)

export const FileForUse = graphql(`
  query FileForUse($path: String!, $width: Int!) {
    file(path: $path) {
      id
      url(operations: { width: $width })
      jpegUrl: url(operations: { width: $width, filters: [{ name: "format", args: "jpeg" }] })
      webpUrl: url(operations: { width: $width, filters: [{ name: "format", args: "webp" }] })
      avifUrl: url(operations: { width: $width, filters: [{ name: "format", args: "avif" }] })
      jxlUrl: url(operations: { width: $width, filters: [{ name: "format", args: "jxl" }] })
    }
  }
`)

/** Apart from the others: a server that allows presets only refuses it. */
export const FamilyForUse = graphql(`
  query FamilyForUse($path: String!, $widths: [Int!]!) {
    file(path: $path) {
      id
      srcFamily(vary: [WIDTH, FORMAT], widths: $widths, formats: ["jxl", "avif", "webp", "jpeg"]) {
        template
      }
    }
  }
`)

export const Similar = graphql(`
  query Similar($path: String!) {
    similarFiles(path: $path, first: 12) {
      distance
      file {
        id
        path
        name
        thumb: url(operations: { width: 144, height: 144, smart: true, filters: [{ name: "format", args: "webp" }] })
      }
    }
  }
`)

export const RegionUrl = graphql(`
  query RegionUrl($path: String!, $region: ProcessorParamsInput!) {
    file(path: $path) {
      id
      url(operations: $region)
    }
  }
`)
