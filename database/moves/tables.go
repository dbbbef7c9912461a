package moves

import (
	"fmt"
	"slices"
	"sync"

	"entgo.io/ent/dialect/sql/schema"
	"entgo.io/ent/schema/field"

	"github.com/safelight/safelight/ent/migrate"
)

// tables are all tables of the ent schemas. A table precedes those that refer to it.
var tables = sync.OnceValue(func() (list []table) {
	for _, t := range inOrder(migrate.Tables) {
		columns := make([]column, len(t.Columns))
		for i, c := range t.Columns {
			columns[i] = column{c.Name, kindOf(c), c.Increment}
		}
		list = append(list, table{t.Name, columns})
	}
	return list
})

// inOrder sorts tables so that each precedes those that refer to it.
func inOrder(all []*schema.Table) (list []*schema.Table) {
	var add func(*schema.Table)
	add = func(t *schema.Table) {
		if slices.Contains(list, t) {
			return
		}
		for _, key := range t.ForeignKeys {
			if key.RefTable != t {
				add(key.RefTable)
			}
		}
		list = append(list, t)
	}
	for _, t := range all {
		add(t)
	}
	return list
}

// kindOf returns the kind of a column. It panics for a type that moves do not know, which no ent schema has.
func kindOf(c *schema.Column) kind {
	switch c.Type {
	case field.TypeBool:
		return boolean
	case field.TypeTime:
		return moment
	case field.TypeFloat32, field.TypeFloat64:
		return decimal
	case field.TypeBytes:
		return blob
	case field.TypeJSON:
		return documents
	case field.TypeString, field.TypeEnum, field.TypeUUID:
		return text
	}
	if !c.Type.Numeric() {
		panic(fmt.Sprintf("the column %s has the type %s, which cannot be moved", c.Name, c.Type))
	}
	return number
}
