package admission

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/kn-flink/kn-flink/test/peak"
)

// TestAReviewFitsIntoHalfOfTheMemory: whatever a review of the largest size has in it.
func TestAReviewFitsIntoHalfOfTheMemory(t *testing.T) {
	const most, tooLarge = 3 << 20, "too large"
	const goMemLimit, half = 100 * peak.MiB, 64 * peak.MiB // config/knative/810-admit.yaml
	repeated := func(item string, bytes int) string { return strings.Repeat(item+",", bytes/(len(item)+1)) + item }
	old := object("FlinkDeployment", "old", clusterSpec+`,"podTemplate":{"a":[`+repeated(`{}`, 3<<19)+`]}`)
	deployment := func(more string) string { return object("FlinkDeployment", "new", clusterSpec+more) }
	for name, row := range map[string]struct{ object, request, want string }{
		"one long key above many": {
			deployment(`,"flinkConfiguration":{"` + strings.Repeat("k", 100_000) + `":{` + repeated(`"a":1`, 1<<20) + `}}`), "",
			tooLarge,
		},
		"many small maps": {deployment(`,"flinkConfiguration":{"a":[` + repeated(`{"a":{}}`, most) + `]}`), "", tooLarge},
		"many containers": {
			deployment(`,"podTemplate":{"spec":{"containers":[` + repeated(`{}`, most) + `]}}`), "", tooLarge,
		},
		"nested": {
			deployment(`,"podTemplate":{"a":` + strings.Repeat(`{"a":`, 500_000) + `1` + strings.Repeat(`}`, 500_001)), "",
			"max depth",
		},
		"many owners": {
			strings.Replace(deployment(``), `"name":`, `"ownerReferences":[`+repeated(`{}`, most)+`],"name":`, 1), "", tooLarge,
		},
		"an allowed number": {
			deployment(`,"podTemplate":{"spec":{"containers":[` + repeated(`{}`, 18_000*3) + `]}}`), "", "",
		},
		"groups of a user": {deployment(``), `"userInfo":{"groups":[` + repeated(`""`, most) + `]},`, tooLarge},
		"extra of a user":  {deployment(``), `"userInfo":{"extra":{` + repeated(`"a":[""]`, most) + `}},`, tooLarge},
		"options":          {deployment(``), `"options":{"a":[` + repeated(`{}`, most) + `]},`, tooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			body := fmt.Sprintf(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u",%s"kind":`+
				`{"group":"flink.apache.org","version":"v1beta1","kind":"FlinkDeployment"},"operation":"UPDATE","object":%s,`+
				`"oldObject":%s}}`, row.request, row.object, old)
			h := Handler{Judge: Judges{}.Judge, Log: zap.NewNop().Sugar()}
			answer := httptest.NewRecorder()
			highest := peak.Lowest(t, goMemLimit, func() {
				h.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, ValidatePath, strings.NewReader(body)))
			})
			t.Logf("%d KiB, peak %d MiB", len(body)>>10, highest/peak.MiB)
			if highest > half {
				t.Errorf("%d MiB, want at most %d", highest/peak.MiB, half/peak.MiB)
			}
			if got := answer.Body.String(); !strings.Contains(got, row.want) {
				t.Errorf("%d %.300s, want %q", answer.Code, got, row.want)
			}
		})
	}
}
