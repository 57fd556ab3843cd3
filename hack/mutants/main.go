package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	work := flag.String("work", "", "folder for what is compiled")
	also := flag.String("also", "", "packages whose tests hold it beside its own")
	timeout := flag.Duration("timeout", 10*time.Minute, "for the tests of one package")
	flag.Parse()
	code, err := run(*work, *also, *timeout, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
	}
	os.Exit(code)
}

// cheap is up to how long the tests of a package are all run, whether they come to a mutant or not.
const cheap = 2 * time.Second

// compile is the exit code of what is to be compiled.
const compile = 3

func run(work, also string, timeout time.Duration, args []string) (int, error) {
	switch {
	case len(args) == 2 && args[0] == "prepare":
		if err := prepare(work, args[1], also, cheap); err != nil {
			return 1, err
		}
		return 0, nil
	case len(args) == 2 && args[0] == "test":
		return test(work, args[1], timeout)
	}
	return 1, errors.New("usage: mutants -work FOLDER prepare PACKAGE | test MUTATED")
}
