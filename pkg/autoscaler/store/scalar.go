package store

import (
	"errors"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
)

// number reads a number as Java does: its own words for what is none, underscores between digits, and nothing for null
// or an empty text.
func (n node) number(err *error) (value float64, known bool) {
	if n.kind != scalar {
		fail(err, "a number is expected")
		return 0, false
	}
	switch text := strings.TrimSpace(n.text); {
	case n.isNull(), text == "":
		return 0, false
	case text == "NaN":
		return model.NaN, true
	case text == "Infinity", text == "+Infinity", text == "INF", text == "+INF":
		return model.Inf, true
	case text == "-Infinity", text == "-INF":
		return -model.Inf, true
	case strings.HasPrefix(text, "."), strings.ContainsAny(text, "xXpPiI"):
		fail(err, "%q is not a number", text)
	default:
		parsed, problem := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
		if problem != nil && !isRange(problem) {
			fail(err, "%q is not a number", text)
		}
		return parsed, true
	}
	return 0, false
}

// isRange reports a number too large or too small for 64 bits, which Java reads as infinite or zero.
func isRange(err error) bool {
	return errors.Is(err, strconv.ErrRange)
}

func (n node) int(err *error) int {
	value, problem := strconv.ParseInt(n.text, 10, 32)
	if n.kind != scalar || problem != nil {
		fail(err, "%q is not a whole number", n.text)
	}
	return int(value)
}

func (n node) bool(err *error) bool {
	switch {
	case n.kind == scalar && n.text == "true":
		return true
	case n.kind != scalar || n.text != "false":
		fail(err, "%q is neither true nor false", n.text)
	}
	return false
}

// nanos reads seconds with a fraction.
func nanos(text string) (int64, bool) {
	seconds, ok := new(big.Rat).SetString(text)
	if !ok || strings.ContainsAny(text, "/_xXpP") {
		return 0, false
	}
	return nanosOf(seconds)
}

// nanosOf cuts seconds to whole nanoseconds. It reports false for more than 64 bits hold.
func nanosOf(seconds *big.Rat) (int64, bool) {
	exact := new(big.Rat).Mul(seconds, big.NewRat(int64(time.Second), 1))
	whole := new(big.Int).Quo(exact.Num(), exact.Denom())
	return whole.Int64(), whole.IsInt64()
}

// instant reads a time: seconds, quoted or not, or ISO 8601.
func (n node) instant(err *error) time.Time {
	if value, ok := nanos(n.text); ok && n.kind == scalar {
		return time.Unix(0, value).UTC()
	}
	return instantKey(n.text, err)
}

// instantKey reads a time in ISO 8601.
func instantKey(text string, err *error) time.Time {
	at, problem := time.Parse(time.RFC3339Nano, text)
	if problem != nil {
		fail(err, "%q is not a time", text)
	}
	return at.UTC()
}

// isoDuration is the form in which Java prints a duration.
var isoDuration = regexp.MustCompile(`^(-)?PT(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?\d+(?:\.\d+)?)S)?$`)

// duration reads a duration: seconds without quotes, or ISO 8601. It is absent where it is null or empty.
func (n node) duration(err *error) (d time.Duration, known bool) {
	if n.kind == scalar && (n.isNull() || n.text == "") {
		return 0, false
	}
	if value, ok := nanos(n.text); ok && n.kind == scalar && !n.quoted {
		return time.Duration(value), true
	}
	parts := isoDuration.FindStringSubmatch(n.text)
	if parts == nil || n.text == "PT" || n.text == "-PT" {
		fail(err, "%q is not a duration", n.text)
		return 0, false
	}
	total := new(big.Rat)
	for i, seconds := range []int64{3600, 60, 1} {
		if amount, ok := new(big.Rat).SetString(parts[i+2]); ok { // an absent part is an empty text
			total.Add(total, amount.Mul(amount, big.NewRat(seconds, 1)))
		}
	}
	value, ok := nanosOf(total)
	if !ok {
		fail(err, "%q is too long a duration", n.text)
		return 0, false
	}
	if parts[1] != "" {
		value = -value
	}
	return time.Duration(value), true
}

// vertexKey reads the ID of a vertex.
func vertexKey(text string, err *error) string {
	valid := len(text) == 32
	for i := range len(text) {
		c := text[i]
		valid = valid && (c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F')
	}
	if !valid {
		fail(err, "%q is not the ID of a vertex", text)
	}
	return strings.ToLower(text)
}

// metricKey reads the name of a metric.
func metricKey(text string, err *error) model.Metric {
	if m := model.Metric(text); model.Known(m) {
		return m
	}
	fail(err, "unknown metric %q", text)
	return ""
}

// metricsOf reads metrics. Null is none; a metric that is null is left out.
func metricsOf(content node, err *error) model.Metrics {
	if content.isNull() {
		return nil
	}
	m := make(model.Metrics, len(content.keys))
	for name, value := range content.entries(err) {
		metric := metricKey(name, err)
		if number, known := value.number(err); known {
			m[metric] = number
		}
	}
	return m
}

func sortByTime[T any](list []T, at func(T) int64) {
	slices.SortStableFunc(list, func(a, b T) int {
		switch x, y := at(a), at(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
}
