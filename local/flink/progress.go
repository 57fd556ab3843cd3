package flink

import "io"

// Progress is told what is being done. Done and Total are bytes; Total is 0 when there is nothing to count. A step ends
// when Done is Total.
type Progress func(step string, done, total int64)

func (p Progress) tell(step string, done, total int64) {
	if p != nil {
		p(step, done, total)
	}
}

// counter reads and tells how far it is, a hundred times at most.
type counter struct {
	io.Reader
	step        string
	done, total int64
	told        int64
	progress    Progress
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.done += int64(n)
	if c.done-c.told >= c.total/100 || c.done == c.total {
		c.told = c.done
		c.progress.tell(c.step, c.done, c.total)
	}
	return n, err
}
