package storage

// FolderReads returns how often a local store read a folder's names since it was opened.
func FolderReads(s Store) int64 { return s.(*local).reads.Load() }
