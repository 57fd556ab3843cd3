package flink

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
)

// oldest is the Java version that Flink 2 needs at least; Flink 1.15 and later run on it, too.
const oldest = 17

// Java is an installed Java Development Kit.
type Java struct {
	// Home is the directory with bin/java.
	Home string
	// Version is the feature release, as 17.
	Version int
}

// FindJava looks where JAVA_HOME says, else for the java that PATH finds. Its errors say what to install.
func FindJava() (Java, error) {
	home := os.Getenv("JAVA_HOME")
	if home == "" {
		found, err := exec.LookPath("java")
		if err != nil {
			return Java{}, errors.New(
				"there is no java in PATH and no JAVA_HOME: install a JDK, version 17 or 21 (as openjdk-17-jdk-headless)",
			)
		}
		real, err := filepath.EvalSymlinks(found)
		if err != nil {
			return Java{}, err
		}
		home = filepath.Dir(filepath.Dir(real))
	}
	text, err := os.ReadFile(filepath.Join(home, "release"))
	if err != nil {
		return Java{}, fmt.Errorf("%s is no Java installation: set JAVA_HOME to a JDK: %w", home, err)
	}
	version, err := release(string(text))
	if err != nil {
		return Java{}, fmt.Errorf("%s: %w", filepath.Join(home, "release"), err)
	}
	if version < oldest {
		return Java{}, fmt.Errorf(
			"Java in %s is version %d, and Flink needs %d: install a newer JDK or set JAVA_HOME", home, version, oldest,
		)
	}
	if _, err := os.Stat(filepath.Join(home, "bin", "javac")); err != nil {
		return Java{}, fmt.Errorf(
			"%s has no javac, only a runtime: install a JDK (as openjdk-%d-jdk-headless)", home, version,
		)
	}
	return Java{Home: home, Version: version}, nil
}

var javaVersion = regexp.MustCompile(`(?m)^JAVA_VERSION="(?:1\.)?(\d+)`)

// release reads the file of that name in a Java home.
func release(text string) (int, error) {
	found := javaVersion.FindStringSubmatch(text)
	if found == nil {
		return 0, errors.New("no JAVA_VERSION")
	}
	return strconv.Atoi(found[1])
}
