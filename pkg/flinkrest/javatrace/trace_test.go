package javatrace

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSummary(t *testing.T) {
	rows := map[string]struct {
		trace, want, reason string
	}{
		"empty": {"", "", "nothing to say"},
		"plain text": {
			"Service temporarily unavailable. Please refresh.", "Service temporarily unavailable. Please refresh.",
			"no class",
		},
		"one exception": {"java.lang.IllegalStateException: no\n\tat a.B.c(D.java:1)\n\tat a.B.e(D.java:2)",
			"IllegalStateException: no",
			"frames are left out"},
		"no message": {
			"java.lang.NullPointerException\n\tat a.B.c(D.java:1)", "NullPointerException", "the class is the message",
		},
		"the handler": {
			"org.apache.flink.runtime.rest.handler.RestHandlerException: Only Jar files are allowed.",
			"Only Jar files are allowed.", "its class says nothing",
		},
		"chain": {
			"a.X: one\n\tat a.B.c(D.java:1)\nCaused by: a.Y: two\n\t... 3 more\nCaused by: a.Z: three",
			"X: one <- Y: two <- Z: three", "to the root",
		},
		"wrapper": {
			"java.util.concurrent.CompletionException: a.b.Y: two\n\tat x.Y(Z.java:1)\nCaused by: a.b.Y: two\n\tat x",
			"Y: two", "said once",
		},
		"repeated": {"a.X: same\nCaused by: a.Y: same\nCaused by: a.Z: root", "X: same <- Z: root", "said once"},
		"prefix is more": {
			"a.X: no route\nCaused by: a.Y: no", "X: no route <- Y: no", "a part of a message is not the message",
		},
		"several lines": {
			"a.X: first\nsecond line\n  third\n\tat a.B(C.java:1)\nCaused by: a.Y: z", "X: first second line third <- Y: z",
			"a message may have lines",
		},
		"server side": {
			"Internal server error.\n<Exception on server side:\na.X: no\n\tat a.B(C.java:1)\n\nEnd of exception on server " +
				"side>",
			"Internal server error. <- X: no", "Flink's frame around it",
		},
		"suppressed": {
			"a.X: no\n\tSuppressed: a.Y: also\n\t\tat a.B(C.java:1)\nCaused by: a.Z: root", "X: no <- Z: root", "not a cause",
		},
		"inner class":     {"a.B$C: no", "B$C: no", ""},
		"windows":         {"a.X: no\r\n\tat a.B(C.java:1)\r\nCaused by: a.Y: z\r\n", "X: no <- Y: z", ""},
		"colon in a text": {"cannot: do this", "cannot: do this", "not a class"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, Summary(row.trace)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", row.reason, diff)
			}
		})
	}
}

func TestCauses(t *testing.T) {
	got := Causes("a.b.X: one\nmore\n\tat x\nCaused by: a.Y\n\t... 12 common frames omitted\nCaused by: plain words")
	want := []Throwable{{"a.b.X", "one\nmore"}, {"a.Y", ""}, {"", "plain words"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSummaryIsOneBoundedLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.OneOf(
			rapid.String(), rapid.StringMatching(`(Caused by: )?([a-z]{1,5}\.){1,3}[A-Z][a-z]{1,9}: .{0,900}`),
			rapid.StringMatching(`\tat [a-z.]{1,20}`), rapid.Just("ä€😀"),
		)).Draw(t, "lines")
		got := Summary(strings.Join(lines, "\n"))
		if len(got) > MaxMessage || strings.ContainsAny(got, "\n\r") || !utf8.ValidString(got) {
			t.Fatalf("%d bytes, %q", len(got), got)
		}
	})
}

func TestClipKeepsCharactersWhole(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("ä", MaxMessage), strings.Repeat("x", MaxMessage-1) + "😀", strings.Repeat("x", MaxMessage),
	} {
		got := Clip(text)
		if len(got) > MaxMessage || !utf8.ValidString(got) || !strings.HasPrefix(text, strings.TrimSuffix(got, "…")) {
			t.Errorf("%d bytes, valid %t", len(got), utf8.ValidString(got))
		}
	}
}

func TestPrintable(t *testing.T) {
	if got := Printable([]byte("<html>\r\n\x00\x1b[31m\xffred  \n</html>")); got != "<html> [31m red </html>" {
		t.Errorf("got %q", got)
	}
	if got := Printable([]byte(strings.Repeat("x", 1<<20))); len(got) > MaxMessage {
		t.Errorf("%d bytes", len(got))
	}
}

func FuzzSummary(f *testing.F) {
	f.Add("a.X: one\n\tat b\nCaused by: a.Y: two")
	f.Add("<Exception on server side:\n\xff\nEnd of exception on server side>")
	f.Fuzz(func(t *testing.T, trace string) {
		if got := Summary(trace); len(got) > MaxMessage || strings.Contains(got, "\n") {
			t.Fatalf("%q", got)
		}
	})
}
