package telemetry

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

type printed struct{}

func (printed) String() string { return "password=hunter2" }

func TestLogLinesHoldNoSecrets(t *testing.T) {
	core, lines := observer.New(zapcore.DebugLevel)
	log := zap.New(core, keepSecrets()).Sugar().With("url", "https://u:hunter2@h/x")
	log.Infow("get https://u:hunter2@h", "text", "--password hunter2", "error", errors.New("token=hunter2"),
		"notes", []string{"kept", "secret=hunter2"}, "what", printed{}, "bytes", []byte("password=hunter2"), "count", 3)
	log.Debugf("password: %s", "hunter2")
	text := ""
	for _, line := range lines.All() {
		text += fmt.Sprintln(line.Message, line.ContextMap())
	}
	if lines.Len() != 2 || strings.Contains(text, "hunter2") || strings.Count(text, "******") < 8 {
		t.Errorf("%d lines: %s", lines.Len(), text)
	}
	for _, kept := range []string{"https://u:", "--password", "kept", "count:3"} {
		if !strings.Contains(text, kept) {
			t.Errorf("%q is gone: %s", kept, text)
		}
	}
}

func TestTheLoggerOfAFunctionKeepsItsLevel(t *testing.T) {
	log := NewLogger("observe", map[string]string{"loglevel.observe": "error"}, nil).Desugar()
	if log.Core().Enabled(zapcore.InfoLevel) || log.Check(zapcore.InfoLevel, "x") != nil ||
		log.Check(zapcore.ErrorLevel, "x") == nil {
		t.Error("a line below the level is written, or one above it is not")
	}
}
