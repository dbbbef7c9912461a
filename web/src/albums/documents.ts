import { graphql } from "../api/graphql";

/** An album and its cover. */
export const AlbumFragment = graphql(`
  fragment Album on Album {
    id
    title
    description
    owner
    visibility
    sort
    order
    smart
    editable
    fileCount
    cover {
      id
      path
      name
      dominantColor
      focalPoint {
        x
        y
      }
      small: url(
        operations: { height: 480, filters: [{ name: "format", args: "webp" }] }
      )
    }
  }
`);

export const ListedAlbums = graphql(`
  query ListedAlbums($after: String) {
    albums(first: 50, after: $after) {
      nodes {
        ...Album
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

/** The albums to which files can be added, filtered by a text. */
export const AlbumNames = graphql(`
  query AlbumNames($search: String!) {
    albums(first: 100, search: $search) {
      nodes {
        id
        title
        owner
        smart
        editable
      }
    }
  }
`);

export const OneAlbum = graphql(`
  query OneAlbum($id: ID!) {
    album(id: $id) {
      ...Album
    }
  }
`);

export const AlbumChanges = graphql(`
  subscription AlbumChanges($id: ID) {
    albumChanges(id: $id) {
      albumId
    }
  }
`);

export const CreateAlbum = graphql(`
  mutation CreateAlbum($input: CreateAlbumInput!) {
    createAlbum(input: $input) {
      album {
        id
        title
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const UpdateAlbum = graphql(`
  mutation UpdateAlbum($input: UpdateAlbumInput!) {
    updateAlbum(input: $input) {
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const DeleteAlbum = graphql(`
  mutation DeleteAlbum($input: DeleteAlbumInput!) {
    deleteAlbum(input: $input) {
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const AddToAlbum = graphql(`
  mutation AddToAlbum($input: AddToAlbumInput!) {
    addToAlbum(input: $input) {
      results {
        ...ItemDone
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const AlbumPlaces = graphql(`
  query AlbumPlaces($id: ID!, $paths: [String!]!) {
    album(id: $id) {
      places(paths: $paths)
    }
  }
`);

export const RemoveFromAlbum = graphql(`
  mutation RemoveFromAlbum($input: RemoveFromAlbumInput!) {
    removeFromAlbum(input: $input) {
      results {
        ...ItemDone
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);

export const MoveInAlbum = graphql(`
  mutation MoveInAlbum($input: MoveInAlbumInput!) {
    moveInAlbum(input: $input) {
      results {
        ...ItemDone
      }
      userErrors {
        ...Refusal
      }
    }
  }
`);
