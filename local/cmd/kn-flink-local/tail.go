package main

import (
	"bytes"
	"io"
	"os"
	"strings"

	"github.com/kn-flink/kn-flink/local/mesh"
)

// listenerLog is the log of the pod of examples/listener. Empty: there was none.
func listenerLog(functions []mesh.Function) string {
	for _, f := range functions {
		if f.Namespace == "default" && f.Name == "listener" {
			return f.LogFile
		}
	}
	return ""
}

// tail reads one log file after another.
type tail struct {
	path string
	done int64
}

// read returns what is new, in the file as before and in the one at the path. A file that is gone has nothing new.
func (t *tail) read(path string) []string {
	lines := t.more()
	if path != "" && path != t.path {
		t.path, t.done = path, 0
		lines = append(lines, t.more()...)
	}
	return lines
}

func (t *tail) more() (lines []string) {
	if t.path == "" {
		return nil
	}
	file, err := os.Open(t.path)
	if err != nil {
		return nil
	}
	defer file.Close()
	content, err := io.ReadAll(io.NewSectionReader(file, t.done, 1<<20))
	if err != nil {
		return nil
	}
	whole := content[:bytes.LastIndexByte(content, '\n')+1]
	t.done += int64(len(whole))
	for line := range strings.Lines(string(whole)) {
		if said, ok := spoken(strings.TrimSuffix(line, "\n")); ok {
			lines = append(lines, said)
		}
	}
	return lines
}

// spoken is the text of a line in the format of container runtimes: TIME stdout|stderr F|P TEXT. False for standard
// error.
func spoken(line string) (string, bool) {
	fields := strings.SplitN(line, " ", 4)
	if len(fields) < 4 || fields[1] != "stdout" {
		return "", false
	}
	return fields[3], true
}
