package moves

import (
	"testing"

	"github.com/safelight/safelight/ent/migrate"
)

// TestPrimaryKeys checks what eachRow relies on: the primary key of each table is its first column.
func TestPrimaryKeys(t *testing.T) {
	for _, table := range migrate.Tables {
		if table.PrimaryKey[0] != table.Columns[0] || len(table.PrimaryKey) != 1 {
			t.Errorf("the primary key of %s is not its first column", table.Name)
		}
	}
}

// TestReferences checks that a table precedes those that refer to it.
func TestReferences(t *testing.T) {
	place := map[string]int{}
	for i, table := range tables() {
		place[table.Name] = i
	}
	if len(place) != len(migrate.Tables) {
		t.Errorf("%d tables, expected %d", len(place), len(migrate.Tables))
	}
	for _, table := range migrate.Tables {
		for _, key := range table.ForeignKeys {
			if place[key.RefTable.Name] > place[table.Name] {
				t.Errorf("%s precedes %s, to which it refers", table.Name, key.RefTable.Name)
			}
		}
	}
}
