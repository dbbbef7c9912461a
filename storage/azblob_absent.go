//go:build !azblob

package storage

var azblobDrivers []Driver
