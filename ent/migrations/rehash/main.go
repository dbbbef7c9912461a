// Command rehash writes the checksums of the migrations anew, after one was written by hand: go run
// ./ent/migrations/rehash.
package main

import (
	"fmt"
	"os"

	"ariga.io/atlas/sql/migrate"
	"ariga.io/atlas/sql/sqltool"
)

func main() {
	for _, name := range []string{"sqlite", "postgres"} {
		if err := rehash("ent/migrations/" + name); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			os.Exit(1)
		}
	}
}

func rehash(folder string) error {
	dir, err := sqltool.NewGooseDir(folder)
	if err != nil {
		return err
	}
	sum, err := dir.Checksum()
	if err != nil {
		return err
	}
	return migrate.WriteSumFile(dir, sum)
}
