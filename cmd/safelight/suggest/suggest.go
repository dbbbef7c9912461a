// Package suggest finds what an operator may have meant.
package suggest

// Word returns ", did you mean X?" for the most similar known word; empty if none is similar.
func Word(word string, known []string) string {
	best, least := "", min(len(word)/3, 3) // others are no slips of the fingers
	for _, k := range known {
		if d := distance(word, k); d <= least {
			best, least = k, d-1
		}
	}
	if best == "" {
		return ""
	}
	return ", did you mean " + best + "?"
}

// distance returns the edit distance of two words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
