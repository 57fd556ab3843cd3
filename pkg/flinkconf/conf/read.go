package conf

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/cron"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
	"github.com/kn-flink/kn-flink/pkg/redact"
)

// Duration reads a duration option. It is 0 when the option is neither set nor has a default; Has tells.
func (c Config) Duration(o Option) (time.Duration, error) {
	return read(c, o, syntax.ParseDuration)
}

// Memory reads a memory option in bytes. It is 0 when the option is neither set nor has a default.
func (c Config) Memory(o Option) (int64, error) {
	return read(c, o, syntax.ParseMemory)
}

// Int reads a whole number of 32 bits. It is 0 when the option is neither set nor has a default.
func (c Config) Int(o Option) (int, error) {
	return read(c, o, parseInt)
}

func parseInt(text string) (int, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number of 32 bits", text)
	}
	return int(n), nil
}

// Float reads a floating point number. It is 0 when the option is neither set nor has a default.
func (c Config) Float(o Option) (float64, error) {
	return read(c, o, syntax.ParseFloat)
}

// Bool reads a boolean, in any case. It is false when the option is neither set nor has a default.
func (c Config) Bool(o Option) (bool, error) {
	return read(c, o, syntax.ParseBool)
}

// Enum reads one of the option's Values, in any case, and returns it in Flink's spelling. "" when neither set nor
// defaulted.
func (c Config) Enum(o Option) (string, error) {
	return read(c, o, o.constant)
}

func (o Option) constant(text string) (string, error) {
	for _, value := range o.Values {
		if strings.EqualFold(value, text) {
			return value, nil
		}
	}
	return "", fmt.Errorf("%q is unknown: expected one of %s", text, strings.Join(o.Values, ", "))
}

// List reads a list option. It is nil when the option is neither set nor has a default.
func (c Config) List(o Option) ([]string, error) {
	return read(c, o, syntax.SplitList)
}

// Pairs reads a map option as pairs in the order of the text. It is nil when the option is neither set nor has a
// default.
func (c Config) Pairs(o Option) ([][2]string, error) {
	return read(c, o, syntax.SplitMap)
}

// Map reads a map option. It is nil when the option is neither set nor has a default.
func (c Config) Map(o Option) (map[string]string, error) {
	return read(c, o, func(text string) (map[string]string, error) {
		pairs, err := syntax.SplitMap(text)
		if err != nil {
			return nil, err
		}
		return asMap(pairs), nil
	})
}

// MapList reads an option that is a list of maps, such as tolerations. It is nil when neither set nor defaulted.
func (c Config) MapList(o Option) ([]map[string]string, error) {
	return read(c, o, parseMapList)
}

func parseMapList(text string) ([]map[string]string, error) {
	items, err := syntax.SplitList(text)
	if err != nil {
		return nil, err
	}
	maps := make([]map[string]string, 0, len(items))
	for _, item := range items {
		pairs, err := syntax.SplitMap(item)
		if err != nil {
			return nil, err
		}
		maps = append(maps, asMap(pairs))
	}
	return maps, nil
}

// Check says why the value of an option cannot be read; nil: it can.
func (c Config) Check(o Option) error {
	_, err := read(c, o, func(text string) (any, error) { return nil, o.parse(text) })
	return err
}

// CheckAt says why the text of one key, the option's own or an older spelling, cannot be read as the option is; nil: it
// can, or the key is not set. What Lookup finds may be another key's.
func (c Config) CheckAt(name string, o Option) *ValueError {
	text, set := c[name]
	if !set {
		return nil
	}
	if err := o.parse(text); err != nil {
		return o.unreadable(name, text, err)
	}
	return nil
}

// parse reads a text as the option's kind says.
func (o Option) parse(text string) (err error) {
	switch o.Kind {
	case KindDuration:
		_, err = syntax.ParseDuration(text)
	case KindMemory:
		_, err = syntax.ParseMemory(text)
	case KindInt:
		_, err = parseInt(text)
	case KindLong:
		if _, err = strconv.ParseInt(text, 10, 64); err != nil {
			err = fmt.Errorf("%q is not a whole number of 64 bits", text)
		}
	case KindFloat:
		_, err = syntax.ParseFloat(text)
	case KindBool:
		_, err = syntax.ParseBool(text)
	case KindEnum:
		_, err = o.constant(text)
	case KindList:
		_, err = syntax.SplitList(text)
	case KindMap:
		_, err = syntax.SplitMap(text)
	case KindMapList:
		_, err = parseMapList(text)
	case KindPort:
		err = checkPort(text)
	case KindSchedule:
		err = checkSchedule(text)
	}
	return err
}

func checkPort(text string) error {
	if n, err := strconv.Atoi(text); err != nil || n < 0 || n > 65535 {
		return fmt.Errorf("%q is no port: expected one whole number from 0 to 65535, as a Service needs one fixed port", text)
	}
	return nil
}

// checkSchedule reads a duration or a Quartz cron expression; blank is never.
func checkSchedule(text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if _, err := syntax.ParseDuration(text); err == nil {
		return nil
	}
	if _, err := cron.Parse(text); err != nil {
		return fmt.Errorf("%q is neither a duration such as 10 min nor a Quartz cron expression, which has six or seven "+
			"fields and begins with the seconds, such as 0 0 * * * ?: %w", text, err)
	}
	return nil
}

func asMap(pairs [][2]string) map[string]string {
	m := make(map[string]string, len(pairs))
	for _, p := range pairs {
		m[p[0]] = p[1]
	}
	return m
}

// read finds an option's text and parses it. The error names the key that holds the text; a secret value is left out of
// it.
func read[T any](c Config, o Option, parse func(string) (T, error)) (T, error) {
	var none T
	text, set := c.Lookup(o)
	if !set && !o.HasDefault {
		return none, nil
	}
	if !set {
		text = o.Default
	}
	value, err := parse(text)
	if err == nil {
		return value, nil
	}
	key := c.UsedKey(o)
	if key == "" {
		key = o.Key
	}
	return none, o.unreadable(key, text, err)
}

func (o Option) unreadable(key, text string, err error) *ValueError {
	if Sensitive(key) || Sensitive(o.Key) {
		err = errors.New("the value, not shown here, does not parse")
		text = redact.Hidden
	}
	return &ValueError{Key: key, Value: text, Kind: o.Kind, Err: err}
}

// ValueError reports a configuration value that does not parse.
type ValueError struct {
	// Key is the key that holds the value, which may be an older spelling of the option asked for.
	Key string
	// Value is the text found; stars when the key may hold a secret.
	Value string
	// Kind is what the text should have been.
	Kind Kind
	// Err says what is wrong with the text and what is accepted.
	Err error
}

// Error names the key, the value, and what is accepted.
func (e *ValueError) Error() string {
	return fmt.Sprintf("could not read %q = %q as %s: %v", e.Key, e.Value, e.Kind, e.Err)
}

// Unwrap returns what the parser said.
func (e *ValueError) Unwrap() error { return e.Err }

// Sensitive tells whether the value of a key may be a secret and must not be shown.
func Sensitive(key string) bool { return redact.Sensitive(key) }
