package main

import "github.com/agnivade/levenshtein"

// suggest returns ", did you mean X?" for the known word that is most similar to word; empty if none is similar.
func suggest(word string, known []string) string {
	best, least := "", min(len(word)/3, 3)
	for _, k := range known {
		if d := levenshtein.ComputeDistance(word, k); d <= least {
			best, least = k, d-1
		}
	}
	if best == "" {
		return ""
	}
	return ", did you mean " + best + "?"
}
