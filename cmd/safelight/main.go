// Command safelight serves pictures, which it processes as their URLs specify, and an API to manage them.
package main

import (
	"context"
	"os"

	"github.com/safelight/safelight/imaging/worker"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == worker.Command {
		os.Exit(worker.Main(openWorkerEngine))
	}
	os.Exit(exitCode(run(withProcess(context.Background()), os.Args[1:], os.Environ(), os.Stdin, os.Stdout,
		os.Stderr), os.Stderr))
}
