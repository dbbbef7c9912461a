package search

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/ent/entry"
	"github.com/safelight/safelight/fault"
)

// TimelineUnit is the length of a bucket.
type TimelineUnit string

// The units. Empty means Month.
const (
	Year  TimelineUnit = "YEAR"
	Month TimelineUnit = "MONTH"
	Day   TimelineUnit = "DAY"
)

// maxBuckets is the maximum number of buckets in a response: 54 years of days.
const maxBuckets = 20_000

// TimelineBucket is a period with its number of files. Both ends are inclusive; End is the last nanosecond.
type TimelineBucket struct {
	Start, End time.Time
	Count      int32
}

// TimelineQuery selects the files that Timeline counts.
type TimelineQuery struct {
	Where     *Conditions
	Recursive bool // hidden files in subfolders are left out
	By        TimelineUnit
	Ascending bool // otherwise the latest bucket comes first
}

// Timeline counts files by date, for a scroll bar over years of pictures. The date is when the picture was
// taken or, if that is unknown, when the file was last changed. Days, months and years are in UTC. Empty
// buckets are left out. It returns fault.Invalid for more than 20,000 buckets.
//
// If there are few candidates, they are read and counted here. Otherwise the database counts each period in
// the index of the order by date. It only reads rows if a condition needs them.
func Timeline(ctx context.Context, db *database.DB, q TimelineQuery) ([]*TimelineBucket, error) {
	if q.By == "" {
		q.By = Month
	}
	c := counter{db, q}
	list, err := c.count(ctx)
	if err != nil {
		return nil, err
	}
	if !q.Ascending {
		slices.Reverse(list)
	}
	return list, nil
}

type counter struct {
	db *database.DB
	TimelineQuery
}

func (c counter) count(ctx context.Context) ([]*TimelineBucket, error) {
	if c.Where.Candidates != nil || c.Where.Partial() {
		return c.countRead(ctx)
	}
	first, last, err := c.ends(ctx)
	if err != nil || first == nil {
		return []*TimelineBucket{}, err
	}
	if c.By != Day {
		return c.countSpans(ctx, spans(timeOf(*first), timeOf(*last), c.By))
	}
	// A single wrong date must not cost a count for each day of a century, so days are only counted in months
	// with files.
	months, err := c.filled(ctx, spans(timeOf(*first), timeOf(*last), Month))
	if err != nil {
		return nil, err
	}
	var days []TimelineBucket
	for _, m := range months {
		days = append(days, spans(m.Start, m.End, Day)...)
	}
	return c.countSpans(ctx, days)
}

// countRead reads dates and counts them. It is used for few entries, and for the folders that the caller may
// see.
func (c counter) countRead(ctx context.Context) ([]*TimelineBucket, error) {
	var dates []int64
	err := c.db.Entry.Query().
		Where(c.Where.unordered().Of(KindFile, c.Recursive)).
		Select(entry.FieldTakenKey).
		Scan(ctx, &dates)
	if err != nil {
		return nil, database.Translate(err)
	}
	sort.Slice(dates, func(i, j int) bool { return dates[i] < dates[j] })
	list := []*TimelineBucket{}
	for _, d := range dates {
		if n := len(list); n > 0 && !timeOf(d).After(list[n-1].End) {
			list[n-1].Count++
			continue
		}
		b := c.By.around(timeOf(d))
		b.Count = 1
		list = append(list, &b)
	}
	return list, nil
}

// ends returns the first and the last date, or nils if there are no files.
func (c counter) ends(ctx context.Context) (first, last *int64, err error) {
	for _, end := range []struct {
		to    **int64
		order func(string) string
	}{{&first, entsql.Asc}, {&last, entsql.Desc}} {
		var one []int64
		err := c.db.Entry.Query().Where(c.Where.Of(KindFile, c.Recursive)).
			Order(func(s *entsql.Selector) { s.OrderBy(end.order(s.C(entry.FieldTakenKey))) }).Limit(1).
			Select(entry.FieldTakenKey).Scan(ctx, &one)
		if err != nil || len(one) == 0 {
			return nil, nil, database.Translate(err)
		}
		*end.to = &one[0]
	}
	return first, last, nil
}

// filled returns the periods that contain a file.
func (c counter) filled(ctx context.Context, list []TimelineBucket) ([]*TimelineBucket, error) {
	return c.run(ctx, list, "1", "CASE WHEN EXISTS (%s) THEN 1 ELSE 0 END")
}

// countSpans counts the files of each period.
func (c counter) countSpans(ctx context.Context, list []TimelineBucket) ([]*TimelineBucket, error) {
	if len(list) > maxBuckets {
		return nil, fault.OnField(
			fault.Invalid, "by",
			"the files cover %d spans of time, expected at most %d: choose MONTH or filter by date",
			len(list), maxBuckets,
		)
	}
	return c.run(ctx, list, "count(*)", "(%s)")
}

// run selects something from the files of each period, converts it to a number, and returns the periods whose
// number is not 0. It uses a single statement.
func (c counter) run(ctx context.Context, list []TimelineBucket, what, number string) ([]*TimelineBucket, error) {
	statement, args := c.statement(list, what, number)
	type span struct {
		index int
		files int64
	}
	spans, err := database.Rows(
		ctx, c.db, statement, args, func(s *span) []any { return []any{&s.index, &s.files} },
	)
	filled := []*TimelineBucket{}
	for _, s := range spans {
		if s.files > 0 {
			b := list[s.index]
			b.Count = int32(min(s.files, math.MaxInt32))
			filled = append(filled, &b)
		}
	}
	return filled, err
}

// statement is the SQL of run.
func (c counter) statement(list []TimelineBucket, what, number string) (string, []any) {
	t := entsql.Table(entry.Table)
	s := entsql.Dialect(c.db.Dialect()).Select().AppendSelectExpr(entsql.Raw(what)).From(t)
	c.Where.Of(KindFile, c.Recursive)(s)
	s.Where(entsql.P(func(b *entsql.Builder) {
		b.Ident(s.C(entry.FieldTakenKey)).
			WriteString(" >= span.low AND ").
			Ident(s.C(entry.FieldTakenKey)).
			WriteString(" <= span.high")
	}))
	inside, args := s.Query()
	values := make([]string, len(list))
	for i, b := range list {
		values[i] = fmt.Sprintf("(%d,%d,%d)", i, b.Start.UnixNano(), b.End.UnixNano())
	}
	return "WITH span(i, low, high) AS (VALUES " + strings.Join(values, ",") + ") SELECT i, " +
		fmt.Sprintf(number, inside) + " FROM span ORDER BY i", args
}

// timeOf converts nanoseconds since 1970 to a time.
func timeOf(nanoseconds int64) time.Time { return time.Unix(0, nanoseconds).UTC() }

// The first and last times that can be represented as nanoseconds since 1970.
var earliest, latest = timeOf(math.MinInt64), timeOf(math.MaxInt64)

// around returns an empty bucket for the period that contains a time.
func (u TimelineUnit) around(t time.Time) TimelineBucket {
	y, m, d := t.Date()
	var start, next time.Time
	switch u {
	case Year:
		start, next = date(y, 1, 1), date(y+1, 1, 1)
	case Day:
		start, next = date(y, m, d), date(y, m, d+1)
	default:
		start, next = date(y, m, 1), date(y, m+1, 1)
	}
	b := TimelineBucket{Start: start, End: next.Add(-1)}
	if b.Start.Before(earliest) {
		b.Start = earliest
	}
	if b.End.After(latest) {
		b.End = latest
	}
	return b
}

func date(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }

// spans returns empty buckets from the one of first to the one of last.
func spans(first, last time.Time, u TimelineUnit) []TimelineBucket {
	var list []TimelineBucket
	for b := u.around(first); ; b = u.around(b.End.Add(1)) {
		list = append(list, b)
		if !b.End.Before(last) {
			return list
		}
	}
}
