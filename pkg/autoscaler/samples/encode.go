package samples

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"math"
	"time"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/autoscaler/plugin"
)

// Key is where a ConfigMap keeps it, in its binary data. It must not be a key of the Java autoscaler, which leaves
// others alone.
const Key = "kn-flink.samples"

// version begins what is kept. Another one is not read: the window fills again.
const version = 1

// head is all but the values.
type head struct {
	Job      string             `json:"job"`
	Running  int64              `json:"running"`
	Busy     string             `json:"busy,omitempty"`
	Vertices []vertex           `json:"vertices"`
	Times    []int64            `json:"times"`
	Delayed  map[string]delayed `json:"delayed,omitempty"`
	Told     map[string]told    `json:"told,omitempty"`
	Problem  string             `json:"problem,omitempty"`
	Answers  []plugin.Answer    `json:"answers,omitempty"`
}

type vertex struct {
	ID         string `json:"i"`
	P          int    `json:"p"`
	Max        int    `json:"m"`
	Partitions int    `json:"n,omitempty"`
	Group      string `json:"g,omitempty"`
	Finished   bool   `json:"f,omitempty"`
	Inputs     []edge `json:"in,omitempty"`
}

// edge names a vertex by its place in the list.
type edge struct {
	From int    `json:"v"`
	Ship string `json:"s"`
}

type delayed struct {
	First int64       `json:"first"`
	List  []recommend `json:"list"`
}

type recommend struct {
	At      int64 `json:"at"`
	P       int   `json:"p"`
	Outside bool  `json:"out,omitempty"`
}

type told struct {
	At    int64  `json:"at"`
	About string `json:"about,omitempty"`
}

// Write prints what is kept. Times are kept in milliseconds.
func Write(k Kept) []byte {
	h := head{
		Job: k.Job, Running: k.Running.UnixMilli(), Busy: string(k.Busy), Vertices: make([]vertex, 0, len(k.Vertices)),
		Problem: k.Problem, Answers: k.Answers,
	}
	place := map[string]int{}
	for i, v := range k.Vertices {
		place[v.ID] = i
	}
	for _, v := range k.Vertices {
		one := vertex{
			ID: v.ID, P: v.Parallelism, Max: v.MaxParallelism, Partitions: v.SourcePartitions, Group: v.SlotSharingGroup,
			Finished: v.Finished,
		}
		for _, in := range v.Inputs {
			if from, there := place[in.Vertex]; there {
				one.Inputs = append(one.Inputs, edge{From: from, Ship: string(in.Ship)})
			}
		}
		h.Vertices = append(h.Vertices, one)
	}
	for _, s := range k.Window {
		h.Times = append(h.Times, s.Time.UnixMilli())
	}
	for id, d := range k.Delayed {
		one := delayed{First: d.FirstTrigger.UnixMilli()}
		for _, r := range d.Recommendations {
			one.List = append(one.List, recommend{At: r.Time.UnixMilli(), P: r.Parallelism, Outside: r.Outside})
		}
		if h.Delayed == nil {
			h.Delayed = map[string]delayed{}
		}
		h.Delayed[id] = one
	}
	for key, t := range k.Told {
		if h.Told == nil {
			h.Told = map[string]told{}
		}
		h.Told[key] = told{At: t.At.UnixMilli(), About: t.About}
	}
	text, err := json.Marshal(h)
	if err != nil {
		return nil // all of its types can be printed
	}
	return compressed(text, values(k))
}

// compressed is the version, and then both parts in gzip's form.
func compressed(text, values []byte) []byte {
	var out bytes.Buffer
	out.WriteByte(version)
	w := gzip.NewWriter(&out)
	size := binary.AppendUvarint(nil, uint64(len(text)))
	for _, part := range [][]byte{size, text, values} {
		if _, err := w.Write(part); err != nil {
			return nil // memory takes all
		}
	}
	if err := w.Close(); err != nil {
		return nil
	}
	return out.Bytes()
}

// values are the columns, one for each metric of each vertex and then of the whole job, each in the order of time.
func values(k Kept) []byte {
	var out []byte
	column := make([]number, len(k.Window))
	for _, v := range k.Vertices {
		for _, m := range model.InOrder() {
			for i, s := range k.Window {
				value, there := s.Vertices[v.ID][m]
				column[i] = number{value, there}
			}
			out = appendColumn(out, column)
		}
	}
	for _, m := range model.InOrder() {
		for i, s := range k.Window {
			value, there := s.Global[m]
			column[i] = number{value, there}
		}
		out = appendColumn(out, column)
	}
	return out
}

// number is a value that may be absent.
type number struct {
	value float64
	there bool
}

// A column begins with a byte, and then has each value as a number.
const (
	// empty is a column without a value.
	empty byte = 0xff
	// thousandths has values in thousandths, not in whole ones; steady foretells that each differs from the one before as
	// that did, not that it is the same; mixed has values that are no differences, so that the lowest bits say what is.
	thousandths, steady, mixed byte = 1, 2, 4

	isDifference, isAbsent, isNamed, isRaw = 0, 1, 2, 3
)

// named are the values that no number stands for.
var named = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}

// appendColumn writes a column in the shorter of its ways.
func appendColumn(out []byte, column []number) []byte {
	some, scale := false, byte(0)
	for _, n := range column {
		some = some || n.there
		if _, whole := exact(n.value, 0); n.there && !whole {
			if _, fits := exact(n.value, thousandths); fits {
				scale = thousandths
			}
		}
	}
	if !some {
		return append(out, empty)
	}
	for _, n := range column {
		if _, fits := exact(n.value, scale); !n.there || !fits {
			scale |= mixed
		}
	}
	same, rising := printed(column, scale), printed(column, scale|steady)
	if len(rising) < len(same) {
		return append(append(out, scale|steady), rising...)
	}
	return append(append(out, scale), same...)
}

func printed(column []number, how byte) []byte {
	var out []byte
	guess := foretelling{how: how}
	for _, n := range column {
		if !n.there {
			out = binary.AppendUvarint(out, isAbsent)
			continue
		}
		if i := naming(n.value); i >= 0 {
			out = binary.AppendUvarint(out, uint64(i)<<2|isNamed)
			continue
		}
		whole, fits := exact(n.value, how)
		if !fits {
			out = binary.AppendUvarint(out, isRaw)
			out = binary.BigEndian.AppendUint64(out, math.Float64bits(n.value))
			continue
		}
		difference := zigzag(whole - guess.next())
		if how&mixed != 0 {
			difference = difference<<2 | isDifference
		}
		out = binary.AppendUvarint(out, difference)
		guess.saw(whole)
	}
	return out
}

// naming is the place of a value among the named ones, -1 for all others.
func naming(value float64) int {
	switch {
	case math.IsNaN(value):
		return 0
	case math.IsInf(value, 1):
		return 1
	case math.IsInf(value, -1):
		return 2
	}
	return -1
}

// limit bounds the whole numbers that are written, so that no difference of theirs overflows.
const limit = 1 << 53

// exact is a value as a whole number of its unit, if it comes back from that to the last bit.
func exact(value float64, how byte) (int64, bool) {
	scaled := value
	if how&thousandths != 0 {
		scaled = math.Round(value * 1000)
	}
	if math.IsNaN(scaled) || math.Abs(scaled) > limit || scaled != math.Trunc(scaled) {
		return 0, false
	}
	whole := int64(scaled)
	return whole, math.Float64bits(inUnit(whole, how)) == math.Float64bits(value)
}

// inUnit is the value that a whole number of its unit stands for.
func inUnit(whole int64, how byte) float64 {
	if how&thousandths != 0 {
		return float64(whole) / 1000
	}
	return float64(whole)
}

// foretelling is what the next whole number of a column is compared with.
type foretelling struct {
	how          byte
	before, last int64
	seen         int
}

func (f *foretelling) next() int64 {
	if f.how&steady != 0 && f.seen > 1 {
		return f.last + (f.last - f.before)
	}
	return f.last
}

func (f *foretelling) saw(whole int64) {
	f.before, f.last, f.seen = f.last, whole, f.seen+1
}

func zigzag(n int64) uint64 { return uint64(n)<<1 ^ uint64(n>>63) }

func unzigzag(n uint64) int64 { return int64(n>>1) ^ -int64(n&1) }

func millis(n int64) time.Time { return time.UnixMilli(n).UTC() }
