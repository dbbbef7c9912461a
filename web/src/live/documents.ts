import { graphql } from "../api/graphql";

export const FolderChanges = graphql(`
  subscription FolderChanges {
    folderChanges(folder: "", recursive: true) {
      kind
      path
      file {
        id
      }
      position
    }
  }
`);

export const IndexStateFragment = graphql(`
  fragment IndexState on IndexStatus {
    pendingFiles
    scan {
      path
      state
      entries
      folders
      startedAt
      finishedAt
    }
  }
`);

export const IndexChanges = graphql(`
  subscription IndexChanges {
    indexStatus {
      ...IndexState
    }
  }
`);
