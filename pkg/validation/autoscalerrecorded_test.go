package validation_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/validation"
)

// refusedHere are recorded cases that Java accepts, each with the reason why it is refused here.
var refusedHere = map[string]string{
	"val-s-0089": "the window is checked by another part of the Java operator, which was not recorded",
	"val-s-0094": "a least parallelism that is no number is found by Java when a vertex is scaled only",
}

// The verdicts of the Java operator on options of the autoscaler are recorded: whether it accepts them, and the text of
// the first problem. Where Java throws, the option is refused here.
func TestAutoscalerAsRecorded(t *testing.T) {
	file, err := os.Open("testdata/autoscaler.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	content, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	cases := 0
	for lines := bufio.NewScanner(content); lines.Scan(); cases++ {
		var c struct {
			ID    string `json:"id"`
			Input struct {
				Config map[string]string `json:"config"`
			} `json:"input"`
			Output struct {
				Error     *string `json:"error"`
				Exception *struct {
					Message string `json:"message"`
				} `json:"exception"`
			} `json:"output"`
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.ID, func(t *testing.T) {
			in := deployment(t)
			for name, value := range c.Input.Config {
				in.Spec.FlinkConfiguration = add(in.Spec.FlinkConfiguration, name, value)
			}
			got := validation.Deployment(in)
			_, differs := refusedHere[c.ID]
			refusedToo := c.Output.Error != nil || c.Output.Exception != nil
			// Java reads no option of an autoscaler that is off; here no value that cannot be read is silent.
			differs = differs || (!refusedToo && len(flinkconf.Unreadable(c.Input.Config, in.Spec.FlinkVersion)) > 0)
			if refused := c.Output.Error != nil || c.Output.Exception != nil; refused && differs {
				t.Fatalf("Java refuses it too: it is not different")
			} else if (got != nil) != (refused || differs) {
				t.Fatalf("refused %t, recorded is %t: %v", got != nil, refused, c.Input.Config)
			}
			if c.Output.Error == nil {
				return
			}
			if text := validation.Headline(got); !strings.Contains(text, cutAtComma(*c.Output.Error)) {
				t.Errorf("%q does not begin as the recorded %q", text, *c.Output.Error)
			}
		})
	}
	if cases < 100 {
		t.Errorf("only %d cases", cases)
	}
}

// cutAtComma is what a text says before its first comma: what follows is advice.
func cutAtComma(text string) string {
	before, _, _ := strings.Cut(text, ",")
	return before
}
