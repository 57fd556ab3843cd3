package render

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
)

// reader reads options and keeps the first error, so that the code that builds objects need not stop at each option.
// After an error every further value is the zero value of its kind.
type reader struct {
	conf conf.Config
	err  error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func read[T any](r *reader, option conf.Option, as func(conf.Option) (T, error)) T {
	value, err := as(option)
	if err != nil {
		r.fail(err)
	}
	return value
}

func (r *reader) text(o conf.Option) string   { return r.conf.Get(o) }
func (r *reader) has(o conf.Option) bool      { return r.conf.Has(o) }
func (r *reader) flag(o conf.Option) bool     { return read(r, o, r.conf.Bool) }
func (r *reader) number(o conf.Option) int    { return read(r, o, r.conf.Int) }
func (r *reader) float(o conf.Option) float64 { return read(r, o, r.conf.Float) }
func (r *reader) enum(o conf.Option) string   { return read(r, o, r.conf.Enum) }
func (r *reader) list(o conf.Option) []string { return read(r, o, r.conf.List) }

func (r *reader) mapping(o conf.Option) map[string]string    { return read(r, o, r.conf.Map) }
func (r *reader) mappings(o conf.Option) []map[string]string { return read(r, o, r.conf.MapList) }

// port reads an option that Flink also accepts as a range, which Kubernetes cannot map.
func (r *reader) port(o conf.Option) int32 {
	text := strings.TrimSpace(r.text(o))
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		r.fail(&SpecError{
			Where: o.Key, Value: text,
			Problem: "should be specified to a fixed port, 0 to 65535. Do not support a range of ports",
		})
	}
	return int32(port)
}

// numberedPort reads an option that is a port and only ever a number.
func (r *reader) numberedPort(o conf.Option) int32 {
	port := r.number(o)
	if port < 1 || port > math.MaxUint16 {
		r.fail(
			&SpecError{
				Where: o.Key, Value: strconv.Itoa(port), Problem: "must be a port, 1 to 65535: Services and containers name it",
			},
		)
		return 0
	}
	return int32(port)
}

// factor reads a limit factor; Flink's client refuses less than 1.
func (r *reader) factor(o conf.Option) float64 {
	factor := r.float(o)
	if factor < 1 || math.IsNaN(factor) {
		r.fail(&SpecError{
			Where: o.Key, Value: r.text(o),
			Problem: "should be greater or equal to 1: a limit cannot be below its request",
		})
		return 1
	}
	return factor
}

// toleration members, in lower case as Flink compares them.
const (
	memberKey       = "key"
	memberOperator  = "operator"
	memberValue     = "value"
	memberEffect    = "effect"
	memberTolerates = "tolerationseconds"
)

// lowerKeys returns the map with its keys in lower case; of two that differ in case only the one that sorts last wins.
func lowerKeys(m map[string]string) map[string]string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	lower := make(map[string]string, len(m))
	for _, key := range keys {
		lower[strings.ToLower(key)] = m[key]
	}
	return lower
}

// required reads a member of an option that is a list of maps.
func (r *reader) required(o conf.Option, members map[string]string, name string) string {
	value, there := members[name]
	if !there || value == "" {
		r.fail(&SpecError{Where: o.Key, Problem: fmt.Sprintf("each item needs %q", name)})
	}
	return value
}

// highlyAvailable tells whether another JobManager can go on where one was lost.
func (r *reader) highlyAvailable() bool { return flinkconf.HighAvailabilityOf(r.conf).Active() }
