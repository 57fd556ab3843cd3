package arch

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// pureRooms must be PURE, sub-packages included. Any other package whose doc.go says PURE is held to the same.
var pureRooms = []string{"apis", "flinkconf", "render", "plan", "validation", "autoscaler", "redact", "rehearsal",
	"view", "kinds", "preview",
}

// pureImports are what a PURE package may import directly. A word that ends in / allows everything below.
var pureImports = []string{
	"bytes", "cmp", "compress/gzip", "container/", "crypto/md5", "crypto/sha1", "crypto/sha256",
	"embed", "encoding", "encoding/", "errors", "fmt", "hash", "hash/",
	"iter", "maps", "math", "math/big", "math/bits", "net/netip", "net/url", "path", "reflect", "regexp", "slices",
	"sort",
	"strconv", "strings", "text/template", "time", "unicode", "unicode/",
	"k8s.io/api/",
	"k8s.io/apimachinery/pkg/api/equality", "k8s.io/apimachinery/pkg/api/resource",
	"k8s.io/apimachinery/pkg/api/validation",
	"k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured",
	"k8s.io/apimachinery/pkg/fields", "k8s.io/apimachinery/pkg/labels", "k8s.io/apimachinery/pkg/runtime",
	"k8s.io/apimachinery/pkg/runtime/schema", "k8s.io/apimachinery/pkg/types", "k8s.io/apimachinery/pkg/util/intstr",
	"k8s.io/apimachinery/pkg/util/duration",
	"k8s.io/apimachinery/pkg/util/json", "k8s.io/apimachinery/pkg/util/managedfields",
	"k8s.io/apimachinery/pkg/util/sets",
	"k8s.io/apimachinery/pkg/util/validation", "k8s.io/apimachinery/pkg/util/validation/field",
	"knative.dev/pkg/apis", "go.yaml.in/yaml/v3", "gopkg.in/evanphx/json-patch.v4", "sigs.k8s.io/yaml",
	"sigs.k8s.io/yaml/",
}

// impureNames are names of allowed packages that read a clock, wait, write to the outside, or are random.
var impureNames = map[string][]string{
	"time": {
		"Now", "Since", "Until", "After", "AfterFunc", "Sleep", "Tick", "NewTimer", "NewTicker", "Local", "LoadLocation",
	},
	"fmt":                                  {"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"},
	"k8s.io/apimachinery/pkg/apis/meta/v1": {"Now", "NowMicro"},
}

// isPure says whether a folder must keep the rules of PURE packages.
func isPure(f *folder) bool {
	return slices.Contains(pureRooms, room(f.path+"/x")) || strings.Contains(packageComment(f), "PURE")
}

// packageComment is the text of doc.go's package comment.
func packageComment(f *folder) string {
	for _, s := range f.files {
		if strings.HasSuffix(s.path, "/doc.go") && s.ast.Doc != nil {
			return s.ast.Doc.Text()
		}
	}
	return ""
}

func pure(s *source) []finding {
	var found []finding
	for _, path := range s.imports() {
		if !ours(path) && !slices.ContainsFunc(pureImports, func(allowed string) bool {
			return path == allowed || strings.HasSuffix(allowed, "/") && strings.HasPrefix(path, allowed)
		}) {
			found = append(found, finding{"pure", s.path, "is PURE and must not import " + path})
		}
	}
	s.uses(func(path, name string, node ast.Node) {
		if slices.Contains(impureNames[path], name) {
			found = append(found, finding{"pure", s.at(node), "is PURE and must not use " + path + "." + name})
		}
	})
	return found
}

func TestPurePackages(t *testing.T) {
	var found []finding
	for _, f := range tree(t) {
		if !isPure(f) {
			continue
		}
		if !strings.Contains(packageComment(f), "PURE") {
			found = append(found, finding{"pure", f.path, "must say PURE in doc.go"})
		}
		for _, s := range f.files {
			if !s.test {
				found = append(found, pure(s)...)
			}
		}
	}
	report(t, found, "pure")
}

func TestPureBites(t *testing.T) {
	rows := map[string]struct {
		text   string
		bad    bool
		reason string
	}{
		"clock":         {`import "time"; var x = time.Now()`, true, "Now is a field of the snapshot"},
		"clock value":   {`import "time"; var x = time.Since`, true, "handing it on is using it"},
		"renamed clock": {`import t "time"; var x = t.Now()`, true, "whatever it is called here"},
		"durations":     {`import "time"; var x = time.Second`, false, "types and arithmetic are fine"},
		"k8s clock": {
			`import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"; var x = metav1.Now()`, true, "a clock by another name",
		},
		"context":       {`import "context"; var x context.Context`, true, "pure code waits for nothing"},
		"logger":        {`import "log/slog"; var x = slog.Info`, true, "pure code returns notes"},
		"random":        {`import "math/rand"; var x = rand.Int`, true, "identifiers are derived"},
		"environment":   {`import "os"; var x = os.Getenv`, true, "settings come in as values"},
		"network":       {`import "net/http"; var x http.Client`, true, "no I/O"},
		"url":           {`import "net/url"; var x url.URL`, false, "parsing is no network"},
		"stdout":        {`import "fmt"; func f() { fmt.Println() }`, true, "no I/O"},
		"formatting":    {`import "fmt"; var x = fmt.Sprint()`, false, "pure"},
		"api machinery": {`import "k8s.io/client-go/rest"; var x rest.Config`, true, "a client"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			got := pure(mustParse(t, "pkg/plan/a.go", "package plan\n"+row.text+"\n"))
			if (len(got) > 0) != row.bad {
				t.Errorf("%v, want bad=%v: %s", got, row.bad, row.reason)
			}
		})
	}
}
