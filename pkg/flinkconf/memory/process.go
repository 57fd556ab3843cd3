package memory

import (
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
)

// reader reads options and keeps the first error, so that a derivation reads like its formula.
type reader struct {
	config conf.Config
	err    error
}

func (r *reader) bytes(o conf.Option) int64 {
	size, err := r.config.Memory(o)
	r.fail(err)
	return size
}

// fraction reads a share of the whole. Flink keeps fractions as 32 bit numbers; the error of that is part of its
// figures.
func (r *reader) fraction(o conf.Option) float64 {
	value, err := r.config.Float(o)
	r.fail(err)
	narrow, _ := strconv.ParseFloat(r.config.Get(o), 32) // it parsed with 64 bits
	if err == nil && (narrow < 0 || narrow >= 1) {
		r.fail(fmt.Errorf("option %q is %s: a fraction is at least 0 and less than 1", o.Key, syntax.FormatFloat(value)))
	}
	return float64(float32(narrow))
}

func (r *reader) fail(err error) {
	if r.err == nil && err != nil {
		r.err = err
	}
}

// span is a derived size: a share of something, within bounds.
type span struct {
	name     string // for messages
	min, max int64
	fraction float64
}

func (r *reader) span(name string, min, max, fraction conf.Option) span {
	s := span{name: name, min: r.bytes(min), max: r.bytes(max), fraction: r.fraction(fraction)}
	if s.min > s.max {
		r.fail(fmt.Errorf(
			"option %q (%s) is more than %q (%s)", min.Key, syntax.FormatMemory(s.min), max.Key, syntax.FormatMemory(s.max),
		))
	}
	return s
}

// of is the share of a whole that contains it.
func (s span) of(whole int64) int64 { return s.clamp(Multiply(whole, s.fraction)) }

// beside is the share of a whole of which the rest is known.
func (s span) beside(rest int64) int64 { return s.clamp(Multiply(rest, s.fraction/(1-s.fraction))) }

func (s span) clamp(size int64) int64 { return min(max(size, s.min), s.max) }

// check refuses a size outside the bounds.
func (s span) check(size int64) error {
	if size < s.min || size > s.max {
		return fmt.Errorf("what is left for %s (%s) is not within its bounds [%s, %s]: change the sizes around it or the "+
			"bounds",
			s.name, signed(size), syntax.FormatMemory(s.min), syntax.FormatMemory(s.max))
	}
	return nil
}

// Multiply takes a share of a size as Flink's MemorySize does: in decimal, with the digits that Java prints for the
// factor, cut to whole bytes.
func Multiply(size int64, factor float64) int64 {
	digits, ok := new(big.Rat).SetString(strconv.FormatFloat(factor, 'f', -1, 64))
	if !ok {
		return math.MaxInt64
	}
	product := digits.Mul(digits, new(big.Rat).SetInt64(size))
	whole := new(big.Int).Quo(product.Num(), product.Denom())
	if !whole.IsInt64() {
		return math.MaxInt64
	}
	return whole.Int64()
}

// Common are the parts that every Flink process has.
type Common struct {
	// Process is all memory of the process in bytes: what its container asks for, in whole MiB.
	Process int64
	// Flink is Process without Metaspace and Overhead.
	Flink int64
	// Metaspace is the JVM's metaspace (-XX:MaxMetaspaceSize).
	Metaspace int64
	// Overhead is what the JVM needs besides: stacks, code, garbage collection.
	Overhead int64
}

// MiB is Process in whole mebibytes, cut: the memory request of the pod.
func (c Common) MiB() int64 { return c.Process >> 20 }

// shared are the options that JobManager and TaskManager have alike.
type shared struct {
	process, flink, metaspace                  conf.Option
	overheadMin, overheadMax, overheadFraction conf.Option
}

func (s shared) overhead(r *reader) span {
	return r.span("JVM overhead", s.overheadMin, s.overheadMax, s.overheadFraction)
}

// fromFlink adds metaspace and overhead to a known Flink memory. With the process memory known too, the overhead is
// what is left.
func (s shared) fromFlink(r *reader, flink int64) Common {
	c := Common{Flink: flink, Metaspace: r.bytes(s.metaspace)}
	overhead := s.overhead(r)
	if r.err != nil {
		return c
	}
	inner := sum(r, c.Flink, c.Metaspace)
	if r.config.Has(s.process) {
		c.Process = r.bytes(s.process)
		c.Overhead = c.Process - inner
		r.fail(overhead.check(c.Overhead))
		return c
	}
	c.Overhead = overhead.beside(inner)
	c.Process = sum(r, inner, c.Overhead)
	return c
}

// fromProcess takes metaspace and overhead out of a known process memory.
func (s shared) fromProcess(r *reader) Common {
	c := Common{Process: r.bytes(s.process), Metaspace: r.bytes(s.metaspace)}
	overhead := s.overhead(r)
	if r.err != nil {
		return c
	}
	c.Overhead = overhead.of(c.Process)
	if sum(r, c.Metaspace, c.Overhead) > c.Process {
		r.fail(fmt.Errorf("JVM metaspace (%s) and JVM overhead (%s) are more than %q (%s)",
			syntax.FormatMemory(c.Metaspace),
			syntax.FormatMemory(c.Overhead), s.process.Key, syntax.FormatMemory(c.Process)))
	}
	c.Flink = c.Process - c.Metaspace - c.Overhead
	return c
}

// sum adds sizes; more than 64 bits is an error.
func sum(r *reader, sizes ...int64) int64 {
	var total int64
	for _, size := range sizes {
		if size > 0 && total > math.MaxInt64-size {
			r.fail(fmt.Errorf("the sizes add up to more than 64 bits of bytes"))
			return math.MaxInt64
		}
		total += size
	}
	return total
}

// signed prints a size that may be negative, which FormatMemory does not know.
func signed(bytes int64) string {
	if bytes < 0 {
		return strconv.FormatInt(bytes, 10) + " bytes"
	}
	return syntax.FormatMemory(bytes)
}

// jvmText prints the JVM's memory flags; direct is left out when negative.
func jvmText(heap, direct, metaspace int64) string {
	text := fmt.Sprintf("-Xmx%d -Xms%d", heap, heap)
	if direct >= 0 {
		text += fmt.Sprintf(" -XX:MaxDirectMemorySize=%d", direct)
	}
	return text + fmt.Sprintf(" -XX:MaxMetaspaceSize=%d", metaspace)
}
