package load

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

func TestARunIsShown(t *testing.T) {
	var points []Point
	for i, p := range []Point{
		{Rate: 100, Work: 1}, {Rate: 100, Work: 1}, {Rate: 500, Work: 1, Waiting: 40}, {Rate: 500, Waiting: -1},
		{Rate: 500, Work: 4, Waiting: -1}, {Rate: 500, Work: 4},
	} {
		p.At = time.Duration(i) * time.Second
		points = append(points, p)
	}
	const want = "| after | records come in each second | subtasks work | records wait |\n|---|---|---|---|\n" +
		"| 0 s | 100 | 1 | 0 |\n| 2 s | 500 | 1 | 40 |\n| 4 s | 500 | 4 | not known |\n"
	if got := Table(points); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	plot := Plot(points)
	decoder := xml.NewDecoder(strings.NewReader(plot))
	lines := 0
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v\n%s", err, plot)
		}
		if element, is := token.(xml.StartElement); is && element.Name.Local == "polyline" {
			lines++
		}
	}
	if lines != 3 {
		t.Errorf("%d curves, want 3", lines)
	}
}
