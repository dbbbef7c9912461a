// Package web is the application for browsers, as files. Its sources are in src; README.md says how they are
// organized and built.
package web
