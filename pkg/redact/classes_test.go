package redact

import "testing"

func TestClassesLeaveTheWordsOfAJobOut(t *testing.T) {
	trace := "java.io.IOException: a\nb 4711\n\tat org.a.B.c(B.java:1)\n\t... 3 more\nCaused by: x.Y$ZError: 4711\n"
	shown := "java.io.IOException\n\tat org.a.B.c(B.java:1)\n\t... 3 more\nCaused by: x.Y$ZError\n"
	for text, want := range map[string]string{
		trace + "\tat d.E.f(E.java:2)":                                    shown + "\tat d.E.f(E.java:2)",
		"IllegalStateException: user 4711 <- RuntimeException: card 1234": "IllegalStateException <- RuntimeException",
		"the job failed: java.lang.IllegalStateException: user 4711":      "the job failed: java.lang.IllegalStateException",
		"OutOfMemoryError <- 4711":                                        "OutOfMemoryError <- 4711",
		"StackOverflowError: deep <- user 4711":                           "StackOverflowError",
		"the JobManager cannot start":                                     "the JobManager cannot start",
		"":                                                                "",
	} {
		if got := Classes(text); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
		if again := Classes(Classes(text)); again != Classes(text) {
			t.Errorf("%q is %q and then %q", text, Classes(text), again)
		}
	}
}
