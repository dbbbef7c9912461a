package deploy

import (
	"regexp"
	"strings"
	"testing"
)

// TestReleaseWorkflow checks that only a job of the environment release has the key, that the job runs no code of the
// repository or of packages, and that npm gets a path and not the name of a repository.
func TestReleaseWorkflow(t *testing.T) {
	workflow := read(t, ".github/workflows/release.yml")
	_, jobs, _ := strings.Cut(workflow, "\njobs:\n")
	heads := regexp.MustCompile(`(?m)^  (\w+):\n`).FindAllStringSubmatchIndex(jobs, -1)
	withKey := 0
	for i, head := range heads {
		end := len(jobs)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		name, job := jobs[head[2]:head[3]], jobs[head[0]:end]
		if !strings.Contains(job, "RELEASE_KEY") {
			continue
		}
		withKey++
		if !strings.Contains(job, "\n    environment: release\n") {
			t.Errorf("job %s has the key outside of the environment release", name)
		}
		for _, code := range []string{"actions/checkout", "make ", "npm ", "scripts/", "container:", "apt-get"} {
			if strings.Contains(job, code) {
				t.Errorf("job %s has the key and runs %s", name, code)
			}
		}
	}
	if withKey != 1 {
		t.Errorf("%d of %d jobs have the key, expected 1", withKey, len(heads))
	}
	publish := regexp.MustCompile(`npm publish .*`).FindString(workflow)
	if !strings.Contains(publish, " ./release/") || !strings.Contains(publish, "--tag ") {
		t.Errorf("the npm package is published by %q", publish)
	}
}
