package extension

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/kn-flink/kn-flink/pkg/redact"
)

// queryTimeout bounds a query of Prometheus.
const queryTimeout = 5 * time.Second

// Query asks Prometheus, or what answers as it does, for the present values of an expression (GET /api/v1/query): one
// for a scalar, one a series for a vector, none where nothing matches. A value that is not a number is NaN. An error is
// no answer: no connection, another status than 200, a query that is refused, or a result that is neither of the two.
func (a Asker) Query(ctx context.Context, at, expression string) ([]float64, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	base, err := url.Parse(at)
	if err != nil {
		return nil, fmt.Errorf("%s", redact.Text(err.Error()))
	}
	base = base.JoinPath("api", "v1", "query")
	base.RawQuery = url.Values{"query": {expression}}.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("%s", redact.Text(err.Error()))
	}
	text, err := a.answer(request)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Status string `json:"status"`
		Error  string `json:"error"`
		Data   struct {
			Type   string          `json:"resultType"`
			Result json.RawMessage `json:"result"`
		} `json:"data"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, fmt.Errorf("the answer is none of Prometheus: it cannot be read as JSON")
	}
	if answer.Status != "success" {
		return nil, fmt.Errorf(
			"Prometheus does not answer the query: %s",
			redact.Text(oneLine(answer.Error, redact.Secrets{})),
		)
	}
	switch answer.Data.Type {
	case "scalar":
		var one sample
		err = json.Unmarshal(answer.Data.Result, &one)
		return []float64{float64(one)}, err
	case "vector":
		var series []struct {
			Value sample `json:"value"`
		}
		if err := json.Unmarshal(answer.Data.Result, &series); err != nil {
			return nil, err
		}
		values := make([]float64, 0, len(series))
		for _, s := range series {
			values = append(values, float64(s.Value))
		}
		return values, nil
	}
	return nil, fmt.Errorf(
		"the result is a %q: write a query that gives a vector or a scalar",
		cutWord(answer.Data.Type),
	)
}

func cutWord(text string) string { return fmt.Sprintf("%.20s", text) }

// sample is [time, "value"].
type sample float64

func (s *sample) UnmarshalJSON(text []byte) error {
	var pair []any
	if err := json.Unmarshal(text, &pair); err != nil || len(pair) != 2 {
		return fmt.Errorf("a sample of the answer is no pair of a time and a value")
	}
	value, is := pair[1].(string)
	number, err := strconv.ParseFloat(value, 64)
	if !is || err != nil {
		return fmt.Errorf("a sample of the answer has no value")
	}
	*s = sample(number)
	return nil
}
