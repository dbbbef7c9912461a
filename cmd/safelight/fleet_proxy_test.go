package main

import (
	"math"
	"math/rand/v2"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// badNetwork is a TCP proxy that delays what a service answers, and resets a share of the connections while they
// answer.
type badNetwork struct {
	to      string
	delay   atomic.Int64  // nanoseconds
	resets  atomic.Uint64 // bits of the probability for each part of an answer
	counted atomic.Int64  // connections that were reset
	listen  net.Listener
	wg      sync.WaitGroup
}

// through returns a proxy, good at first, before the host of a URL, and the URL through it. The host is in the query
// for S3.
func through(t *testing.T, address, to string) (p *badNetwork, through string) {
	t.Helper()
	if _, err := url.Parse(address); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	p = &badNetwork{to: to, listen: l}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.wg.Go(func() { p.carry(c.(*net.TCPConn)) })
		}
	}()
	return p, strings.ReplaceAll(address, to, l.Addr().String())
}

// is sets how bad it is: the delay of an answer, and the share of the parts of answers that end in a reset.
func (p *badNetwork) is(delay time.Duration, resets float64) {
	p.delay.Store(int64(delay))
	p.resets.Store(math.Float64bits(resets))
}

// carry carries a connection in both directions.
func (p *badNetwork) carry(client *net.TCPConn) {
	defer client.Close()
	raw, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	service := raw.(*net.TCPConn)
	defer service.Close()
	var wg sync.WaitGroup
	wg.Go(func() { p.copy(service, client, false) })
	wg.Go(func() { p.copy(client, service, true) })
	wg.Wait()
}

// copy forwards data, with the faults of the network if bad is set.
func (p *badNetwork) copy(to, from *net.TCPConn, bad bool) {
	type part struct {
		data []byte
		due  time.Time
	}
	parts := make(chan part, 1024)
	go func() {
		defer close(parts)
		for {
			buffer := make([]byte, 64<<10)
			n, err := from.Read(buffer)
			if n > 0 {
				due := time.Now()
				if bad {
					due = due.Add(time.Duration(p.delay.Load()))
				}
				parts <- part{buffer[:n], due}
			}
			if err != nil {
				return
			}
		}
	}()
	for part := range parts {
		time.Sleep(time.Until(part.due))
		if bad && rand.Float64() < math.Float64frombits(p.resets.Load()) {
			p.counted.Add(1)
			for _, c := range []*net.TCPConn{to, from} {
				_ = c.SetLinger(0) // a reset, not an end
				c.Close()
			}
			break
		}
		if _, err := to.Write(part.data); err != nil {
			break
		}
	}
	_ = to.CloseWrite() // an error means that it is closed
	_ = from.CloseRead()
	for range parts { // the reader ends
	}
}
