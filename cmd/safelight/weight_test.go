package main

import (
	"os/exec"
	"strings"
	"testing"
)

// heavy is what once came along unasked, by the start of its packages' paths: decision 0021 says what each weighed.
var heavy = []string{
	"ariga.io/atlas", "entgo.io/ent/dialect/sql/schema", // ent's schema writer
	"github.com/hashicorp/hcl", "github.com/zclconf/go-cty", // Atlas's files
	"gocloud.dev", "github.com/aws", "google.golang.org/grpc", "google.golang.org/api", // S3 once, decision 0023
	"github.com/grpc-ecosystem", "go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp",
	"github.com/Azure", "golang.org/x/oauth2", // drivers behind tags, decision 0049
}

// TestServerLeavesHeavyPackagesOut keeps packages that nothing needs out of the program.
func TestServerLeavesHeavyPackagesOut(t *testing.T) {
	list, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(list)) {
		for _, start := range heavy {
			if strings.HasPrefix(path, start) {
				t.Errorf("the program holds %s", path)
			}
		}
	}
}
