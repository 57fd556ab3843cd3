package runtime

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// chunk is the longest piece of a line that is written as one: longer lines are marked partial, as CRI runtimes do.
const chunk = 16 << 10

// logFile is a container's log in the CRI format: "TIME STREAM TAG TEXT", tag F for a full line and P for a part of
// one.
type logFile struct {
	mu   sync.Mutex
	path string
	file *os.File
}

func openLogFile(path string) (*logFile, error) {
	l := &logFile{path: path}
	return l, l.reopen()
}

// reopen goes on in a new file after the kubelet has moved the old one away.
func (l *logFile) reopen() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	file, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640)
	if err != nil {
		return fmt.Errorf("open container log: %w", err)
	}
	if l.file != nil {
		_ = l.file.Close()
	}
	l.file = file
	return nil
}

func (l *logFile) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.file.Close()
}

// copy writes a stream until it ends. A full disk loses lines, not the container.
func (l *logFile) copy(stream string, from io.Reader) {
	reader := bufio.NewReaderSize(from, chunk)
	for {
		text, err := reader.ReadSlice('\n')
		tag := "F"
		if errors.Is(err, bufio.ErrBufferFull) {
			tag = "P"
		}
		if len(text) > 0 {
			l.write(stream, tag, text)
		}
		if err != nil && tag == "F" {
			return
		}
	}
}

func (l *logFile) write(stream, tag string, text []byte) {
	if text[len(text)-1] == '\n' {
		text = text[:len(text)-1]
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = fmt.Fprintf(l.file, "%s %s %s %s\n", time.Now().Format(time.RFC3339Nano), stream, tag, text)
}
