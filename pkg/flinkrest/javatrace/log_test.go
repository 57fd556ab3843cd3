package javatrace

import "testing"

func TestLastOf(t *testing.T) {
	const trace = "a.b.X: no\n\tat a.B.c(D.java:1) ~[x.jar:1]\nCaused by: a.b.Y: root\n\tat a.B.c(D.java:1)\n\t... 3 more"
	const end = "\n2026-11-22 05:48:45,684 INFO  org.apache.flink.runtime.blob.BlobServer [] - Stopped BLOB server at " +
		"0.0.0.0:6124\n"
	rows := map[string]struct{ log, want, reason string }{
		"nothing":      {"", "", "there is none"},
		"no exception": {"Starting JobManager\nbash: exec: no such file", "", "there is none"},
		"after a line": {
			"2026-11-22 ERROR o.a.f.ClusterEntrypoint [] - Fatal error occurred.\n" + trace + end, trace,
			"the line of the log is no exception",
		},
		"the last of two": {
			"a.Z: first\n\tat a.B(C.java:1)\nINFO between\n" + trace + end, trace, "the JobManager went on after the first",
		},
		"several lines": {
			"x\na.b.X: first\nsecond\n\tat a.B(C.java:1)" + end, "a.b.X: first\nsecond\n\tat a.B(C.java:1)",
			"a message may have lines",
		},
		"main thread": {
			`Exception in thread "main" a.b.X: no` + "\n\tat a.B(C.java:1)", "a.b.X: no\n\tat a.B(C.java:1)",
			"its words are not the exception's",
		},
		"its begin is gone": {
			"\tat a.B(C.java:1)\nCaused by: a.b.Y: two\n\tat a.B(C.java:1)\nCaused by: a.b.Z: root\n\t... 9 more" + end,
			"Caused by: a.b.Y: two\n\tat a.B(C.java:1)\nCaused by: a.b.Z: root\n\t... 9 more", "what is left tells enough",
		},
		"only frames": {"\tat a.B(C.java:1)\n\tat a.B(C.java:2)", "", "they tell nothing"},
		"the JVM interferes": {
			"a.b.X: no\nWARNING: System::setSecurityManager will be removed in a future release\n\tat a.B(C.java:1)",
			"a.b.X: no\n\tat a.B(C.java:1)", "it is not of the exception",
		},
		"windows": {"a.b.X: no\r\n\tat a.B(C.java:1)\r\n", "a.b.X: no\n\tat a.B(C.java:1)", "line ends vary"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if got := LastOf(row.log); got != row.want {
				t.Errorf("%q, want %q: %s", got, row.want, row.reason)
			}
		})
	}
}

func TestEndOf(t *testing.T) {
	const other = "a.Z: cannot be asked now\n\tat a.B(C.java:1)\n"
	const fatal = "2026-11-22 05:48:45,587 ERROR org.apache.flink.runtime.entrypoint.ClusterEntrypoint [] - Fatal " +
		"error occurred in the cluster entrypoint.\n"
	const trace = "a.b.X: no\n\tat a.B.c(D.java:1)\nCaused by: a.b.Y: root\nof all\n\tat a.B.c(D.java:1)\n\t... 3 more"
	const end = "\nINFO stopped\n"
	rows := map[string]struct{ log, want, reason string }{
		"as Flink says":     {other + fatal + trace + end, trace, "the last of two"},
		"another one later": {fatal + trace + "\nERROR handler\n" + other, trace, "somebody asked while it ended"},
		"said twice":        {fatal + other + fatal + trace + end, trace, "of two runs in one log, the last"},
		"it could not start": {
			other + "INFO Could not start cluster entrypoint KubernetesApplicationClusterEntrypoint.\n" + trace + end, trace,
			"as Flink says",
		},
		"Flink says nothing":   {other + trace + end, trace, "the last one"},
		"said without a trace": {other + fatal + "INFO stopped\n", "", "another trace is not its cause"},
		"the JVM interferes": {
			fatal + "a.b.X: no\n\tat a.B(C.java:1)\nWARNING: soon\n\tat a.B(C.java:2)" + end,
			"a.b.X: no\n\tat a.B(C.java:1)\n\tat a.B(C.java:2)", "it is not of the exception",
		},
		"the log ends with that": {fatal + trace, trace, "nothing follows"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if got := EndOf(row.log); got != row.want {
				t.Errorf("%q, want %q: %s", got, row.want, row.reason)
			}
		})
	}
}
