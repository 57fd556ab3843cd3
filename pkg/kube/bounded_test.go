package kube

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/kn-flink/kn-flink/pkg/bounded"
	"github.com/kn-flink/kn-flink/test/peak"
)

// listing is a client of an API server that has the given resources.
func listing(t *testing.T, resources []string) *Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from, _ := strconv.Atoi(r.URL.Query().Get("continue"))
		to := len(resources)
		if limit, _ := strconv.Atoi(r.URL.Query().Get("limit")); limit > 0 {
			to = min(to, from+limit)
		}
		next := ""
		if to < len(resources) {
			next = strconv.Itoa(to)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"kind":"List","metadata":{"continue":%q},"items":[`, next)
		for i := from; i < to; i++ {
			if i > from {
				_, _ = io.WriteString(w, ",")
			}
			_, _ = io.WriteString(w, resources[i])
		}
		_, _ = io.WriteString(w, `]}`)
	}))
	t.Cleanup(server.Close)
	client, err := ForConfig(&rest.Config{Host: server.URL}, "test")
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// resource is a FlinkDeployment with a configuration, and what else stands in its metadata.
func resource(i int, configuration, metadata string) string {
	return fmt.Sprintf(
		`{"kind":"FlinkDeployment","metadata":{"name":"r%d","namespace":"n"%s},"spec":{"flinkConfiguration":%s}}`, i,
		metadata, configuration,
	)
}

// smallMaps is so many of them, in a map.
func smallMaps(n int) string {
	text := &strings.Builder{}
	for i := range n {
		_, _ = fmt.Fprintf(text, `"k%d":{"a":{}},`, i)
	}
	return `{` + text.String() + `"z":1}`
}

// TestAPageFitsIntoHalfOfTheMemory: what is allowed by its bytes is cut by what it becomes, and every resource is seen
// once.
func TestAPageFitsIntoHalfOfTheMemory(t *testing.T) {
	const goMemLimit, half = 110 * peak.MiB, 128 * peak.MiB // config/knative/310-observe.yaml
	long := strings.Repeat("x", 100)
	for name, row := range map[string]struct {
		of       func(i int) string
		count    int
		tooLarge bool
	}{
		"many small maps, 1 MB each": {
			func(i int) string { return resource(i, smallMaps(60_000), "") }, 20, true,
		},
		"small maps up to the ceiling": {
			func(i int) string { return resource(i, smallMaps(4_800), "") }, 60, false,
		},
		"texts of 1 MB": {
			func(i int) string { return resource(i, `{"a":"`+strings.Repeat("x", 250<<10)+`"}`, "") }, 100, false,
		},
		"who wrote what, 1 MB each": {
			func(i int) string {
				return resource(i, `{"a":1}`, `,"managedFields":[{"manager":"m","fieldsV1":`+smallMaps(60_000)+`}]`)
			}, 20, false,
		},
		"annotations": {
			func(i int) string {
				text := &strings.Builder{}
				for j := range 2_000 {
					_, _ = fmt.Fprintf(text, `"a%d":"%s",`, j, long)
				}
				return resource(i, `{"a":1}`, `,"annotations":{`+text.String()+`"z":""}`)
			}, 60, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			resources := make([]string, row.count)
			for i := range resources {
				resources[i] = row.of(i)
			}
			client := listing(t, resources)
			seen := map[string]int{}
			highest := peak.Of(t, goMemLimit, func() {
				query := Query{Resource: flinks, Limit: 200}
				for {
					var held []map[string]any // more than a sweep holds of a page
					page, err := client.ListEach(t.Context(), query, func(content map[string]any) error {
						if why := bounded.Marked(content["spec"]); (why != "") != row.tooLarge {
							t.Errorf("the spec: %q", why)
						}
						u := unstructured.Unstructured{Object: content}
						seen[u.GetName()]++
						held = append(held, content)
						return nil
					})
					if err != nil {
						t.Fatal(err)
					}
					if query.Continue = page.Continue; query.Continue == "" {
						return
					}
					_ = held
				}
			})
			t.Logf("peak %d MiB", highest/peak.MiB)
			if highest > half {
				t.Errorf("%d MiB, want at most %d", highest/peak.MiB, half/peak.MiB)
			}
			for i := range row.count {
				if n := seen[fmt.Sprintf("r%d", i)]; n != 1 {
					t.Errorf("r%d was seen %d times", i, n)
				}
			}
		})
	}
}

func TestAnObjectOfOursIsReadWithoutWhatIsTooLarge(t *testing.T) {
	body := resource(1, smallMaps(60_000), "")
	client, _ := answering(t, http.StatusOK, "application/json", []byte(body))
	u, found, err := client.Get(t.Context(), Object{Resource: flinks, Namespace: "n", Name: "r1"})
	if err != nil || !found {
		t.Fatal(found, err)
	}
	if why := bounded.Marked(u.Object["spec"]); u.GetName() != "r1" || !strings.Contains(why, "spec is too large") {
		t.Errorf("%q, %q", u.GetName(), why)
	}
}

func TestATableOfManyRowsIsWhole(t *testing.T) {
	const rows = 2_000
	body := `{"kind":"Table","columnDefinitions":[{"name":"Pace"}],"rows":[` +
		strings.Repeat(`{"cells":["a",1,null,"b","c","d"]},`, rows-1) + `{"cells":["z"]}]}`
	client, _ := answering(t, http.StatusOK, "application/json", []byte(body))
	_, got, err := client.Table(t.Context(), Query{Resource: flinks}, Columns{"Pace": nil}, nil)
	if err != nil || len(got) != rows || got[rows-1].Text("Pace") != "z" {
		t.Errorf("%d rows, %v", len(got), err)
	}
}

// Before a resource is decoded its reader is asked for room, with what it takes in memory.
func TestRoomIsAskedBeforeAResourceIsDecoded(t *testing.T) {
	client := listing(t, []string{resource(0, smallMaps(4_000), "")})
	refused, asked := errors.New("no room"), 0
	ctx := WithRoom(t.Context(), func(_ context.Context, cost int) error {
		if asked = cost; cost > 1<<20 {
			return refused
		}
		return nil
	})
	read := func(content map[string]any) error {
		t.Errorf("decoded %d members", len(content))
		return nil
	}
	if _, err := client.ListEach(ctx, Query{Resource: flinks}, read); !errors.Is(err, refused) || asked < 1<<20 {
		t.Errorf("asked for %d bytes, %v", asked, err)
	}
}
