package telemetry

import (
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/kn-flink/kn-flink/pkg/redact"
)

// discreet is a core whose lines hold no text that looks like a secret.
type discreet struct{ zapcore.Core }

// keepSecrets makes a logger discreet.
func keepSecrets() zap.Option {
	return zap.WrapCore(func(core zapcore.Core) zapcore.Core { return discreet{core} })
}

func (c discreet) With(fields []zapcore.Field) zapcore.Core {
	return discreet{c.Core.With(hideAll(fields))}
}

func (c discreet) Check(line zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(line.Level) {
		return checked.AddCore(line, c)
	}
	return checked
}

func (c discreet) Write(line zapcore.Entry, fields []zapcore.Field) error {
	line.Message = redact.Text(line.Message)
	return c.Core.Write(line, hideAll(fields))
}

func hideAll(fields []zapcore.Field) []zapcore.Field {
	hidden := make([]zapcore.Field, len(fields))
	for i, f := range fields {
		hidden[i] = hide(f)
	}
	return hidden
}

// hide makes texts discreet, those of errors, of lists and of whatever else prints itself, too. Numbers and times are
// as they are.
func hide(f zapcore.Field) zapcore.Field {
	switch f.Type {
	case zapcore.StringType:
		f.String = redact.Text(f.String)
		return f
	case zapcore.ErrorType, zapcore.StringerType, zapcore.ByteStringType, zapcore.ArrayMarshalerType,
		zapcore.ObjectMarshalerType:
		texts := zapcore.NewMapObjectEncoder()
		f.AddTo(texts)
		return zap.Any(f.Key, within(texts.Fields[f.Key]))
	}
	return f
}

func within(value any) any {
	switch v := value.(type) {
	case string:
		return redact.Text(v)
	case []any:
		for i := range v {
			v[i] = within(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = within(v[name])
		}
	}
	return value
}
