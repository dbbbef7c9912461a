// Command safelight serves pictures that it processes as their URLs describe, and an API to manage them.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/safelight/safelight/imaging/worker"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == worker.Command {
		os.Exit(worker.Main(openWorkerEngine))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(exitCode(run(withProcess(ctx), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr), os.Stderr))
}
