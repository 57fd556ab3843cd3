package extension

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestQuery(t *testing.T) {
	nan := math.NaN()
	for name, row := range map[string]struct {
		status int
		answer string
		want   []float64
		why    string
	}{
		"a vector": {
			200, `{"status":"success","data":{"resultType":"vector","result":[
				{"metric":{"a":"b"},"value":[1764500000.1,"1"]},{"metric":{},"value":[1764500000.1,"-0.5"]}]}}`,
			[]float64{1, -0.5}, "",
		},
		"an empty vector": {200, `{"status":"success","data":{"resultType":"vector","result":[]}}`, []float64{}, ""},
		"a scalar": {
			200, `{"status":"success","data":{"resultType":"scalar","result":[1764500000,"NaN"]}}`, []float64{nan}, "",
		},
		"a matrix": {
			200, `{"status":"success","data":{"resultType":"matrix","result":[]}}`, nil, `the result is a "matrix"`,
		},
		"a query that is refused": {
			200, `{"status":"error","error":"parse error:\n password=hunter2"}`, nil,
			"Prometheus does not answer the query: parse error:",
		},
		"another status":        {503, `{}`, nil, "HTTP status 503"},
		"no JSON":               {200, `<html>`, nil, "the answer is"},
		"a sample that is none": {200, `{"status":"success","data":{"resultType":"scalar","result":[1]}}`, nil, "no pair"},
		"a value that is no text": {
			200, `{"status":"success","data":{"resultType":"scalar","result":[1,2]}}`, nil, "has no value",
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodGet || r.URL.Path != "/base/api/v1/query" ||
					r.URL.Query().Get("query") != "a > 1 and b" {
					t.Errorf("asked %s %s", r.Method, r.URL)
				}
				w.WriteHeader(row.status)
				fmt.Fprint(w, row.answer)
			}))
			defer server.Close()
			got, err := Asker{}.Query(t.Context(), server.URL+"/base/", "a > 1 and b")
			if row.why != "" {
				if err == nil || !strings.Contains(err.Error(), row.why) || strings.Contains(err.Error(), "hunter2") {
					t.Errorf("error %v, want %q", err, row.why)
				}
				return
			}
			if err != nil || fmt.Sprint(got) != fmt.Sprint(row.want) {
				t.Errorf("%v, %v; want %v", got, err, row.want)
			}
		})
	}
}

func TestAQueryWithoutAnAnswer(t *testing.T) {
	_, err := Asker{}.Query(t.Context(), "http://user:hunter2@127.0.0.1:1", "up")
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error %v, want one without the password", err)
	}
}
