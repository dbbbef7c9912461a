import { graphql } from '../api/graphql'

export const ViewedFile = graphql(`
  query ViewedFile($path: String!) {
    file(path: $path) {
      id
      path
      name
      size
      width
      height
      type
      thumbHash
      screen: url(operations: { width: 2400, height: 1800, fitIn: true, filters: [{ name: "format", args: "webp" }, { name: "no_upscale" }] })
      original: url
    }
  }
`)
