// Command provider is an OpenID Connect provider for the journeys: the server of github.com/zitadel/oidc with a page on
// which a visitor chooses who to be. It has one client, safelight, whose secret is the variable CLIENT_SECRET.
//
//	provider -app http://127.0.0.1:8000 -id northlight
//
// It prints its issuer, and serves until its standard input ends. Beside what OpenID Connect defines, it takes these
// requests of a journey:
//
//	POST /test/rotate          a new key signs from now on
//
//	POST /test/forge           the body says how the next ID token differs from an honest one (type forgery)
package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/zitadel/oidc/v3/pkg/op"
)

func main() {
	app := flag.String("app", "", "base URL of the server whose people sign in")
	id := flag.String("id", "northlight", "id of this provider there")
	flag.Parse()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	issuer := "http://" + listener.Addr().String()
	handler, err := newHandler(issuer, newStore(*app, *id, os.Getenv("CLIENT_SECRET")))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(issuer)
	server := &http.Server{Handler: handler}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		_ = server.Shutdown(context.Background())
		os.Exit(0)
	}()
	log.Fatal(server.Serve(listener))
}

func newHandler(issuer string, s *store) (http.Handler, error) {
	config := &op.Config{
		CryptoKey:      sha256.Sum256([]byte(rand.Text())),
		CodeMethodS256: true,
	}
	provider, err := op.NewProvider(config, s, op.StaticIssuer(issuer), op.WithAllowInsecure())
	if err != nil {
		return nil, err
	}
	back := op.AuthCallbackURL(provider)
	withIssuer := op.NewIssuerInterceptor(provider.IssuerFromRequest)

	f := &forger{store: s}
	mux := http.NewServeMux()
	mux.Handle("/", f.wrap(provider))
	mux.HandleFunc("GET /choose", s.choose)
	mux.Handle("GET /chosen", withIssuer.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request := r.FormValue("request")
		if err := s.signIn(request, r.FormValue("sub")); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		http.Redirect(w, r, back(r.Context(), request), http.StatusFound)
	}))
	mux.HandleFunc("POST /test/rotate", func(http.ResponseWriter, *http.Request) { s.rotate() })
	mux.HandleFunc("POST /test/logout", func(w http.ResponseWriter, r *http.Request) {
		status, err := s.logout(issuer, r.FormValue("sub"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		fmt.Fprint(w, status)
	})
	mux.HandleFunc("POST /test/forge", f.take)
	return mux, nil
}
