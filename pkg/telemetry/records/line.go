package records

import (
	"slices"

	"go.uber.org/zap/zapcore"

	"github.com/kn-flink/kn-flink/pkg/telemetry"
	"github.com/kn-flink/kn-flink/pkg/telemetry/otlp"
)

// Core keeps the lines of a logger, of the levels that are enabled; nil where no lines are pushed.
func (r *Records) Core(levels zapcore.LevelEnabler) zapcore.Core {
	if r == nil || r.logs == nil {
		return nil
	}
	return lines{LevelEnabler: levels, r: r}
}

// lines is a core that keeps lines for a push.
type lines struct {
	zapcore.LevelEnabler
	r      *Records
	fields []zapcore.Field
}

// With is the core of lines that have these fields, too.
func (l lines) With(fields []zapcore.Field) zapcore.Core {
	l.fields = slices.Concat(l.fields, fields)
	return l
}

// Check takes the lines of the levels that are enabled.
func (l lines) Check(line zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if l.Enabled(line.Level) {
		return checked.AddCore(line, l)
	}
	return checked
}

// Write keeps a line, if there is room.
func (l lines) Write(line zapcore.Entry, fields []zapcore.Field) error {
	texts := zapcore.NewMapObjectEncoder()
	for _, f := range slices.Concat(l.fields, fields) {
		f.AddTo(texts)
	}
	if line.LoggerName != "" {
		texts.Fields["logger"] = line.LoggerName
	}
	kept := otlp.Line{
		At: line.Time, Level: line.Level.CapitalString(), Severity: severity(line.Level), Message: line.Message,
		Fields: texts.Fields,
	}
	kept.Trace, _ = texts.Fields[telemetry.TraceID].(string)
	l.r.mu.Lock()
	defer l.r.mu.Unlock()
	if len(l.r.lines) >= mostLines {
		l.r.dropped++
		return nil
	}
	l.r.lines = append(l.r.lines, kept)
	return nil
}

// Sync does nothing: the gate pushes.
func (lines) Sync() error { return nil }

// severity is a level in OpenTelemetry's scale.
func severity(level zapcore.Level) int {
	switch {
	case level < zapcore.InfoLevel:
		return 5
	case level == zapcore.InfoLevel:
		return 9
	case level == zapcore.WarnLevel:
		return 13
	case level == zapcore.ErrorLevel:
		return 17
	}
	return 21
}
