// Command program stands for the server's program in tests of releases: it prints its arguments.
package main

import (
	"fmt"
	"os"
)

func main() { fmt.Println(os.Args[1:]) }
