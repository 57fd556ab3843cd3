package samples

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/kn-flink/kn-flink/pkg/autoscaler/model"
	"github.com/kn-flink/kn-flink/pkg/bounded"
)

// errBroken is bytes that Write did not write.
var errBroken = errors.New("it is not what was written")

const (
	// maxMaps bounds how many maps of metrics it becomes: one for each vertex in each sample.
	maxMaps = 200_000
	// maxValues bounds their values.
	maxValues = 400_000
)

// Read reads what Write wrote; nothing at all is nothing kept. What cannot be read counts as nothing, beside the error.
func Read(data []byte) (Kept, error) {
	if len(data) == 0 {
		return Kept{}, nil
	}
	k, err := read(data)
	if err != nil {
		return Kept{}, fmt.Errorf("%s of the autoscaler's store cannot be read: %w", Key, err)
	}
	return k, nil
}

func read(data []byte) (Kept, error) {
	if data[0] != version {
		return Kept{}, fmt.Errorf("its version is %d", data[0])
	}
	r, err := gzip.NewReader(bytes.NewReader(data[1:]))
	if err != nil {
		return Kept{}, err
	}
	var unpacked bytes.Buffer
	if _, err := unpacked.ReadFrom(&upTo{r, bounded.Store.Bytes}); err != nil {
		return Kept{}, err
	}
	content := unpacked.Bytes()
	size, n := binary.Uvarint(content)
	if n <= 0 || size > uint64(len(content)-n) {
		return Kept{}, errBroken
	}
	if _, err := bounded.JSON(content[n:n+int(size)], bounded.Store); err != nil {
		return Kept{}, err
	}
	var h head
	if err := json.Unmarshal(content[n:n+int(size)], &h); err != nil {
		return Kept{}, err
	}
	if n := len(h.Times) * (len(h.Vertices) + 1); n > maxMaps {
		return Kept{}, &bounded.TooLarge{What: "vertices in all samples", Most: maxMaps}
	}
	k, err := h.kept()
	if err != nil {
		return Kept{}, err
	}
	c := &columns{rest: content[n+int(size):], length: len(k.Window)}
	c.all(&k)
	if c.broken || len(c.rest) > 0 {
		return Kept{}, errBroken
	}
	return k, nil
}

// upTo reads so much and no more: few bytes may unpack to very many.
type upTo struct {
	from *gzip.Reader
	left int
}

// Read fails where there is more.
func (u *upTo) Read(into []byte) (int, error) {
	n, err := u.from.Read(into)
	if u.left -= n; u.left < 0 {
		return 0, &bounded.TooLarge{What: "bytes unpacked", Most: bounded.Store.Bytes}
	}
	return n, err
}

// kept is all but the values.
func (h head) kept() (Kept, error) {
	k := Kept{
		Job: h.Job, Running: millis(h.Running), Busy: model.Aggregator(h.Busy), Problem: h.Problem, Answers: h.Answers,
	}
	for _, v := range h.Vertices {
		one := model.Vertex{
			ID: v.ID, Parallelism: v.P, MaxParallelism: v.Max, SourcePartitions: v.Partitions, SlotSharingGroup: v.Group,
			Finished: v.Finished,
		}
		for _, in := range v.Inputs {
			if in.From < 0 || in.From >= len(h.Vertices) {
				return Kept{}, errBroken
			}
			one.Inputs = append(one.Inputs, model.Edge{
				Vertex: h.Vertices[in.From].ID, Ship: model.ParseShipStrategy(in.Ship),
			})
		}
		k.Vertices = append(k.Vertices, one)
	}
	for i, at := range h.Times {
		if i > 0 && at <= h.Times[i-1] {
			return Kept{}, errBroken
		}
		s := model.Sample{Time: millis(at), Vertices: map[string]model.Metrics{}, Global: model.Metrics{}}
		for _, v := range k.Vertices {
			s.Vertices[v.ID] = model.Metrics{}
		}
		k.Window = append(k.Window, s)
	}
	for id, d := range h.Delayed {
		one := model.DelayedScaleDown{FirstTrigger: millis(d.First)}
		for _, r := range d.List {
			one.Recommendations = append(one.Recommendations, model.Recommendation{
				Time: millis(r.At), Parallelism: r.P, Outside: r.Outside,
			})
		}
		if k.Delayed == nil {
			k.Delayed = map[string]model.DelayedScaleDown{}
		}
		k.Delayed[id] = one
	}
	for key, t := range h.Told {
		if k.Told == nil {
			k.Told = map[string]Told{}
		}
		k.Told[key] = Told{At: millis(t.At), About: t.About}
	}
	return k, nil
}

// columns reads the values.
type columns struct {
	rest   []byte
	length int
	// values are how many there were, those that are absent as well.
	values int
	broken bool
}

func (c *columns) all(k *Kept) {
	for _, v := range k.Vertices {
		for _, m := range model.InOrder() {
			c.column(func(i int, value float64) { k.Window[i].Vertices[v.ID][m] = value })
		}
	}
	for _, m := range model.InOrder() {
		c.column(func(i int, value float64) { k.Window[i].Global[m] = value })
	}
}

// column reads one column, as appendColumn wrote it.
func (c *columns) column(set func(i int, value float64)) {
	if c.broken || len(c.rest) == 0 {
		c.broken = true
		return
	}
	how := c.rest[0]
	c.rest = c.rest[1:]
	if how == empty {
		return
	}
	if c.values += c.length; c.values > maxValues {
		c.broken = true
		return
	}
	guess := foretelling{how: how}
	for i := range c.length {
		n := c.number()
		if how&mixed == 0 {
			n = n<<2 | isDifference
		}
		switch n & 3 {
		case isAbsent:
		case isNamed:
			if n>>2 >= uint64(len(named)) {
				c.broken = true
				return
			}
			set(i, named[n>>2])
		case isRaw:
			if len(c.rest) < 8 {
				c.broken = true
				return
			}
			set(i, math.Float64frombits(binary.BigEndian.Uint64(c.rest)))
			c.rest = c.rest[8:]
		default:
			whole := guess.next() + unzigzag(n>>2)
			guess.saw(whole)
			set(i, inUnit(whole, how))
		}
	}
}

func (c *columns) number() uint64 {
	n, size := binary.Uvarint(c.rest)
	if size <= 0 {
		c.broken, c.rest = true, nil
		return isAbsent
	}
	c.rest = c.rest[size:]
	return n
}
