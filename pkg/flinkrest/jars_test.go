package flinkrest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestJars(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		c, _ := play(t, version, "jars")
		got, err := c.Jars(background)
		wantKind(t, err, nil)
		if len(got) != 1 || got[0].Name != "operation.jar" || !strings.HasSuffix(got[0].ID, "_operation.jar") ||
			got[0].Uploaded.Time().IsZero() {
			t.Errorf("got %+v", got)
		}
		c, _ = play(t, version, "jars-empty")
		got, err = c.Jars(background)
		wantKind(t, err, nil)
		if got == nil || len(got) != 0 {
			t.Errorf("got %#v", got)
		}
		c, _ = play(t, version, "application-jars")
		_, err = c.Jars(background)
		wantKind(t, err, ErrNoEndpoint)
		c, _ = play(t, version, "application-jar-run")
		_, err = c.JarRun(background, "x.jar", RunRequest{})
		wantKind(t, err, ErrNoEndpoint)
	})
}

// TestUploadIsOneMultipartFile reads the request as a server does and answers what Flink answered.
func TestUploadIsOneMultipartFile(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		r := load(t, version, "jar-upload")
		content := strings.Repeat("jar", 1<<20)
		c := serve(t, func(w http.ResponseWriter, request *http.Request) {
			if got := request.Method + " " + request.URL.Path; got != r.Request {
				t.Errorf("asked for %q, recorded %q", got, r.Request)
			}
			if request.ContentLength != -1 {
				t.Errorf("content length %d: a stream of unknown length is chunked", request.ContentLength)
			}
			parts, err := request.MultipartReader()
			if err != nil {
				t.Error(err)
				return
			}
			part, err := parts.NextPart()
			if err != nil || part.FormName() != "jarfile" || part.FileName() != "operation.jar" ||
				part.Header.Get("Content-Type") != "application/java-archive" {
				t.Errorf("part %+v, %v", part, err)
				return
			}
			if text, err := io.ReadAll(part); err != nil || string(text) != content {
				t.Errorf("%d bytes arrived, %v", len(text), err)
			}
			if _, err := parts.NextPart(); err != io.EOF {
				t.Errorf("there is more than one part: %v", err)
			}
			_, _ = w.Write(r.Answer)
		})
		got, err := c.JarUpload(background, "operation.jar", iotest.HalfReader(strings.NewReader(content)))
		wantKind(t, err, nil)
		if !strings.HasSuffix(got, "_operation.jar") || strings.Contains(got, "/") {
			t.Errorf("the jar ID is the last part of the path, got %q", got)
		}
	})
}

func TestUploadFailures(t *testing.T) {
	broken := errors.New("the source broke")
	drain := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // how it ends does not matter here
		_, _ = w.Write([]byte(`{"filename":"/x/a.jar","status":"success"}`))
	}
	t.Run("a source that fails is not Flink's fault", func(t *testing.T) {
		c := serve(t, drain)
		_, err := c.JarUpload(background, "a.jar", io.MultiReader(strings.NewReader("some"), iotest.ErrReader(broken)))
		wantKind(t, err, ErrSource)
		if !errors.Is(err, broken) {
			t.Errorf("the cause is kept: %v", err)
		}
	})
	t.Run("a context that ends is", func(t *testing.T) {
		c := serve(t, drain)
		ctx, cancel := context.WithCancel(background)
		cancel()
		_, err := c.JarUpload(ctx, "a.jar", strings.NewReader("some"))
		wantKind(t, err, ErrUnreachable)
	})
	for _, name := range []string{
		"", "a.zip", ".jar", "a/b.jar", `a".jar`, "a\r\n.jar", "..jar", strings.Repeat("a", 300) + ".jar",
	} {
		t.Run("nothing is sent for "+name, func(t *testing.T) {
			c := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
			_, err := c.JarUpload(background, name, strings.NewReader("x"))
			wantKind(t, err, ErrRejected)
		})
	}
	t.Run("Flink refuses another ending too", func(t *testing.T) {
		eachVersion(t, func(t *testing.T, version string) {
			r := load(t, version, "jar-upload-not-a-jar")
			c := serve(t, func(w http.ResponseWriter, request *http.Request) {
				_, _ = io.Copy(io.Discard, request.Body) // drained so that the connection stays
				w.WriteHeader(r.Status)
				_, _ = w.Write(r.Answer)
			})
			_, err := c.JarUpload(background, "a.jar", strings.NewReader("x"))
			wantKind(t, err, ErrRejected)
		})
	})
}

func TestRun(t *testing.T) {
	flink := map[string]Version{"1.20": {1, 20}, "2.2": {2, 2}}
	no := false
	first := RunRequest{JobID: job(1), Parallelism: 2, Args: []string{"--checkpoint-ms", "1000", "--snapshot-ms", "700"}}
	args := []string{"--checkpoint-ms", "500"}
	rows := map[string]struct {
		request RunRequest
		kind    error
		says    string
		reason  string
	}{
		"jar-run": {first, nil, "", "the job ID is ours"},
		"jar-run-again-while-running": {
			first, ErrDuplicateJob, "DuplicateJobSubmissionException", "the same ID starts no second job",
		},
		"jar-run-again-after-the-end": {RunRequest{JobID: job(1)}, ErrDuplicateJob, "", "nor after the end"},
		"jar-run-again-after-cancel":  {RunRequest{JobID: job(2)}, ErrDuplicateJob, "", "nor after a cancel"},
		"jar-run-again-while-main-runs": {RunRequest{JobID: job(7), Args: []string{"--main-ms", "6000"}}, ErrDuplicateJob,
			"",
			"the main that submits first wins"},
		"jar-run-from-savepoint": {RunRequest{JobID: job(5), Args: args, ClaimMode: NoClaim, AllowNonRestoredState: &no,
			Configuration: map[string]string{"pipeline.name": "named by flinkConfiguration"}}, nil, "", "all fields"},
		"jar-run-batch": {
			RunRequest{JobID: job(8), Configuration: map[string]string{"execution.runtime-mode": "BATCH"}}, nil, "", "",
		},
		"jar-run-savepoint-missing": {RunRequest{JobID: job(6), Args: args, SavepointPath: "file:///no/such/savepoint"},
			ErrRejected,
			"Cannot find checkpoint or savepoint", "the job is kept as FAILED"},
		"jar-run-again-after-savepoint-missing": {
			RunRequest{JobID: job(6), Args: args}, ErrDuplicateJob, "", "and its ID is used up",
		},
		"jar-run-main-fails": {
			RunRequest{JobID: job(9), Args: []string{"--fail-main"}}, ErrRejected, "main was told to fail", "main threw",
		},
		"jar-run-no-class": {
			RunRequest{JobID: job(9), EntryClass: "no.such.Main"}, ErrRejected, "no.such.Main", "Flink says 500",
		},
		"jar-run-bad-job-id":  {RunRequest{JobID: "xyz"}, ErrRejected, "JobID", "not hexadecimal"},
		"jar-run-unknown-jar": {RunRequest{JobID: job(9)}, ErrNotFound, "does not exist", "Flink says 500"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			eachVersion(t, func(t *testing.T, version string) {
				c, r := play(t, version, name)
				request := row.request
				request.Version = flink[version]
				var sent struct{ SavepointPath string }
				if err := json.Unmarshal(r.Sent, &sent); err != nil {
					t.Fatal(err)
				}
				request.SavepointPath = sent.SavepointPath // Flink drew a part of it
				got, err := c.JarRun(background, r.segment(3), request)
				wantKind(t, err, row.kind)
				if row.kind == nil && got != request.JobID {
					t.Errorf("%s; got %q", row.reason, got)
				}
				if err != nil && !strings.Contains(err.Error(), row.says) {
					t.Errorf("%s; the message must say %q: %v", row.reason, row.says, err)
				}
			})
		})
	}
}

// warmVersions are those of which the part "warm" was recorded.
var warmVersions = map[string]Version{"1.20": {1, 20}, "2.2": {2, 2}, "2.3": {2, 3}}

// onClassPath runs an empty jar whose code is on the class path of the cluster.
var onClassPath = RunRequest{
	EntryClass: "RecordJob", Parallelism: 2, Args: []string{"--checkpoint-ms", "500"},
	Configuration: map[string]string{"pipeline.classpaths": "file:///flink-data/usrlib/record.jar"},
}

func TestPlan(t *testing.T) {
	planned := RunRequest{
		JobID: job(1), SavepointPath: "s3://b/sp", ClaimMode: Claim, Parallelism: 2,
		Args:          []string{"--checkpoint-ms", "500"},
		Configuration: map[string]string{"pipeline.name": "named by flinkConfiguration"},
	}
	for name, row := range map[string]struct {
		request RunRequest
		kind    error
		says    string
		reason  string
	}{
		"jar-plan":            {planned, nil, "", "a plan has no job ID and no state"},
		"jar-plan-class-path": {onClassPath, nil, "", "the empty jar needs the class, and the path of its code"},
		"jar-plan-main-fails": {
			RunRequest{Args: []string{"--fail-main"}}, ErrRejected, "main was told to fail", "main threw; Flink says 500",
		},
		"jar-plan-no-class": {
			RunRequest{EntryClass: "no.such.Main"}, ErrRejected, "no.such.Main", "Flink says 500",
		},
		"jar-plan-unknown-jar": {RunRequest{}, ErrNotFound, "does not exist", "Flink says 500"},
	} {
		for version, flink := range warmVersions {
			t.Run(name+" "+version, func(t *testing.T) {
				c, r := play(t, version, name)
				row.request.Version = flink
				got, err := c.JarPlan(background, r.segment(3), row.request)
				wantKind(t, err, row.kind)
				if err != nil && !strings.Contains(err.Error(), row.says) {
					t.Errorf("%s; the message must say %q: %v", row.reason, row.says, err)
				}
				var parallelism []int
				for _, n := range got.Nodes {
					parallelism = append(parallelism, n.Parallelism)
				}
				want := []int{2, 2}
				if row.kind != nil {
					want = nil
				}
				if diff := cmp.Diff(want, parallelism); diff != "" {
					t.Errorf("%s; parallelism of the vertices (-want +got):\n%s", row.reason, diff)
				}
			})
		}
	}
	t.Run("a plan without vertices is incomplete", func(t *testing.T) {
		c := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"plan":{}}`)) })
		_, err := c.JarPlan(background, "x.jar", RunRequest{})
		wantKind(t, err, ErrMalformed)
	})
}

// TestWarmUp runs the small job of package warmup, and a job whose code is on the class path of the cluster.
func TestWarmUp(t *testing.T) {
	for version, flink := range warmVersions {
		t.Run(version, func(t *testing.T) {
			onPath := onClassPath
			onPath.JobID, onPath.Version = job(21), flink
			for name, request := range map[string]RunRequest{
				"jar-run-class-path": onPath,
				"jar-run-warm-up": {
					Version: flink, JobID: job(22), EntryClass: "knflink.WarmUp", Parallelism: 4,
					Configuration: map[string]string{"restart-strategy.type": "none", "restart-strategy": "none"},
				},
			} {
				c, r := play(t, version, name)
				got, err := c.JarRun(background, r.segment(3), request)
				wantKind(t, err, nil)
				if got != request.JobID {
					t.Errorf("%s: job %q, want %q", name, got, request.JobID)
				}
			}
			c, _ := play(t, version, "job-warm-up")
			ended, err := c.Job(background, job(22))
			wantKind(t, err, nil)
			if ended.State != "FINISHED" || len(ended.Vertices) < 2 || ended.Vertices[0].Parallelism != 4 {
				t.Errorf("it ended as %+v, want FINISHED in two vertices of parallelism 4", ended)
			}
			c, _ = play(t, version, "checkpoints-warm-up")
			statistics, err := c.CheckpointStatistics(background, job(22))
			wantKind(t, err, nil)
			if statistics.Counts.Total != 0 {
				t.Errorf("%d checkpoints, want none: the cluster asks for one each 100 ms", statistics.Counts.Total)
			}
			c, _ = play(t, version, "overview-warm")
			overview, err := c.Overview(background)
			wantKind(t, err, nil)
			if overview.SlotsAvailable != 4 {
				t.Errorf("%d slots are free after it, want 4", overview.SlotsAvailable)
			}
		})
	}
}

// TestRunThatIsGivenUpGoesOn pins what the recorder saw after it broke off a run whose main slept.
func TestRunThatIsGivenUpGoesOn(t *testing.T) {
	for _, version := range append([]string{oldest}, versions...) {
		facts := loadFacts(t, version)
		if facts["run-given-up-after-500ms-of-3s"] != true || facts["job-state-while-main-runs"] != "" ||
			facts["job-state-after-a-run-that-was-given-up"] != "RUNNING" {
			t.Errorf("%s: doc.go says that the job comes all the same: %v", version, facts)
		}
	}
}

func TestRunFieldsByVersion(t *testing.T) {
	request := RunRequest{
		JobID: job(1), SavepointPath: "s3://b/sp", ClaimMode: Claim, Configuration: map[string]string{"a": "b"},
		Parallelism: -1,
	}
	claim, restore, config := `"claimMode":"CLAIM"`, `"restoreMode":"CLAIM"`, `"flinkConfiguration":{"a":"b"}`
	rows := map[string]struct {
		has, not []string
		reason   string
	}{
		"1.15":  {[]string{restore}, []string{"claimMode", "flinkConfiguration"}, "knows restoreMode only"},
		"1.16":  {[]string{restore}, []string{"claimMode", "flinkConfiguration"}, "as 1.15"},
		"v1_17": {[]string{restore, config}, []string{"claimMode"}, "flinkConfiguration came"},
		"1.19":  {[]string{restore, config}, []string{"claimMode"}, "as 1.17"},
		"1.20":  {[]string{claim, config}, []string{"restoreMode"}, "claimMode came"},
		"v2_0":  {[]string{claim, config}, []string{"restoreMode"}, "as 1.20"},
		"2.2.1": {[]string{claim, config}, []string{"restoreMode"}, "as 1.20"},
	}
	for text, row := range rows {
		t.Run(text, func(t *testing.T) {
			version, err := ParseVersion(text)
			if err != nil {
				t.Fatal(err)
			}
			request.Version = version
			body := ""
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				sent, _ := io.ReadAll(r.Body) // compared below
				body = string(sent)
				_, _ = w.Write([]byte(`{"jobid":"` + job(1) + `"}`))
			})
			_, err = c.JarRun(background, "a.jar", request)
			wantKind(t, err, nil)
			for _, want := range row.has {
				if !strings.Contains(body, want) {
					t.Errorf("%s; %s is not in %s", row.reason, want, body)
				}
			}
			for _, bad := range append(row.not, "parallelism", "programArgsList", "entryClass", "allowNonRestoredState") {
				if strings.Contains(body, bad) {
					t.Errorf("%s; %s is in %s", row.reason, bad, body)
				}
			}
		})
	}
}

func TestDeleteJar(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		c, r := play(t, version, "jar-delete")
		wantKind(t, c.JarDelete(background, r.segment(3)), nil)
		c, r = play(t, version, "jar-delete-again")
		wantKind(t, c.JarDelete(background, r.segment(3)), ErrNotFound)
	})
}

func TestParseVersion(t *testing.T) {
	rows := map[string]Version{
		"1.20.5": {1, 20}, "v1_15": {1, 15}, "2.1-SNAPSHOT": {2, 1}, "v2_2": {2, 2}, "": {}, "x": {}, "v2": {}, "2": {},
	}
	for text, want := range rows {
		got, err := ParseVersion(text)
		if diff := cmp.Diff(want, got); diff != "" || (err != nil) != (want == Version{}) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if !(Version{2, 0}).AtLeast(1, 20) || (Version{1, 19}).AtLeast(1, 20) || !(Version{1, 20}).AtLeast(1, 20) {
		t.Error("2.0 ≥ 1.20 = 1.20 > 1.19")
	}
}
