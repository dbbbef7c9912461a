package cache

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"
)

// TestManyFilesOnDisk measures a start with SAFELIGHT_BENCH_CACHE entries on a real disk (make bench-cache) that
// an earlier run left.
func TestManyFilesOnDisk(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("SAFELIGHT_BENCH_CACHE"))
	if err != nil {
		t.Skip("SAFELIGHT_BENCH_CACHE is the number of entries")
	}
	folder := t.TempDir()
	c, err := New(Config{Folder: folder, FileBytes: 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	<-c.files.scanned
	numbers := make(chan int)
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for i := range numbers {
				e, k := entry(100), KeyOf(fmt.Sprint(i))
				e.Sources = []string{fmt.Sprintf("folder/%d.jpg", i%5000)}
				data, err := encode(k, e)
				if err != nil {
					t.Error(err)
				}
				c.files.put(k, e, data)
			}
		})
	}
	for i := range n {
		numbers <- i
	}
	close(numbers)
	workers.Wait()
	c.Close()
	t.Logf("%d entries written", n)
	cpu, began := cpuTime(t), time.Now()
	c, err = New(Config{Folder: folder, FileBytes: 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ready := time.Since(began)
	<-c.files.scanned
	t.Logf("ready after %v, loaded after %v, %v of CPU", ready, time.Since(began), cpuTime(t)-cpu)
	if entries := c.Stats().Files.Entries; entries != int64(n) {
		t.Errorf("%d entries, expected %d", entries, n)
	}
}
