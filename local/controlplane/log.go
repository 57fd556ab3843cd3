package controlplane

import (
	"flag"
	"fmt"
	"io"
	"os"

	"k8s.io/klog/v2"
)

// tail is how much of the log is shown when a part ends the process.
const tail = 4096

// log is the one file that klog, and so every part, writes to.
type log struct{ file *os.File }

// openLog writes the end of the log to stderr, too, when a part ends the process.
func openLog(path string, stderr io.Writer) (*log, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	if err := flags.Parse([]string{"-logtostderr=false", "-stderrthreshold=FATAL", "-v=1"}); err != nil {
		return nil, err
	}
	klog.SetOutput(file)
	// Kubernetes' parts end the process when something they count on breaks; then the reason is shown, not only stored.
	klog.OsExit = func(code int) {
		klog.Flush()
		fmt.Fprintf(stderr, "a part of the control plane ended the process; the end of %s:\n%s\n", path, lastBytes(path))
		os.Exit(code)
	}
	return &log{file: file}, nil
}

func lastBytes(path string) []byte {
	content, err := os.ReadFile(path)
	if err != nil {
		return []byte(err.Error())
	}
	if len(content) > tail {
		content = content[len(content)-tail:]
	}
	return content
}

// close leaves klog writing to nowhere: parts that were asked to end may still have a word to say.
func (l *log) close() error {
	klog.Flush()
	klog.SetOutput(discard{})
	klog.OsExit = os.Exit
	return l.file.Close()
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
