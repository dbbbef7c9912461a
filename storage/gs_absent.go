//go:build !gs

package storage

var gsDrivers []Driver
