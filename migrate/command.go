package migrate

import (
	"bufio"
	"io"
	"os"

	"github.com/spf13/pflag"

	"github.com/safelight/safelight/fault"
)

// Command is the command line of `safelight migrate-urls`.
type Command struct {
	File    string // file with URLs, one per line, or an access log; - is standard input
	From    string
	Prefix  string
	JSON    bool
	Summary bool
}

// AddFlags adds the flags that fill in c.
func (c *Command) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&c.From, "from", "",
		"`PRODUCT` that all URLs are of: thumbor, imagor, imgproxy or imaginary. Default: guessed for each.")
	flags.StringVar(&c.Prefix, "prefix", "", "`PATH` before the image URLs, such as /images; other URLs are left out.")
	flags.BoolVar(&c.JSON, "json", false, "Print one JSON object a line, the summary last.")
	flags.BoolVar(&c.Summary, "summary", false, "Print the summary only.")
}

// Report reads the file, or stdin for -, and writes the report. code is Summary.Code. It returns fault.Invalid if no
// line contains an image URL, and errors of reading and writing.
func (c Command) Report(stdin io.Reader, stdout io.Writer) (code int, err error) {
	config := Config{Prefix: c.Prefix, JSON: c.JSON, Summary: c.Summary}
	if c.From != "" {
		if config.From, err = ParseProduct(c.From); err != nil {
			return 0, err
		}
	}
	in := stdin
	if c.File != "-" {
		file, err := os.Open(c.File)
		if err != nil {
			return 0, err
		}
		defer file.Close()
		in = file
	}
	out := bufio.NewWriter(stdout)
	summary, err := Run(in, out, config)
	if err != nil {
		return 0, err
	}
	if err := out.Flush(); err != nil {
		return 0, err
	}
	if summary.URLs == 0 {
		return 0, fault.New(fault.Invalid, "no image URL of thumbor, imagor, imgproxy or imaginary in %d lines",
			summary.Lines)
	}
	return summary.Code(), nil
}
