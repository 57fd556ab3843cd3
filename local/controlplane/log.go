package controlplane

import (
	"flag"
	"os"

	"k8s.io/klog/v2"
)

// log is the one file that klog, and so every part, writes to.
type log struct{ file *os.File }

func openLog(path string) (*log, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	if err := flags.Parse([]string{"-logtostderr=false", "-one_output", "-stderrthreshold=FATAL", "-v=1"}); err != nil {
		return nil, err
	}
	klog.SetOutput(file)
	return &log{file: file}, nil
}

// close leaves klog writing to nowhere: parts that were asked to end may still have a word to say.
func (l *log) close() error {
	klog.Flush()
	klog.SetOutput(discard{})
	return l.file.Close()
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
