package flinkconf

import (
	"time"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// Config is a flat Flink configuration: dotted keys and their texts. nil is empty.
type Config = conf.Config

// Option describes one configuration key; package key holds them all.
type Option = conf.Option

// ParseDuration reads a Flink duration such as "5 min". A number without unit is milliseconds.
func ParseDuration(text string) (time.Duration, error) { return syntax.ParseDuration(text) }

// FormatDuration prints a duration as Flink does: "5 min", "90 s", "0 ms".
func FormatDuration(d time.Duration) string { return syntax.FormatDuration(d) }

// ParseMemory reads a Flink memory size in bytes such as "2 gb". Units are powers of 1024.
func ParseMemory(text string) (int64, error) { return syntax.ParseMemory(text) }

// FormatMemory prints bytes as Flink does: "2 gb", "1600 mb".
func FormatMemory(bytes int64) string { return syntax.FormatMemory(bytes) }
