package flinkconf_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

func TestFiles(t *testing.T) {
	c := flinkconf.Config{
		"k":                                  "v",
		"kv":                                 "true",
		"a.b":                                "x # y",
		"env.log.max":                        "10",
		"env.stdout-err.redirect-to-file":    "true",
		"$internal.application.program-args": "a;' b';''",
	}
	legacy := "$internal.application.program-args: a;' b';''\na.b: x # y\nenv.log.max: " +
		"10\nenv.stdout-err.redirect-to-file: true\nk: v\nkv: true\n"
	standard := `$internal:
  application:
    program-args:
    - "a"
    - " b"
    - ""
a:
  b: "x # y"
env:
  log:
    max: 10
  stdout-err:
    redirect-to-file: true
k: "v"
kv: "true"
`
	for version, want := range map[v1beta1.FlinkVersion][2]string{
		"v1_15": {
			"flink-conf.yaml",
			legacy,
		}, "v1_19": {"flink-conf.yaml", legacy}, "v1_20": {"flink-conf.yaml", legacy},
		"v2_0": {"config.yaml", standard}, "v2_4": {"config.yaml", standard}, "": {"flink-conf.yaml", legacy},
	} {
		name, text, err := flinkconf.Files(c, version)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, [2]string{name, text}); diff != "" {
			t.Errorf("%q: flat lines before 2.0, nested YAML from then on (-want +got):\n%s", version, diff)
		}
	}
}

func TestFilesErrors(t *testing.T) {
	overlap := flinkconf.Config{"k": "1", "kv": "2", "k.v": "3"}
	if _, _, err := flinkconf.Files(overlap, "v2_0"); err == nil || !strings.Contains(err.Error(), "(k -> k.v)") {
		t.Errorf("overlapping keys: %v, want an error that names the pair", err)
	}
	if _, _, err := flinkconf.Files(overlap, "v1_20"); err != nil {
		t.Errorf("overlapping keys are fine in a flat file: %v", err)
	}
	broken := flinkconf.Config{"$internal.application.program-args": "'open"}
	if _, _, err := flinkconf.Files(broken, "v2_0"); err == nil || !strings.Contains(err.Error(), "program-args") {
		t.Errorf("arguments that are no list: %v, want an error that names the option", err)
	}
	quoted := flinkconf.Config{"env.stdout-err.redirect-to-file": "yes", "env.log.max": "ten"}
	_, text, err := flinkconf.Files(quoted, "v2_2")
	if err != nil || !strings.Contains(text, `redirect-to-file: "yes"`) || !strings.Contains(text, `max: "ten"`) {
		t.Errorf("values that are no boolean or number are strings like others: %v\n%s", err, text)
	}
}

// TestArgumentsAreLossless: in config.yaml a program argument arrives as it was written, whatever it is.
// bin/config.sh reads two options by itself, and would take quotes for a part of the value; what it cannot read is a
// text.
func TestFilesForTheShell(t *testing.T) {
	for value, want := range map[[2]string]string{
		{"env.stdout-err.redirect-to-file", "true"}:  "redirect-to-file: true\n",
		{"env.stdout-err.redirect-to-file", "false"}: "redirect-to-file: false\n",
		{"env.stdout-err.redirect-to-file", "12"}:    "redirect-to-file: \"12\"\n",
		{"env.log.max", "10"}:                        "max: 10\n",
		{"env.log.max", "true"}:                      "max: \"true\"\n",
		{"env.log.max", ""}:                          "max: \"\"\n",
	} {
		_, text, err := flinkconf.Files(flinkconf.Config{value[0]: value[1]}, v1beta1.FlinkV2_0)
		if err != nil || !strings.HasSuffix(text, want) {
			t.Errorf("%s: %v: %s, want %s", value, err, text, want)
		}
	}
}

// A list that reads back is printed as the Java operator prints it, so that no running cluster differs by it.
func TestArgumentsAsTheJavaOperatorPrintsThem(t *testing.T) {
	for text, args := range map[string][]string{
		"a;b": {"a", "b"}, "a;;b": {"a", "", "b"}, "'';a": {"", "a"}, "' a';b": {" a", "b"}, "'a;b';c": {"a;b", "c"},
	} {
		in := input(t, "{flinkVersion: v1_20, job: {parallelism: 1}}")
		in.Spec.Job.Args = args
		if got := deploy(t, in).Cluster["$internal.application.program-args"]; got != text {
			t.Errorf("%q are printed as %q, want %q", args, got, text)
		}
	}
}

func TestArgumentsAreLossless(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		args := rapid.SliceOfN(rapid.StringOfN(rapid.SampledFrom([]rune("a;:' \"\n#é-")), 0, 5, -1), 0, 4).Draw(rt, "args")
		in := input(t, "{flinkVersion: v2_2, job: {parallelism: 1}}")
		in.Spec.Job.Args = args
		got, err := deploy(t, in).Cluster.List(flinkconf.Option{Key: "$internal.application.program-args"})
		if diff := cmp.Diff(args, got); err != nil || diff != "" {
			rt.Fatalf("%v\n%s", err, diff)
		}
	})
}

// TestFlatFilesHoldArguments: Flink before 2.0 finds every program argument as it was written, or UnfitArgument names
// one that it would not.
func TestFlatFilesHoldArguments(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		args := rapid.SliceOfN(
			rapid.StringOfN(rapid.SampledFrom([]rune("a;: '\"\n\r#é-\t")), 0, 5, -1), 0, 4,
		).Draw(rt, "args")
		in := input(t, "{flinkVersion: v1_20, job: {parallelism: 1}}")
		in.Spec.Job.Args = args
		name, text, err := flinkconf.Files(deploy(t, in).Cluster, in.Spec.FlinkVersion)
		if err != nil {
			rt.Fatal(err)
		}
		read, err := flinkconf.LoadDir(map[string]string{name: text})
		if err != nil {
			rt.Fatal(err)
		}
		got, err := read.List(flinkconf.Option{Key: "$internal.application.program-args"})
		changed := err != nil || !slices.Equal(got, args)
		if _, why, unfit := flinkconf.UnfitArgument(args, in.Spec.FlinkVersion); changed != unfit || unfit == (why == "") {
			rt.Fatalf("%q arrive as %q (%v); unfit: %t, %s", args, got, err, unfit, why)
		}
	})
}

func TestUnfitArgument(t *testing.T) {
	for name, row := range map[string]struct {
		args  []string
		index int
		why   string
	}{
		"a number sign":         {[]string{"--color", "#fff"}, 1, "comment"},
		"one inside quotes":     {[]string{`"a # b"`}, 0, "comment"},
		"several lines":         {[]string{"a", "b", "SELECT 1;\nSELECT 2"}, 2, "several lines"},
		"a carriage return":     {[]string{"a\rb"}, 0, "several lines"},
		"quotes and delimiters": {[]string{`a;b`, `'`, `"x: y"`, " ", ""}, -1, ""},
		"none":                  {nil, -1, ""},
	} {
		index, why, unfit := flinkconf.UnfitArgument(row.args, v1beta1.FlinkV1_20)
		if unfit != (row.index >= 0) || (unfit && (index != row.index || !strings.Contains(why, row.why))) {
			t.Errorf("%s: argument %d, %q, %t", name, index, why, unfit)
		}
		if index, why, unfit := flinkconf.UnfitArgument(row.args, v1beta1.FlinkV2_0); unfit {
			t.Errorf("%s: config.yaml holds everything, but argument %d %s", name, index, why)
		}
	}
}

// TestFilesReadBack: what is printed for a version is what its reader finds there.
func TestFilesReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringMatching(`[a-z]{1,3}(\.[a-z]{1,3}){0,3}`)
		value := rapid.StringMatching(`[a-z0-9'";,:{\[%@.\-]{1,8}( [a-z]{1,3})?`)
		c := flinkconf.Config(rapid.MapOf(key, value).Draw(t, "config"))
		version := rapid.SampledFrom(v1beta1.FlinkVersions()).Draw(t, "version")
		name, text, err := flinkconf.Files(c, version)
		if err != nil {
			if !strings.Contains(err.Error(), "Overlapping") {
				t.Fatal(err)
			}
			return
		}
		back, err := flinkconf.LoadDir(map[string]string{name: text})
		if diff := cmp.Diff(c, back); err != nil || diff != "" {
			t.Fatalf("%s:\n%s\nread back: %v\n%s", name, text, err, diff)
		}
	})
}

func TestLoadDir(t *testing.T) {
	for name, tc := range map[string]struct {
		files  map[string]string
		want   flinkconf.Config
		reason string
	}{
		"legacy": {
			map[string]string{"flink-conf.yaml": "foo: 1\nbar: 2 # two\n"},
			flinkconf.Config{"foo": "1", "bar": "2"},
			"flat lines",
		},
		"standard": {
			map[string]string{"config.yaml": "foo: 1\na:\n  b: [x, y]\n"},
			flinkconf.Config{"foo": "1", "a.b": "x;y"},
			"nested YAML",
		},
		"both": {
			map[string]string{"flink-conf.yaml": "foo: 1", "config.yaml": "foo: 2"},
			flinkconf.Config{"foo": "1"},
			"flink-conf.yaml is preferred",
		},
		"none": {nil, flinkconf.Config{}, "no files, no configuration"},
		"defaults alone": {
			map[string]string{"defaults.yaml": "a: 1", "log4j-console.properties": "x"}, flinkconf.Config{"a": "1"},
			"as shipped",
		},
		"an option of the user": {
			map[string]string{"defaults.yaml": "a: {b: 1, c: 2}", "config.yaml": "a.b: 3"},
			flinkconf.Config{"a.b": "3", "a.c": "2"}, "the user wins, and keeps the other defaults",
		},
		"the old form of the user": {
			map[string]string{"defaults.yaml": "a: 1\nb: 2", "flink-conf.yaml": "a: 3", "config.yaml": "b: 3"},
			flinkconf.Config{"a": "3", "b": "2"}, "it is read in the place of config.yaml, not of the defaults",
		},
		"log files": {
			map[string]string{"config.yaml": "", "log4j-operator.properties": "x"},
			flinkconf.Config{},
			"other files do not matter beside one of these",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := flinkconf.LoadDir(tc.files)
			if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Errorf("%v: %s\n%s", err, tc.reason, diff)
			}
		})
	}
	for name, files := range map[string]map[string]string{
		"misnamed":                 {"flink.conf": "a: 1"},
		"broken":                   {"config.yaml": "a: ["},
		"broken defaults":          {"defaults.yaml": "a: [", "config.yaml": "a: 1"},
		"misnamed beside defaults": {"defaults.yaml": "a: 1", "flink.conf": "a: 1"},
	} {
		if got, err := flinkconf.LoadDir(files); err == nil {
			t.Errorf("%s: %v, want an error", name, got)
		}
	}
}

func TestLoadNotes(t *testing.T) {
	loaded, err := flinkconf.Load(map[string]string{"flink-conf.yaml": "a: 1\npassword:hunter2\n"})
	if err != nil || loaded.File != "flink-conf.yaml" || len(loaded.Notes) != 1 {
		t.Fatalf("Load() = %+v, %v, want one note", loaded, err)
	}
	if note := loaded.Notes[0]; !strings.Contains(note, "line 2") || strings.Contains(note, "hunter2") {
		t.Errorf("note %q has to name the line and not show it: it may be a secret", note)
	}
}
