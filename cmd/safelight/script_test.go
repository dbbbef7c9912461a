package main

import (
	"fmt"
	"net/http"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/safelight/safelight/imaging/worker"
)

// TestMain lets the scripts run this binary as `safelight`: the real main in its own process, but for the cost of
// password hashes.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == worker.Command {
		main()
	}
	testscript.Main(m, map[string]func(){"safelight": mainOfTests})
}

// TestScripts runs the stories of testdata/script. Beside testscript's own commands they have:
//
//	serve [ARG...]             start the server on a free port in the work folder; sets $URL,
//	                           $PICTURE and, at the first start, $PASSWORD
//	stop                       stop it with SIGTERM; fails unless it ends well
//	login ACTOR NAME PASSWORD  log an actor in
//	bearer ACTOR               give an actor the API token that the last answer shows
//	keep NAME EXPRESSION       set a variable to what the group of the expression matches in the last answer
//	receive                    start a receiver of webhooks; sets $RECEIVER
//	received N                 wait for N events, check that $SECRET signs all; stdout is their bodies
//	postgres                   make an empty database and set SAFELIGHT_DATABASE
//	s3                         set SAFELIGHT_STORAGE to an empty place of the test's bucket
//	anon|ann|ben|guest|user|admin|program|old|new METHOD PATH [JSON or @FILE]
//	                           send a request as that actor; stdout is status line, headers, body
//	cookie ACTOR [NAME VALUE]  replace the cookies of ann or ben by this one, or by none
//
// ann and ben are nobody to the API. They keep cookies, and send all of them to every path.
// admin logs in by itself with $PASSWORD, guest through /api/auth/guest. The conditions [postgres]
// and [s3] hold where `make test` has started the services.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Values[stageKey{}] = &stage{
				tokens: map[string]string{}, cookies: map[string]map[string]*http.Cookie{},
			}
			env.Setenv("FREE", freeAddress(t)) // for a server that must know its address
			return nil
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "postgres":
				return os.Getenv(testPostgres) != "", nil
			case "s3":
				return os.Getenv(testS3) != "", nil
			}
			return false, fmt.Errorf("there is no condition %s", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"serve":    serveScript,
			"stop":     stopScript,
			"login":    loginScript,
			"postgres": postgresScript,
			"s3":       s3Script,
			"anon":     actor("anon"),
			"guest":    actor("guest"),
			"user":     actor("user"),
			"admin":    actor("admin"),
			"program":  actor("program"),
			"ann":      actor("ann"),
			"ben":      actor("ben"),
			"cookie":   cookieScript,
			"old":      actor("old"),
			"new":      actor("new"),
			"bearer":   bearerScript,
			"keep":     keepScript,
			"receive":  receiveScript,
			"received": receivedScript,
		},
	})
}
