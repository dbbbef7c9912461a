package server_test

import "testing"

// TestStoragePlaceIsForAdmins asks for the storage with each role: its kind is for all, its place for admins.
func TestStoragePlaceIsForAdmins(t *testing.T) {
	s := newStage(t, nil)
	for actor, place := range map[string]string{"guest": "", "user": "", "admin": "files"} {
		a := s.graphQL(actor, `{ storageStatus { kind location } }`, nil)
		if a.json("data", "storageStatus", "kind") != "FILE" || a.json("data", "storageStatus", "location") != place {
			t.Errorf("%s: %s, expected place %q", actor, a.body, place)
		}
	}
}
