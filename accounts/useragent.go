package accounts

import "strings"

// sign is a text in user agents and what it stands for. Browsers also name those that they descend from, so the first
// sign that is found counts.
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

// Browser returns the name of the browser of a user agent. Of other programs it returns their own name, such as curl;
// empty if there is none.
func Browser(userAgent string) string {
	if name := first(browsers, userAgent); name != "" {
		return name
	}
	name, _, _ := strings.Cut(userAgent, "/")
	name, _, _ = strings.Cut(name, " ")
	return name
}

// System returns the name of the operating system or device of a user agent; empty if it names none that is known.
func System(userAgent string) string { return first(systems, userAgent) }

func first(signs []sign, userAgent string) string {
	for _, s := range signs {
		if strings.Contains(userAgent, s.text) {
			return s.name
		}
	}
	return ""
}
