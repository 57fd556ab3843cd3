package option_test

import (
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/view/option"
)

func TestOptionsAreFoundByWords(t *testing.T) {
	all := option.With()
	if len(all) < 100 {
		t.Fatalf("%d options: the page is read differently now", len(all))
	}
	for _, o := range key.All() {
		own := strings.HasPrefix(o.Key, key.OperatorPrefix) || strings.HasPrefix(o.Key, key.AutoscalerPrefix)
		if own && len(option.With(o.Key)) == 0 {
			t.Errorf("%s is not there", o.Key)
		}
	}
	found := option.With("Scale-Down", "interval")
	if len(found) == 0 || len(found) > 5 || len(option.With("no such word at all")) != 0 {
		t.Errorf("%d options have these words", len(found))
	}
	if text := option.Text(found); !strings.Contains(text, "job.autoscaler.scale-down.interval") {
		t.Error(text)
	}
}
