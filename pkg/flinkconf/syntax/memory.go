package syntax

import (
	"fmt"
	"math/bits"
	"strconv"
)

// memoryUnit is one unit of org.apache.flink.configuration.MemorySize. All units are powers of 1024.
type memoryUnit struct {
	bytes  int64
	labels []string // the second one is printed, all are read
}

// memoryUnits are listed from the smallest to the largest, as FormatMemory tries them.
var memoryUnits = []memoryUnit{
	{1, []string{"b", "bytes"}},
	{1 << 10, []string{"k", "kb", "kibibytes"}},
	{1 << 20, []string{"m", "mb", "mebibytes"}},
	{1 << 30, []string{"g", "gb", "gibibytes"}},
	{1 << 40, []string{"t", "tb", "tebibytes"}},
}

// MemorySyntax says in one line what ParseMemory accepts, for error messages.
const MemorySyntax = "a whole number with one of the units b, kb, mb, gb, tb (powers of 1024), or without a unit for " +
	"bytes"

// ParseMemory reads a Flink memory size in bytes: "2g", "2048 mb", "100". Units are powers of 1024 whatever their case.
// Kubernetes forms such as "2Gi" are not Flink syntax and are an error.
func ParseMemory(text string) (int64, error) {
	number, label, err := splitNumber(text)
	if err != nil {
		return 0, fmt.Errorf("%w: expected %s", err, MemorySyntax)
	}
	value, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is too large for a 64 bit number: use a larger unit or a smaller number", number)
	}
	unit, ok := int64(1), true
	if label != "" {
		unit, ok = memoryUnitOf(label)
	}
	if !ok {
		return 0, fmt.Errorf("memory unit %q is unknown: expected %s", label, MemorySyntax)
	}
	high, low := bits.Mul64(uint64(value), uint64(unit))
	if high != 0 || int64(low) < 0 {
		return 0, fmt.Errorf("%s%s is more than 64 bits of bytes: use a smaller number", number, label)
	}
	return int64(low), nil
}

// FormatMemory prints a number of bytes as Flink does: a whole number and the largest unit that divides it ("2 gb",
// "1600 mb"). Zero and whole multiples of a terabyte come out as plain bytes: Flink looks for the first unit that does
// not divide, and finds none.
func FormatMemory(bytes int64) string {
	unit := memoryUnits[0]
	for i, u := range memoryUnits {
		if bytes%u.bytes != 0 {
			unit = memoryUnits[i-1]
			break
		}
	}
	return strconv.FormatInt(bytes/unit.bytes, 10) + " " + unit.labels[1]
}

func memoryUnitOf(label string) (int64, bool) {
	for _, u := range memoryUnits {
		for _, l := range u.labels {
			if l == label {
				return u.bytes, true
			}
		}
	}
	return 0, false
}
