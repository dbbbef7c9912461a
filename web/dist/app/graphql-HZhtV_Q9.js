var e=class extends String{__apiType;value;__meta__;constructor(e,t){super(e),this.value=e,this.__meta__=t}toString(){return this.value}};new e(`
    fragment Tile on File {
  id
  path
  name
  size
  modifiedAt
  takenAt
  type
  metadata
  width
  height
  pages
  dominantColor
  thumbHash
  tags
  focalPoint {
    x
    y
  }
  small: url(operations: {height: 240, filters: [{name: "format", args: "webp"}]})
  medium: url(
    operations: {height: 480, filters: [{name: "format", args: "webp"}]}
  )
  large: url(operations: {height: 960, filters: [{name: "format", args: "webp"}]})
}
    `,{fragmentName:`Tile`}),new e(`
    fragment Trashed on TrashedFile {
  id
  path
  name
  isDirectory
  size
  fileCount
  trashedAt
  trashedBy
  purgeAt
}
    `,{fragmentName:`Trashed`}),new e(`
    query Files($folder: String!, $recursive: Boolean!, $filter: FileFilter, $search: String, $sort: FileSort!, $order: SortOrder!, $first: Int!, $after: String, $count: Boolean!) {
  files(
    folder: $folder
    recursive: $recursive
    filter: $filter
    search: $search
    sort: $sort
    order: $order
    first: $first
    after: $after
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
    fragment Tile on File {
  id
  path
  name
  size
  modifiedAt
  takenAt
  type
  metadata
  width
  height
  pages
  dominantColor
  thumbHash
  tags
  focalPoint {
    x
    y
  }
  small: url(operations: {height: 240, filters: [{name: "format", args: "webp"}]})
  medium: url(
    operations: {height: 480, filters: [{name: "format", args: "webp"}]}
  )
  large: url(operations: {height: 960, filters: [{name: "format", args: "webp"}]})
}`),new e(`
    query Folders($folder: String!, $after: String) {
  folders(folder: $folder, first: 100, after: $after) {
    nodes {
      id
      path
      name
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    `),new e(`
    query FolderFace($folder: String!) {
  files(folder: $folder, recursive: true, sort: MODIFIED, order: DESC, first: 4) {
    totalCount
    nodes {
      id
      thumb: url(
        operations: {width: 80, height: 80, smart: true, filters: [{name: "format", args: "webp"}]}
      )
    }
  }
}
    `),new e(`
    query Tags {
  tags {
    name
    count
  }
}
    `),new e(`
    mutation TagFiles($input: TagFilesInput!) {
  tagFiles(input: $input) {
    results {
      path
      ok
      error {
        code
        message
      }
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new e(`
    mutation TrashFiles($input: TrashFilesInput!) {
  trashFiles(input: $input) {
    results {
      path
      ok
      trashed {
        id
      }
      error {
        code
        message
      }
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new e(`
    mutation RestoreFiles($input: RestoreFilesInput!) {
  restoreFiles(input: $input) {
    results {
      id
      ok
      error {
        code
        message
      }
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new e(`
    mutation MoveFiles($input: MoveFilesInput!) {
  moveFiles(input: $input) {
    results {
      path
      ok
      file {
        path
      }
      error {
        code
        message
      }
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new e(`
    mutation CopyFiles($input: CopyFilesInput!) {
  copyFiles(input: $input) {
    results {
      path
      ok
      error {
        code
        message
      }
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new e(`
    mutation CreateFolder($path: String!) {
  createFolder(path: $path)
}
    `),new e(`
    mutation LogoutEverywhere($userId: ID, $apiTokens: Boolean) {
  logoutEverywhere(userId: $userId, apiTokens: $apiTokens)
}
    `),new e(`
    mutation RenameMe($input: UpdateProfileInput!) {
  updateProfile(input: $input) {
    id
    displayName
  }
}
    `),new e(`
    mutation ChangeMyPassword($input: ChangePasswordInput!) {
  changePassword(input: $input)
}
    `),new e(`
    query TrashPage($after: String, $count: Boolean!) {
  trashedFiles(first: 100, after: $after) {
    totalCount @include(if: $count)
    nodes {
      ...Trashed
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
    fragment Trashed on TrashedFile {
  id
  path
  name
  isDirectory
  size
  fileCount
  trashedAt
  trashedBy
  purgeAt
}`),new e(`
    mutation PurgeFiles($input: PurgeFilesInput!) {
  purgeFiles(input: $input) {
    results {
      id
      ok
      error {
        code
        message
      }
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new e(`
    mutation EmptyTrash {
  emptyTrash {
    purgedCount
    userErrors {
      code
      message
      field
    }
  }
}
    `),new e(`
    mutation CreateUpload($input: CreateUploadInput!) {
  createUpload(input: $input) {
    upload {
      id
      url
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new e(`
    mutation FinishUpload($input: FinishUploadInput!) {
  finishUpload(input: $input) {
    file {
      path
    }
    userErrors {
      code
      message
      field
    }
  }
}
    `),new e(`
    mutation CancelUpload($input: CancelUploadInput!) {
  cancelUpload(input: $input) {
    userErrors {
      code
      message
      field
    }
  }
}
    `),new e(`
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
    screen: url(
      operations: {width: 2400, height: 1800, fitIn: true, filters: [{name: "format", args: "webp"}, {name: "no_upscale"}]}
    )
    original: url
  }
}
    `);