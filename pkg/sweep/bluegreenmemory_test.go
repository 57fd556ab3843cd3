package sweep

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/zap"
	"k8s.io/client-go/rest"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/test/kubesim"
	"github.com/kn-flink/kn-flink/test/peak"
)

// pairs is an API server with so many pairs, each of which has a side that serves, as large as a user may make it.
func pairs(t *testing.T, n int) *kube.Client {
	t.Helper()
	specOf := func(argument string) (spec string, recorded []byte) {
		spec = `{"image":"flink:1.20","flinkVersion":"v1_20","serviceAccount":"flink","job":{"jarURI":"local:///a.jar",` +
			`"parallelism":2,"upgradeMode":"stateless","args":["` + argument + `"]},` +
			`"jobManager":{"resource":{"memory":"1g","cpu":1}},"taskManager":{"resource":{"memory":"1g","cpu":1}}}`
		recorded, err := json.Marshal(`{"spec":{"template":{"spec":` + spec + `}}}`)
		if err != nil {
			t.Fatal(err)
		}
		return spec, recorded
	}
	spec, recorded := specOf("x")
	large, recordedLarge := specOf(strings.Repeat("x", 480<<10))
	pair := func(i int) string {
		return fmt.Sprintf(`{"kind":"FlinkBlueGreenDeployment","metadata":{"namespace":"n","name":"p%04d","uid":"u%04d",`+
			`"generation":1},"spec":{"template":{"spec":%s}},"status":{"blueGreenState":"ACTIVE_BLUE",`+
			`"lastReconciledSpec":%s}}`, i, i, spec, recorded)
	}
	side := func(i int) string {
		return fmt.Sprintf(`{"kind":"FlinkDeployment","metadata":{"namespace":"n","name":"p%04d-blue","uid":"b%04d",`+
			`"ownerReferences":[{"uid":"u%04d"}]},"spec":%s,"status":{"lifecycleState":"STABLE","reconciliationStatus":`+
			`{"lastReconciledSpec":%s,"lastStableSpec":%s}}}`, i, i, i, large, recordedLarge, recordedLarge)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		of := pair
		if strings.Contains(r.URL.Path, "/flinkdeployments") {
			of = side
		}
		if at := strings.Index(r.URL.Path, "flinkdeployments/p"); at >= 0 {
			i, err := strconv.Atoi(r.URL.Path[at+len("flinkdeployments/p"):][:4])
			if err != nil || !strings.HasSuffix(r.URL.Path, "-blue") {
				w.WriteHeader(http.StatusNotFound)
				_, _ = io.WriteString(w, `{"kind":"Status","status":"Failure","reason":"NotFound","code":404}`)
				return
			}
			_, _ = io.WriteString(w, side(i))
			return
		}
		from, _ := strconv.Atoi(r.URL.Query().Get("continue"))
		limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
		to, next := min(n, from+limit), ""
		if to < n {
			next = strconv.Itoa(to)
		}
		_, _ = fmt.Fprintf(w, `{"kind":"List","metadata":{"continue":%q},"items":[`, next)
		for i := from; i < to; i++ {
			_, _ = io.WriteString(w, of(i)+map[bool]string{true: ",", false: ""}[i < to-1])
		}
		_, _ = io.WriteString(w, `]}`)
	}))
	t.Cleanup(server.Close)
	client, err := kube.ForConfig(&rest.Config{Host: server.URL, QPS: -1}, "test")
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// TestPairsFitIntoHalfOfTheMemory: the sides of a page of pairs are not all kept, and all pairs are looked at.
func TestPairsFitIntoHalfOfTheMemory(t *testing.T) {
	const goMemLimit, half, count = 110 * peak.MiB, 128 * peak.MiB, 60 // config/knative/310-observe.yaml
	client, mail, now := pairs(t, count), &mailbox{}, kubesim.NewClock().Now
	o := &Observer{
		Gather: &gather.Gatherer{Kube: client, Operator: flinkconf.NewOperator(nil), Brief: true, Now: now}, Kube: client,
		Control: mail, Watches: func(string) bool { return true }, Log: zap.NewNop().Sugar(),
	}
	k, _ := kindOf(v1beta1.KindFlinkBlueGreenDeployment)
	highest := peak.Of(t, goMemLimit, func() {
		if err := o.sweep(t.Context(), k, &fleet{}); err != nil {
			t.Error(err)
		}
	})
	t.Logf("peak %d MiB", highest/peak.MiB)
	if highest > half {
		t.Errorf("%d MiB, want at most %d", highest/peak.MiB, half/peak.MiB)
	}
	if n := len(mail.events); n != count { // the record of each is of an older version
		t.Errorf("%d passes were asked for, want %d", n, count)
	}
}
