import { graphql } from "../api/graphql";

/** The clusters of a part of the earth. */
export const Clusters = graphql(`
  query Clusters(
    $bounds: GeoBoundsInput!
    $zoom: Int!
    $filter: FileFilter
    $search: String
  ) {
    mapClusters(
      bounds: $bounds
      zoom: $zoom
      filter: $filter
      search: $search
    ) {
      center {
        latitude
        longitude
      }
      bounds {
        south
        west
        north
        east
      }
      count
      place {
        name
      }
      cover {
        id
        dominantColor
        thumb: url(
          operations: {
            width: 128
            height: 128
            smart: true
            filters: [
              { name: "page", args: "1" }
              { name: "format", args: "webp" }
            ]
          }
        )
      }
    }
  }
`);

/** The provider of the map's tiles, and the number of pictures without a location. */
export const MapFrame = graphql(`
  query MapFrame($without: FileFilter!, $search: String) {
    mapTiles {
      url
      attribution
    }
    files(recursive: true, filter: $without, search: $search, first: 1) {
      totalCount
    }
  }
`);
