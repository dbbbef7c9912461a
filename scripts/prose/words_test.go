// Package prose holds tests over what people read: the SDL, settings, documentation, messages and comments. They reject
// phrases that have a shorter or more common form, and links that lead nowhere.
package prose

import (
	"regexp"
	"strings"
)

// rule is a phrase that our texts do not use, and what to write instead.
type rule struct {
	pattern string // a regular expression, case-insensitive, over text whose white space is single spaces
	instead string
	ui      bool // only for texts of the API and the application, which are in American English
}

var rules = []rule{
	{pattern: `\b(lies?|lay|lain) (in|on|at|below|under|beside|behind|beyond|there|directly|ahead)\b`, instead: "is in"},
	{pattern: `\bwhat lies\b`, instead: "contents"},
	{pattern: `\bstands? (in|there|beside|behind)\b`, instead: "is in"},
	{pattern: `\b(is|are|was|were|be) told\b`, instead: "gets, is configured"},
	{pattern: `\b(gives?|gave|giving) way\b`, instead: "yields"},
	{pattern: `\b(give|gives|gave|given|giving) it up\b`, instead: "cancels, stops"},
	{pattern: `\bdear(er|est)?\b`, instead: "expensive"},
	{pattern: `\b(it|that|this|which|itself|they|these|default|what) (is|are|was|were) none\b`, instead: "does not exist, is empty"},
	{pattern: `\b(is|are) no (picture|image|number|setting|error|file|folder|format|text|path|template|key)s?\b`, instead: "is not a"},
	{pattern: `\bany more\b`, instead: "no longer, anymore"},
	{pattern: `\bnobody (is|was|waits?|has|said|runs?|asks?|knows?|else)\b`, instead: "no one, or name the subject"},
	{pattern: `\bof what\b`, instead: "name the thing"},
	{pattern: `\bin force\b`, instead: "effective"},
	{pattern: `\bcomes? (to nothing|of it|of them)\b`, instead: "fails, results"},
	{pattern: `\bbears?\b`, instead: "has"},
	{pattern: `\bfor ever\b`, instead: "forever"},
	{pattern: `\bin (its|their|his) stead\b`, instead: "instead"},
	{pattern: `\banew\b`, instead: "again"},
	{pattern: `\bafresh\b`, instead: "again"},
	{pattern: `\bwithout regard to case\b`, instead: "case-insensitive"},
	{pattern: `\bwhen left out\b`, instead: "by default, null"},
	{pattern: `(^|[.;:,] )who (asks|knows|wants|owns|slipped|comes|waits|looks|has|reads|may)\b`, instead: "name the subject: a caller, a client"},
	{pattern: `, for (it|they|there|these|those|whose|what|he)\b`, instead: "because"},
	{pattern: `\bbelieve[sd]?\b`, instead: "trust, assume"},
	{pattern: `\bturn(s|ed|ing)? (it |them )?away\b`, instead: "reject"},
	{pattern: `\bfinished pictures?\b`, instead: "result"},
	{pattern: `\b(pictures|requests|work) at work\b`, instead: "running jobs, images in progress"},
	{pattern: `\bfar away\b`, instead: "remote"},
	{pattern: `\bfrom afar\b`, instead: "remote"},
	{pattern: `\b(seven|six) other(s| engineers)\b`, instead: "a machine under load"},
	{pattern: `\bare (never|not) (the )?likest\b|\blikest\b`, instead: "most similar"},
	{pattern: `\bgo(es)? on (with|at|from)\b`, instead: "continue"},
	{pattern: `\bcolour`, instead: "color", ui: true},
	{pattern: `\b(centre|grey|behaviour|normalise|recognise|cancelled)\b`, instead: "American spelling", ui: true},
	{pattern: `\ba (minute|second|request|dialect|job|picture) (each|a)\b`, instead: "per"},
}

// compiled are the rules' patterns, in their order.
var compiled = func() []*regexp.Regexp {
	list := make([]*regexp.Regexp, len(rules))
	for i, r := range rules {
		list[i] = regexp.MustCompile(`(?i)` + r.pattern)
	}
	return list
}()

// allowed are exact exceptions: a part of the sentence, and why it stays.
var allowed = map[string]string{}

// find returns the phrases of text that break a rule, each with what to write instead.
func find(text string, ui bool) (found []string) {
	text = strings.Join(strings.Fields(text), " ")
	for exception := range allowed {
		text = strings.ReplaceAll(text, exception, "")
	}
	for i, r := range rules {
		if r.ui && !ui {
			continue
		}
		for _, m := range compiled[i].FindAllString(text, -1) {
			found = append(found, `"`+m+`": write `+r.instead)
		}
	}
	return found
}
