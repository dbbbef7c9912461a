package imaging

// Filters is a list of filters as text, `name(args):name(args)`, without the leading
// `filters:`. The text makes Operations comparable; List gives the parts.
type Filters string

// Filter is one filter as written: its name and the text between its parentheses.
type Filter struct {
	Name string `json:"name"`
	Args string `json:"args,omitempty"`
}

// Call is one filter whose arguments have been checked against the table of filters: each one is present, of the right
// kind and in range. Name is a name in the table. Engines read arguments by their names in the table. An argument that
// the table does not have is the zero Value.
type Call struct {
	Name string
	Args map[string]Value
}

// Value is one checked argument. Which fields are set depends on its kind in the table.
type Value struct {
	Set      bool    // false: not given; the other fields have the default
	Text     string  // decoded text; the lowercase word for enums
	Number   float64 // for numbers
	Colour   Colour
	Position Position
	Region   Region
	Curve    Curve
}

// Arg returns the argument with the given name.
func (c Call) Arg(name string) Value { return c.Args[name] }

// Int returns the argument with the given name as an integer.
func (c Call) Int(name string) int { return int(c.Args[name].Number) }

// Float returns the argument with the given name as a number.
func (c Call) Float(name string) float64 { return c.Args[name].Number }

// Text returns the argument with the given name as text.
func (c Call) Text(name string) string { return c.Args[name].Text }

// Colour is an sRGB colour, 8 bits per channel, or a special word.
type Colour struct {
	R, G, B, A uint8 // A: 0 transparent .. 255 opaque
	// "auto" (average of the picture), "none" (transparent), "blur" (fill only); empty for a plain colour
	Word string
}

// Unit is the unit of a Position.
type Unit int

// The units of a position.
const (
	UnitPixels   Unit = iota // negative values count from the far edge
	UnitFraction             // fraction of the picture's side; percentages are converted to fractions
	UnitStart                // left or top edge
	UnitCentre
	UnitEnd    // right or bottom edge
	UnitRepeat // tiled
)

// Position is a position along one axis. Offset is in pixels and moves outward from the edge that Unit names.
type Position struct {
	Unit   Unit
	Number float64
	Offset int
}

// Region is a focal region or point of the source: pixels, or fractions of its sides.
type Region struct {
	Left, Top, Right, Bottom float64
	Fraction                 bool
	Point                    bool // Right and Bottom are equal to Left and Top
}

// Warning says that a filter or a segment was not applied as written.
type Warning struct {
	Filter  string // the filter's name; empty for a segment
	Field   string // the argument's name; empty if the warning is about the whole filter
	Message string // one English sentence without a final period
}

// String returns the warning as one line of ASCII, for the X-Warnings header and for /params.
func (w Warning) String() string { return w.Message }
