package accounts

import "strings"

// sign is a text in user agents and the name to display. Browsers also contain the names of their ancestors,
// so the first match counts.
type sign struct{ text, name string }

var browsers = []sign{
	{"Edg/", "Edge"}, {"EdgA/", "Edge"}, {"EdgiOS/", "Edge"},
	{"OPR/", "Opera"},
	{"SamsungBrowser/", "Samsung Internet"},
	{"Vivaldi/", "Vivaldi"},
	{"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"},
	{"Chrome/", "Chrome"}, {"CriOS/", "Chrome"}, {"Chromium/", "Chromium"},
	{"Safari/", "Safari"},
}

var systems = []sign{
	{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"CrOS", "ChromeOS"},
	{"Windows", "Windows"}, {"Macintosh", "macOS"}, {"Linux", "Linux"},
}

// Browser returns the name of the browser in a user agent. For other programs, it returns the program's own
// name, such as curl. It is empty if there is none.
func Browser(userAgent string) string {
	if name := first(browsers, userAgent); name != "" {
		return name
	}
	name, _, _ := strings.Cut(userAgent, "/")
	name, _, _ = strings.Cut(name, " ")
	return name
}

// System returns the name of the operating system or device in a user agent, or an empty text if it is
// unknown.
func System(userAgent string) string { return first(systems, userAgent) }

func first(signs []sign, userAgent string) string {
	for _, s := range signs {
		if strings.Contains(userAgent, s.text) {
			return s.name
		}
	}
	return ""
}
