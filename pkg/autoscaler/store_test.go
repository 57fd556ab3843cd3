package autoscaler_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/store"
)

type storedValues struct {
	CollectedMetrics     []sample             `json:"collectedMetrics"`
	ScalingHistory       map[string][]scaling `json:"scalingHistory"`
	ScalingTracking      []isoRestart         `json:"scalingTracking"`
	ParallelismOverrides map[string]string    `json:"parallelismOverrides"`
	ConfigOverrides      configOverrides      `json:"configOverrides"`
	DelayedScaleDown     delayedScaleDown     `json:"delayedScaleDown"`
}

type isoRestart struct {
	Timestamp       time.Time `json:"timestamp"`
	RestartDuration *string   `json:"restartDuration"`
	Millis          *int64    `json:"restartDurationMillis"`
}

type configOverrides struct {
	Overrides map[string]string `json:"overrides"`
	Removals  []string          `json:"removals"`
}

func (c configOverrides) model() *model.ConfigChanges {
	removals := sortedList(c.Removals)
	return &model.ConfigChanges{Overrides: c.Overrides, Removals: slices.Compact(removals)}
}

func isoRestarts(k *check, of []isoRestart) []model.Restart {
	var list []model.Restart
	for _, r := range of {
		m := model.Restart{Time: r.Timestamp}
		if r.Millis != nil {
			m.Known, m.Duration = true, millis(*r.Millis)
		}
		if r.RestartDuration != nil {
			text := strings.ToLower(strings.TrimPrefix(*r.RestartDuration, "PT"))
			d, err := time.ParseDuration(text)
			if err != nil {
				k.fatalf("%v", err)
			}
			m.Known, m.Duration = true, d
		}
		list = append(list, m)
	}
	return list
}

func (v storedValues) model(k *check) model.State {
	s := model.State{
		Samples: window(v.CollectedMetrics), History: history(v.ScalingHistory),
		Restarts: isoRestarts(k, v.ScalingTracking), Overrides: v.ParallelismOverrides, Config: v.ConfigOverrides.model(),
		Delayed: v.DelayedScaleDown.model(),
	}
	if s.Samples == nil {
		s.Samples = model.Window{}
	}
	if s.Restarts == nil {
		s.Restarts = []model.Restart{}
	}
	return s
}

func TestStore(t *testing.T) {
	type input struct {
		storedValues
		Key                          string  `json:"key"`
		Raw                          *string `json:"raw"`
		ScalingHistoryTextLength     int     `json:"scalingHistoryTextLength"`
		ScalingTrackingTextLength    int     `json:"scalingTrackingTextLength"`
		EncodedLengthOfNewestSamples []int   `json:"encodedLengthOfNewestSamples"`
	}
	type output struct {
		Error               *failure          `json:"error"`
		Value               anyValue          `json:"value"`
		KeyStillStored      bool              `json:"keyStillStored"`
		Data                map[string]string `json:"data"`
		Uncompressed        map[string]string `json:"uncompressed"`
		DecodedAgain        storedValues      `json:"decodedAgain"`
		RemainingTimestamps []time.Time       `json:"remainingTimestamps"`
	}
	replay(t, "state_store", func(k *check, c recorded[input, output]) {
		switch {
		case c.Name == "encode":
			readAgain, discarded, err := store.Read(c.Output.Data)
			if err != nil || len(discarded) > 0 {
				k.fatalf("%v %v", discarded, err)
			}
			same(k, "read from Java", c.Output.DecodedAgain.model(k), readAgain)
			state := c.Input.model(k)
			data := store.Write(state)
			ours, discarded, err := store.Read(data)
			if err != nil || len(discarded) > 0 {
				k.fatalf("%v %v", discarded, err)
			}
			same(k, "read from ours", c.Output.DecodedAgain.model(k), ours)
			for name, text := range c.Output.Uncompressed {
				sameYAML(k, name, text, store.Text(state)[name])
			}
			for _, name := range []string{store.ConfigKey, store.DelayedKey} {
				sameYAML(k, name, c.Output.Data[name], data[name])
			}
		case c.Name == "trim at flush":
			all := window(c.Input.CollectedMetrics)
			others := c.Input.ScalingHistoryTextLength + c.Input.ScalingTrackingTextLength
			kept := store.Trim(all, others, func(w model.Window) int {
				return c.Input.EncodedLengthOfNewestSamples[len(w)]
			})
			var times []time.Time
			for _, s := range kept {
				times = append(times, s.Time)
			}
			same(k, "samples left", c.Output.RemainingTimestamps, times)
		default:
			data := map[string]string{}
			if c.Input.Raw != nil {
				data[c.Input.Key] = *c.Input.Raw
			}
			state, discarded, err := store.Read(data)
			if c.Output.Error.compare(k, err) {
				return
			}
			same(k, "kept", c.Output.KeyStillStored, c.Input.Raw != nil && len(discarded) == 0)
			c.Output.Value.compare(k, c.Input.Key, state)
		}
	})
}

// sameYAML compares texts line by line, without their order and without quotes: Java leaves those out that it can. It
// prints the smallest number with a digit more than needed.
func sameYAML(k *check, what, want, got string) {
	plain := strings.NewReplacer(`"`, "", "4.9E-324", "5.0E-324")
	lines := func(text string) []string { return sortedList(strings.Split(plain.Replace(text), "\n")) }
	same(k, what, lines(want), lines(got))
}

// anyValue is a value whose form follows from its key.
type anyValue []byte

func (a *anyValue) UnmarshalJSON(content []byte) error {
	*a = append(anyValue(nil), content...)
	return nil
}

func (a anyValue) compare(k *check, key string, got model.State) {
	switch key {
	case store.SamplesKey:
		same(k, key, window(decoded[[]sample](k, a)), got.Samples)
	case store.HistoryKey:
		same(k, key, history(decoded[map[string][]scaling](k, a)), got.History)
	case store.RestartsKey:
		same(k, key, isoRestarts(k, decoded[[]isoRestart](k, a)), got.Restarts)
	case store.ParallelismKey:
		same(k, key, decoded[map[string]string](k, a), got.Overrides)
	case store.ConfigKey:
		ours := model.ConfigChanges{}
		if got.Config != nil {
			ours = *got.Config
		}
		same(k, key, *decoded[configOverrides](k, a).model(), ours)
	case store.DelayedKey:
		same(k, key, decoded[delayedScaleDown](k, a).model(), got.Delayed)
	default:
		k.fatalf("unknown key %q", key)
	}
}
