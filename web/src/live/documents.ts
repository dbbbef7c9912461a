import { graphql } from '../api/graphql'

export const FolderChanges = graphql(`
  subscription FolderChanges {
    folderChanges(folder: "", recursive: true) {
      kind
      path
      file {
        id
      }
    }
  }
`)

export const IndexChanges = graphql(`
  subscription IndexChanges {
    indexStatus {
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
  }
`)
