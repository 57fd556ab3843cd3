package extension

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

// answering is an extension that answers so; %s is the uid of the question.
func answering(t *testing.T, status int, text string) flinkconf.Extension {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil || review.Request == nil {
			t.Errorf("the question is no AdmissionReview: %v", err)
			return
		}
		w.WriteHeader(status)
		fmt.Fprint(w, strings.ReplaceAll(text, "%s", string(review.Request.UID)))
	}))
	t.Cleanup(server.Close)
	return flinkconf.Extension{Name: "rules", URL: server.URL, Timeout: 5 * time.Second}
}

const (
	allows  = `{"response":{"uid":"%s","allowed":true,"warnings":["mind\nthis"]}}`
	refuses = `{"response":{"uid":"%s","allowed":false,"status":{"message":"no   team label, password=hunter2"}}}`
)

func question(t *testing.T) *admissionv1.AdmissionRequest {
	t.Helper()
	d := &v1beta1.FlinkDeployment{ObjectMeta: metav1.ObjectMeta{
		Namespace: "a", Name: "demo", UID: "u", Generation: 3,
		ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl"}},
	}}
	q, err := Question("FlinkDeployment", v1beta1.FlinkDeploymentGVR, d)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestAQuestionHasWhatARuleNeeds(t *testing.T) {
	q := question(t)
	text := string(q.Object.Raw)
	if q.UID != "u-3" || q.Operation != admissionv1.Update || q.UserInfo.Username != Asks || !*q.DryRun ||
		q.Kind.Kind != "FlinkDeployment" || q.Resource.Resource != "flinkdeployments" || q.Namespace != "a" {
		t.Errorf("%+v", q)
	}
	if !strings.Contains(text, `"kind":"FlinkDeployment"`) || strings.Contains(text, "managedFields") {
		t.Errorf("the object is %s", text)
	}
}

func TestWhatValidatorsSay(t *testing.T) {
	silent := flinkconf.Extension{Name: "rules", URL: "http://127.0.0.1:1/?token=hunter2", Timeout: time.Second}
	rows := map[string]struct {
		validator                    flinkconf.Extension
		refusal, unanswered, warning string
	}{
		"allows":             {answering(t, 200, allows), "", "", "mind this"},
		"refuses":            {answering(t, 200, refuses), "validator rules refuses it: no team label", "", ""},
		"without a reason":   {answering(t, 200, `{"response":{"uid":"%s"}}`), "it does not say why", "", ""},
		"is not there":       {silent, "", "validator rules does not answer", ""},
		"another status":     {answering(t, 500, allows), "", "HTTP status 500", ""},
		"no review":          {answering(t, 200, `{"allowed":true}`), "", "no AdmissionReview", ""},
		"of another one":     {answering(t, 200, `{"response":{"uid":"x","allowed":true}}`), "", `uid "x"`, ""},
		"more than anything": {answering(t, 200, strings.Repeat(" ", maxAnswer+1)), "", "bytes", ""},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			said := Asker{}.Validate(t.Context(), []flinkconf.Extension{row.validator}, question(t))
			got := []string{said.Refusal, said.Unanswered, strings.Join(said.Warnings, " ")}
			for i, want := range []string{row.refusal, row.unanswered, row.warning} {
				if !strings.Contains(got[i], want) || (want == "") != (got[i] == "") {
					t.Errorf("said %q, want %q", got[i], want)
				}
			}
			if strings.Contains(strings.Join(got, " "), "hunter2") {
				t.Errorf("a secret is told: %q", got)
			}
			if row.unanswered != "" {
				row.validator.Ignore = true
				said := Asker{}.Validate(t.Context(), []flinkconf.Extension{row.validator}, question(t))
				if said.Unanswered != "" || len(said.Warnings) != 1 {
					t.Errorf("it need not answer: %+v", said)
				}
			}
		})
	}
}

func TestASlowValidatorIsNotWaitedFor(t *testing.T) {
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-done }))
	defer server.Close()
	defer close(done)
	slow := flinkconf.Extension{Name: "slow", URL: server.URL, Timeout: 50 * time.Millisecond}
	said := Asker{}.Validate(t.Context(), []flinkconf.Extension{slow, answering(t, 200, refuses)}, question(t))
	if said.Unanswered == "" || said.Refusal == "" {
		t.Errorf("%+v", said)
	}
}

func TestALongRefusalIsShortened(t *testing.T) {
	long := answering(t, 200, `{"response":{"uid":"%s","status":{"message":"`+strings.Repeat("ö", 5000)+`"}}}`)
	said := Asker{}.Validate(t.Context(), []flinkconf.Extension{long}, question(t))
	if n := len([]rune(said.Refusal)); n > 1100 {
		t.Errorf("%d characters", n)
	}
}
