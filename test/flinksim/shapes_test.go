package flinksim

import (
	"fmt"
	"io"
	"net/http"
	"sort"
	"strings"
	"testing"
)

// shape lists the paths of a JSON value with the type at the end of each. Identifiers in keys are "*".
func shape(prefix string, value any, into map[string]map[string]bool) {
	note := func(kind string) {
		if into[prefix] == nil {
			into[prefix] = map[string]bool{}
		}
		into[prefix][kind] = true
	}
	switch v := value.(type) {
	case map[string]any:
		note("object")
		for key, inner := range v {
			if len(key) == 32 {
				key = "*"
			}
			shape(prefix+"."+key, inner, into)
		}
	case []any:
		note("list")
		for _, inner := range v {
			shape(prefix+"[]", inner, into)
		}
	case nil:
		note("null")
	default:
		if v == "NaN" { // a number that JSON does not have
			v = 0.0
		}
		note(fmt.Sprintf("%T", v))
	}
}

// sends asks the JobManager of cluster demo.
func sends(t *testing.T, w *World, method, path, kind, body string) (int, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(
		t.Context(), method, "http://"+Host("flink", "demo")+"/v1"+path, strings.NewReader(body),
	)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", kind)
	response, err := w.Transport("test").RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, text
}

func compare(t *testing.T, name string, flink, model any) {
	t.Helper()
	theirs, mine := map[string]map[string]bool{}, map[string]map[string]bool{}
	shape("", flink, theirs)
	shape("", model, mine)
	var paths []string
	for path := range mine {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	for _, path := range paths {
		for kind := range mine[path] {
			switch {
			case theirs[path] == nil && !belowNull(theirs, path):
				t.Errorf("%s%s: Flink has no such key here", name, path)
			case theirs[path] != nil && !theirs[path][kind] && kind != "null" && !theirs[path]["null"]:
				t.Errorf("%s%s is a %s, Flink's is %v", name, path, kind, theirs[path])
			}
		}
	}
}

// belowNull says whether Flink happened to have null where the model has an object.
func belowNull(theirs map[string]map[string]bool, path string) bool {
	for {
		at := strings.LastIndex(path, ".")
		if at < 0 {
			return false
		}
		if path = path[:at]; theirs[path]["null"] {
			return true
		}
	}
}
