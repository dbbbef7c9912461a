package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/safelight/safelight/database"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/imaging/worker"
	"github.com/safelight/safelight/signing"
)

// diagnosis collects findings, prints them, and counts the failed ones.
type diagnosis struct {
	out      io.Writer // nil: not printed
	findings []finding
	bad      int
}

// finding is the result of one check.
type finding struct {
	what, text string
	ok         bool
	warning    bool // it works, and less well than it should
}

// isolationOff is what to say about a server that runs without workers.
const isolationOff = "off: a hostile file can stop the server; set isolation to risky"

// report adds a finding; an err counts as failed.
func (d *diagnosis) report(what, text string, err error) {
	if err != nil {
		d.bad++
		d.add("BAD ", finding{what: what, text: message(err)})
		return
	}
	d.add("ok  ", finding{what: what, text: text, ok: true})
}

// warn adds a finding about what works, and less well than it should. It does not count as failed.
func (d *diagnosis) warn(what, text string) {
	d.add("WARN", finding{what: what, text: text, ok: true, warning: true})
}

func (d *diagnosis) add(mark string, f finding) {
	f.text = strings.ReplaceAll(f.text, "\n", "; ")
	d.findings = append(d.findings, f)
	if d.out != nil {
		fmt.Fprintf(d.out, "%s %-9s %s\n", mark, f.what, f.text)
	}
}

// doctor checks everything and changes nothing but storage.WritableKey; it returns an error if a check failed.
func (p *program) doctor() error {
	d := &diagnosis{out: p.stdout}
	s, err := p.settings()
	d.report("settings", "understood", err)
	if err != nil {
		return fmt.Errorf("1 check failed")
	}
	d.engine(p, s)
	d.fonts(p.ctx)
	d.data(s)
	d.keys(s)
	d.database(p.ctx, s)
	d.storage(p.ctx, s)
	d.serving(p.ctx, s)
	if d.bad > 0 {
		return fmt.Errorf("%d of the checks failed", d.bad)
	}
	return nil
}

// engine starts libvips and lists the formats that it writes.
func (d *diagnosis) engine(p *program, s *Settings) {
	engine, stop, err := openEngine(s, p.log(s))
	if err != nil {
		d.report("engine", "", err)
		return
	}
	defer stop()
	d.running(engine)
	d.isolation(p, s, engine)
}

// running reports the version of an engine and the formats that it writes.
func (d *diagnosis) running(engine imaging.Engine) {
	d.report("engine", engine.Version(), nil)
	var formats []string
	for _, f := range engine.Formats() {
		formats = append(formats, string(f))
	}
	d.report("formats", strings.Join(formats, " "), nil)
}

// isolation starts a worker and reports its sandbox.
func (d *diagnosis) isolation(p *program, s *Settings, engine imaging.Engine) {
	if worker.Mode(s.Isolation) == worker.Off {
		d.warn("isolation", isolationOff)
		return
	}
	pool, err := worker.New(workerConfig(s, p.log(s)), engine)
	if err != nil {
		d.report("isolation", "", err)
		return
	}
	defer pool.Close()
	missing, err := pool.Check(p.ctx)
	switch {
	case err != nil:
		d.report("isolation", "", err)
	case len(missing) > 0:
		d.warn("isolation", s.Isolation+", less protected than intended, the kernel lacks: "+strings.Join(missing, ", "))
	default:
		d.report("isolation", s.Isolation+", workers start and have neither network nor files", nil)
	}
}

// fonts lists the families that fontconfig finds; text layers need one.
func (d *diagnosis) fonts(ctx context.Context) {
	out, err := exec.CommandContext(ctx, "fc-list", ":", "family").Output()
	if err != nil {
		d.warn("fonts", "not listed, fc-list is missing: install the package fontconfig to check them")
		return
	}
	families := fontFamilies(string(out))
	if len(families) == 0 {
		d.warn("fonts", "none installed, text in pictures cannot be drawn: install the package fonts-dejavu-core")
		return
	}
	d.report("fonts", strings.Join(families, ", "), nil)
}

// fontFamilies parses the output of fc-list: one family per line, with alternative names after commas.
func fontFamilies(list string) []string {
	var families []string
	for line := range strings.Lines(list) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), ",")
		if name != "" {
			families = append(families, strings.ReplaceAll(name, `\`, ""))
		}
	}
	slices.Sort(families)
	return slices.Compact(families)
}

// data checks that the data folder, or the folder in which it would be made, can be written and has space.
func (d *diagnosis) data(s *Settings) {
	free, err := folderRoom(s.Data)
	d.report("data", fmt.Sprintf("%s has %s free", s.Data, formatBytes(free)), explainData(s, err))
}

// keys checks the mode of the key file.
func (d *diagnosis) keys(s *Settings) {
	file := keysFile(s)
	info, err := os.Stat(file)
	switch {
	case os.IsNotExist(err) && missesKeys(s):
		d.report("keys", "", fmt.Errorf("%s is missing although there is a database: restore it from a backup. A start makes a new one: all sessions end, a generated processor secret is replaced, and one that was configured has to be configured again", file))
	case os.IsNotExist(err):
		d.report("keys", file+" is not there yet, the first start makes it", nil)
	case err != nil:
		d.report("keys", "", err)
	case info.Mode().Perm()&0o077 != 0:
		d.report("keys", "", fmt.Errorf("%s has mode %04o, others can read it: chmod 600", file, info.Mode().Perm()))
	default:
		d.report("keys", fmt.Sprintf("%s, mode %04o", file, info.Mode().Perm()), nil)
	}
}

// database checks for pending migrations; it does not create a missing SQLite file.
func (d *diagnosis) database(ctx context.Context, s *Settings) {
	place := databasePlace(s)
	if !s.usesPostgres() {
		if empty, err := isNewFile(place); err == nil && empty {
			d.report("database", place+" is not there yet, the first start makes it", refuseNew(s))
			return
		}
	}
	db, dialect, err := openDatabase(ctx, s)
	if err != nil {
		d.report("database", "", err)
		return
	}
	defer db.Close()
	states, err := database.MigrationStatus(ctx, db, dialect)
	pending := 0
	for _, m := range states {
		if !m.Applied {
			pending++
		}
	}
	d.report("database", fmt.Sprintf("%s, %d migrations, %d pending", place, len(states), pending), err)
	if err == nil && pending == 0 {
		d.sealed(ctx, s, database.New(db, dialect))
	}
}

// sealed checks that the key file is the one that sealed the secrets in the database. Those of the storage are checked when
// it is opened.
func (d *diagnosis) sealed(ctx context.Context, s *Settings, db *database.DB) {
	if s.Signer.Secret != "" {
		return // the one in the database is not used
	}
	keys, err := keysAsTheyAre(s)
	if err == nil && keys == nil && !missing(keysFile(s)) {
		return // its mode is reported
	}
	if err == nil {
		err = signing.CheckSealed(ctx, db, keys)
	}
	d.report("secrets", "can be read with the key file", err)
}
