package gallery_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/gallery"
	"github.com/safelight/safelight/gallery/access"
	"github.com/safelight/safelight/gallery/search"
)

// rights measures lists and counts for an account that sees first 200 and then 2,000 of 20,000 folders,
// alternating with those for an admin.
func (m measured) rights() {
	session := m.Person("viewer", auth.RoleUser)
	viewer, admin := m.As(session), m.Someone(auth.RoleAdmin)
	m.Must(m.SetGrants(m.Context(), "", nil))
	to := access.Grantee{Kind: access.Account, ID: session.User.ID.String()}
	for _, count := range []int{200, 2000} {
		each := 20_000 / count
		for i := range count { // the folders of the first round are a subset of those of the second
			folder := fmt.Sprintf("f%04d", i*each+i*each/100%each)
			m.Must(m.Access.SetGrants(m.Context(), folder, []*access.Grant{{To: to, Right: access.View}}))
		}
		for _, one := range m.lists() {
			of := [2]context.Context{admin, viewer}
			var times, cpu [2][]float64
			for range 31 {
				for i, ctx := range of {
					backends := m.backends()
					began, used := time.Now(), m.used(backends)
					must(m.T, one.do(access.Once(ctx)))
					times[i] = append(times[i], float64(time.Since(began).Microseconds())/1000)
					cpu[i] = append(cpu[i], m.used(backends)-used)
				}
			}
			for i := range of {
				slices.Sort(times[i])
				slices.Sort(cpu[i])
			}
			mine, theirs := cpu[1][15], cpu[0][15]
			m.Logf("%4d folders, %-26s CPU %8.2f ms, of an admin %8.2f, ratio %.2f; time %8.2f, %8.2f", count, one.what,
				mine, theirs, mine/theirs, times[1][15], times[0][15])
		}
	}
}

// backends returns the PostgreSQL processes that serve the test, or none on SQLite.
func (m measured) backends() (pids []int) {
	if !m.onPostgres {
		return nil
	}
	rows, err := m.Pool.Query(
		"SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'",
	)
	must(m.T, err)
	defer rows.Close()
	for rows.Next() {
		var pid int
		must(m.T, rows.Scan(&pid))
		pids = append(pids, pid)
	}
	must(m.T, rows.Err())
	return pids
}

// used returns the CPU time in milliseconds that the test and some processes have used. On a busy computer,
// it is more reliable than the elapsed time.
func (m measured) used(pids []int) (ms float64) {
	var own syscall.Rusage
	must(m.T, syscall.Getrusage(syscall.RUSAGE_SELF, &own))
	return float64(own.Utime.Nano()+own.Stime.Nano())/1e6 + cpuOf(pids)
}

// cpuOf returns the CPU time of all threads of some processes, in milliseconds.
func cpuOf(pids []int) (ms float64) {
	for _, pid := range pids {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		for _, thread := range threads {
			text, err := os.ReadFile(thread)
			if err != nil {
				continue // the thread has ended
			}
			nanoseconds, _, _ := strings.Cut(string(text), " ")
			n, _ := strconv.ParseFloat(nanoseconds, 64)
			ms += n / 1e6
		}
	}
	return ms
}

type benched struct {
	what string
	do   func(context.Context) error
}

// lists returns the calls to measure. Each call is a separate request.
func (m measured) lists() []benched {
	page := func(o gallery.BrowseOptions) func(ctx context.Context) error {
		return func(ctx context.Context) error {
			hundred := int32(100)
			o.First = &hundred
			c, err := m.Files(ctx, o)
			if err == nil {
				_, err = c.TotalCount(ctx, false)
			}
			return err
		}
	}
	return []benched{
		{"all by name", page(gallery.BrowseOptions{Recursive: true})},
		{"all by date, descending", page(gallery.BrowseOptions{
			Recursive: true, Sort: gallery.SortTaken, Descending: true,
		})},
		{"all by size", page(gallery.BrowseOptions{Recursive: true, Sort: gallery.SortSize})},
		{"all by rating, descending", page(gallery.BrowseOptions{
			Recursive: true, Sort: gallery.SortRating, Descending: true,
		})},
		{"all, 3,000 skipped", page(gallery.BrowseOptions{Recursive: true, Skip: 3000})},
		{"one folder", page(gallery.BrowseOptions{Folder: "f0101"})},
		{"a rare word", page(gallery.BrowseOptions{Recursive: true, Search: "w77"})},
		{"a common word", page(gallery.BrowseOptions{Recursive: true, Search: "img"})},
		{"the folders of the root", func(ctx context.Context) error {
			c, err := m.Folders(ctx, gallery.BrowseOptions{})
			if err == nil {
				_, err = c.TotalCount(ctx, false)
			}
			return err
		}},
		{"a count of everything", func(ctx context.Context) error {
			f, err := m.Folder(ctx, "")
			if err == nil {
				_, err = f.TotalFiles(ctx)
			}
			return err
		}},
		{"the timeline by month", func(ctx context.Context) error {
			_, err := m.Timeline(ctx, gallery.BrowseOptions{Recursive: true}, search.Month)
			return err
		}},
	}
}
