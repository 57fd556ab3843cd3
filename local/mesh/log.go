package mesh

import (
	"os"
	"path/filepath"
	"sync"
)

// logFile is where Knative's parts write. Some of them still do when the file is closed: they have no end of their own.
type logFile struct {
	mu     sync.Mutex
	file   *os.File
	closed bool
}

// openLogFile opens a file to append to, and makes its directory.
func openLogFile(name string) (*logFile, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	return &logFile{file: file}, nil
}

// Write writes, and takes what comes after Close without a word.
func (l *logFile) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return len(line), nil
	}
	return l.file.Write(line)
}

// Close closes the file.
func (l *logFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	return l.file.Close()
}
