package gallery_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/database/databasetest"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/gallerytest"
	"github.com/safelight/safelight/gallery/search"
	"github.com/safelight/safelight/storage"
)

// TestScanMany measures the first scan of local files, in folders of 500 files and in one folder of 100,000:
// SAFELIGHT_BENCH_SCAN=1000000, which `make bench-gallery` sets.
func TestScanMany(t *testing.T) {
	files, err := strconv.Atoi(os.Getenv("SAFELIGHT_BENCH_SCAN"))
	if err != nil {
		t.Skip("SAFELIGHT_BENCH_SCAN says not how many files: make bench-gallery sets it")
	}
	dir := t.TempDir()
	linkFiles(t, filepath.Join(dir, "small"), files, 500)
	linkFiles(t, filepath.Join(dir, "large"), 100_000, 100_000)
	databasetest.Each(t, func(t *testing.T, db *sql.DB, name string) {
		s := newStage(t, db, name, gallerytest.Config{})
		var err error
		s.Store, err = storage.OpenLocal(dir)
		must(t, err)
		defer s.Store.Close()
		s.Rules = s.Again()
		for _, what := range []string{"first scan", "scan without changes"} {
			began, own, server := time.Now(), ownCPU(), postgresCPU(t, db, name)
			s.scan()
			t.Logf(
				"%s of %d files: %v, CPU %v, PostgreSQL's %v",
				what,
				files,
				time.Since(began).Round(10*time.Millisecond),
				(ownCPU() - own).Round(
					10*time.Millisecond,
				),
				(postgresCPU(t, db, name) - server).Round(10*time.Millisecond),
			)
		}
		began := time.Now()
		must(t, database.New(db, name).Upkeep(access.All(t.Context()))) // as the server does after a scan
		t.Logf("upkeep: %v", time.Since(began).Round(10*time.Millisecond))
		began = time.Now()
		must(t, s.MoveFile(access.All(t.Context()), "small/f000000", "moved/here"))
		t.Logf("moving a folder of 500 files: %v", time.Since(began).Round(time.Millisecond))
		must(t, s.MoveFile(access.All(t.Context()), "moved/here", "small/f000000"))
		measured{stage: s, files: files}.largeFolder("large/f000000")
	})
}

// largeFolder measures pages of 100 files at all depths of a folder of 100,000 files, with the number of
// files.
func (m measured) largeFolder(folder string) {
	hundred, none := int32(100), false
	for _, order := range []gallery.Sort{gallery.SortName, gallery.SortSize, gallery.SortModified, gallery.SortTaken,
		gallery.SortDimensions, gallery.SortRating} {
		m.measure("files of 100,000 by "+string(order), func(i int) error {
			c, err := m.Files(m.Context(), gallery.BrowseOptions{
				Folder:     folder,
				Sort:       order,
				Descending: i%2 == 0,
				First:      &hundred,
				Skip:       int32(i * 499),
				Filter:     search.Filter{IsTemplate: &none},
			})
			if err == nil {
				_, err = c.TotalCount(m.Context(), false)
			}
			return err
		})
	}
}

// linkFiles creates files in folders of a given size, as hard links to a few files, because one file can have
// 65,000 names.
func linkFiles(t *testing.T, dir string, files, folder int) {
	t.Helper()
	source := ""
	for i := range files {
		place := filepath.Join(dir, fmt.Sprintf("f%06d", i/folder))
		if i%folder == 0 {
			must(t, os.MkdirAll(place, 0o755))
		}
		file := filepath.Join(place, fmt.Sprintf("IMG_%07d.jpg", i))
		if i%50_000 == 0 {
			source = file
			must(t, os.WriteFile(file, []byte(gallerytest.PNG+strconv.Itoa(i)), 0o644))
			continue
		}
		must(t, os.Link(source, file))
	}
}

// ownCPU returns the CPU time of this process.
func ownCPU() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// postgresCPU returns the CPU time of the connections to a database on this computer, or 0 for SQLite.
func postgresCPU(t *testing.T, db *sql.DB, name string) (sum time.Duration) {
	if name != "postgres" {
		return 0
	}
	rows, err := db.Query("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var pid int
		must(t, rows.Scan(&pid))
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
		if err != nil {
			continue // on another computer
		}
		ns, _ := strconv.ParseInt(strings.Fields(string(b))[0], 10, 64)
		sum += time.Duration(ns)
	}
	return sum
}
