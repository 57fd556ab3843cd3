package admission

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	admissionv1 "k8s.io/api/admission/v1"
	"knative.dev/pkg/apis"

	"github.com/kn-flink/kn-flink/pkg/kinds"
)

// review is the body of an AdmissionReview as the API server sends it.
func review(operation, kind, object string) string {
	return fmt.Sprintf(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1","operation":%q,
		"kind":{"group":"flink.apache.org","version":"v1beta1","kind":%q},"namespace":"team","name":"a","object":%s}}`,
		operation, kind, object)
}

const (
	plain     = `{"metadata":{"name":"a","namespace":"team"},"spec":{"deploymentName":"s"}}`
	canary    = `{"metadata":{"name":"a","labels":{"flink.apache.org/canary":"True"}},"spec":{"deploymentName":"s"}}`
	going     = `{"metadata":{"name":"a","deletionTimestamp":"2026-11-20T12:00:00Z"},"spec":{}}`
	sessionOK = `{"metadata":{"name":"a","labels":{"target.session":"s","x":"y"}},"spec":{"deploymentName":"s"}}`
)

var (
	names      = kinds.Names()
	operations = []string{"CREATE", "UPDATE", "DELETE", "CONNECT"}
)

// finding is a Judge that always answers the same.
func finding(f *apis.FieldError) Judge {
	return func(context.Context, *admissionv1.AdmissionRequest) (*apis.FieldError, error) { return f, nil }
}

var (
	nothing = finding(nil)
	wrong   = finding(&apis.FieldError{Message: "first is wrong", Paths: []string{"spec.a"}, Details: "fix it"})
	several = finding((&apis.FieldError{Message: "first is wrong", Paths: []string{"spec.a"}}).Also(
		&apis.FieldError{Message: "so is the second", Paths: []string{"spec.b"}},
	))
	warning = finding((&apis.FieldError{Message: "it is old", Paths: []string{"spec.a"}}).At(apis.WarningLevel))
	broken  = Judge(func(context.Context, *admissionv1.AdmissionRequest) (*apis.FieldError, error) {
		return nil, errors.New("cannot determine the namespace")
	})
	panics = Judge(func(context.Context, *admissionv1.AdmissionRequest) (*apis.FieldError, error) { panic("boom") })
)

// post sends a body over a real connection.
func post(
	t *testing.T, h Handler, path, body string,
) (status int, text string, response *admissionv1.AdmissionResponse) {
	t.Helper()
	if h.Log == nil {
		h.Log = zap.NewNop().Sugar()
	}
	server := httptest.NewServer(h)
	defer server.Close()
	answer, err := http.Post(server.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK {
		if got := answer.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/plain") {
			t.Errorf("an error is sent as %q, want text/plain", got)
		}
		return answer.StatusCode, string(raw), nil
	}
	var out admissionv1.AdmissionReview
	if err := json.Unmarshal(raw, &out); err != nil || out.Response == nil || out.Kind != reviewKind ||
		out.APIVersion != reviewVersion {
		t.Fatalf("the answer is no AdmissionReview: %v: %s", err, raw)
	}
	if got := answer.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("a review is sent as %q, want application/json", got)
	}
	return answer.StatusCode, "", out.Response
}

func TestValidate(t *testing.T) {
	rows := map[string]struct {
		judge   Judge
		body    string
		denied  string
		warning string
		reason  string
	}{
		"valid": {nothing, review("CREATE", names[0], plain), "", "", "nothing is wrong"},
		"wrong": {
			wrong, review("CREATE", names[0], plain), "first is wrong (spec.a): fix it", "", "what, where, and what to do",
		},
		"several": {
			several, review("UPDATE", names[0], plain), "first is wrong (spec.a); so is the second (spec.b)", "",
			"all problems at once",
		},
		"warning": {
			warning, review("CREATE", names[0], plain), "", "it is old (spec.a)", "a warning stops nobody",
		},
		"canary":           {wrong, review("CREATE", names[0], canary), "", "", "canaries are not judged"},
		"canary, any kind": {wrong, review("CREATE", "Other", canary), "", "", "whatever their kind"},
		"going away":       {wrong, review("UPDATE", names[0], going), "", "", "a wrong spec must not keep it alive"},
		"deleted":          {wrong, review("DELETE", names[0], "null"), "", "", "there is nothing to store"},
		"connect":          {wrong, review("CONNECT", names[0], "null"), "", "", "there is nothing to store"},
		"query is ignored": {nothing, review("CREATE", names[0], plain), "", "", "the API server appends ?timeout=10s"},
		"other installaton": {
			wrong, strings.ReplaceAll(review("CREATE", names[0], plain), "team", "theirs"), "", "",
			"its own operator judges it",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			h := Handler{Judge: row.judge, Watches: func(namespace string) bool { return namespace == "team" }}
			status, text, response := post(t, h, ValidatePath+"?timeout=10s", row.body)
			if status != http.StatusOK {
				t.Fatalf("status %d, %s: %s", status, text, row.reason)
			}
			if response.UID != "u-1" {
				t.Errorf("uid %q, want that of the request", response.UID)
			}
			if response.Allowed != (row.denied == "") {
				t.Fatalf("allowed %v: %s", response.Allowed, row.reason)
			}
			if row.denied != "" && (response.Result.Code != http.StatusForbidden || response.Result.Message != row.denied) {
				t.Errorf(
					"denied with %d %q, want 403 %q: %s", response.Result.Code, response.Result.Message, row.denied, row.reason,
				)
			}
			if got := strings.Join(response.Warnings, "|"); got != row.warning {
				t.Errorf("warnings %q, want %q: %s", got, row.warning, row.reason)
			}
			if response.PatchType != nil || response.Patch != nil {
				t.Error("a validation carries no patch")
			}
		})
	}
}

// TestValidateEveryKindAndOperation: an object that is sent is judged, whatever the operation.
func TestValidateEveryKindAndOperation(t *testing.T) {
	for _, kind := range names {
		for _, operation := range operations {
			_, _, response := post(t, Handler{Judge: wrong}, ValidatePath, review(operation, kind, plain))
			if response == nil || response.Allowed || !strings.Contains(response.Result.Message, "first is wrong") {
				t.Errorf("%s of %s: %+v, want it denied with the validator's text", operation, kind, response)
			}
		}
	}
}

func TestMutate(t *testing.T) {
	const set = `[{"op":"add","path":"/metadata/labels/target.session","value":"s"}]`
	rows := map[string]struct {
		operation, kind, object string
		patch                   string
		reason                  string
	}{
		"no labels": {
			"CREATE", names[1], plain, `[{"op":"add","path":"/metadata/labels","value":{"target.session":"s"}}]`,
			"the map is made, too",
		},
		"empty labels": {
			"CREATE", names[1], `{"metadata":{"labels":{}},"spec":{"deploymentName":"s"}}`, set, "the map is there",
		},
		"other labels": {
			"UPDATE", names[1], `{"metadata":{"labels":{"x":"y"}},"spec":{"deploymentName":"s"}}`, set, "others stay",
		},
		"wrong label": {
			"UPDATE", names[1], `{"metadata":{"labels":{"target.session":"t"}},"spec":{"deploymentName":"s"}}`, set,
			"corrected",
		},
		"right label":       {"UPDATE", names[1], sessionOK, `[]`, "nothing to change"},
		"no deploymentName": {"CREATE", names[1], `{"metadata":{},"spec":{}}`, `[]`, "validation will say so"},
		"null": {
			"CREATE", names[1], `{"metadata":{"labels":null},"spec":{"deploymentName":null}}`, `[]`, "validation will say so",
		},
		"no label value": {
			"CREATE", names[1], `{"metadata":{},"spec":{"deploymentName":"a b"}}`, `[]`,
			"a label that is refused would hide the real problem",
		},
		"canary":       {"CREATE", names[1], canary, set, "canaries are labelled like others"},
		"deletion":     {"DELETE", names[1], plain, `[]`, "nothing is stored"},
		"connection":   {"CONNECT", names[1], plain, `[]`, "nothing is stored"},
		"deleted":      {"DELETE", names[1], "null", `[]`, "nothing is stored"},
		"a deployment": {"CREATE", names[0], plain, `[]`, "has no default"},
		"its update":   {"UPDATE", names[0], plain, `[]`, "has no default"},
		"a snapshot":   {"CREATE", names[2], plain, `[]`, "has no default"},
		"blue/green":   {"CREATE", names[3], plain, `[]`, "has no default"},
		"unknown kind": {"CREATE", "Other", plain, `[]`, "not ours"},
		"other installation": {
			"CREATE", names[1], `{"metadata":{"namespace":"theirs"},"spec":{"deploymentName":"s"}}`, `[]`,
			"its own operator labels it",
		},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			body := review(row.operation, row.kind, row.object)
			if strings.Contains(row.object, "theirs") {
				body = strings.ReplaceAll(body, `"team"`, `"theirs"`)
			}
			h := Handler{Judge: wrong, Watches: func(namespace string) bool { return namespace == "team" }}
			status, text, response := post(t, h, MutatePath, body)
			if status != http.StatusOK || !response.Allowed {
				t.Fatalf("status %d %s, %+v; a mutation is always allowed: %s", status, text, response, row.reason)
			}
			if response.PatchType == nil || *response.PatchType != admissionv1.PatchTypeJSONPatch {
				t.Errorf("patch type %v, want JSONPatch", response.PatchType)
			}
			if diff := cmp.Diff(row.patch, string(response.Patch)); diff != "" {
				t.Errorf("%s\n%s", row.reason, diff)
			}
		})
	}
}

func TestWhatIsNoReview(t *testing.T) {
	ok := review("CREATE", names[1], plain)
	rows := map[string]struct {
		judge      Judge
		path, body string
		want       string
		reason     string
	}{
		"illegal path": {nothing, "/illegal-path", ok, "/validate and /mutate", "the text names the legal ones"},
		"root":         {nothing, "/", ok, "/validate and /mutate", "the text names the legal ones"},
		"longer path":  {nothing, "/validate/x", ok, "/validate and /mutate", "paths are exact"},
		"not JSON": {
			nothing, ValidatePath, "not-json", "not an AdmissionReview: invalid character", "what and where",
		},
		"not JSON, other": {nothing, MutatePath, "not-json", "not an AdmissionReview: invalid character", "what and where"},
		"empty":           {nothing, ValidatePath, "", "unexpected end", "nothing was sent"},
		"two reviews":     {nothing, ValidatePath, ok + ok, "after top-level value", "one request, one review"},
		"other kind": {
			nothing, ValidatePath, `{"kind":"Pod","apiVersion":"v1"}`, `"Pod" of "v1"`, "what it is, and what to send",
		},
		"old version": {
			nothing, ValidatePath, strings.ReplaceAll(ok, "k8s.io/v1", "k8s.io/v1beta1"),
			"send AdmissionReview of admission.k8s.io/v1", "only v1 is asked for",
		},
		"no request": {
			nothing, ValidatePath, `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}`, "no request",
			"nothing to answer",
		},
		"no uid": {
			nothing, ValidatePath, strings.ReplaceAll(ok, "u-1", ""), "no uid", "nobody could match the answer",
		},
		"no object": {
			nothing, ValidatePath, review("CREATE", names[0], "null"), `operation "CREATE" has no object`, "nothing to judge",
		},
		"object is text": {
			nothing, ValidatePath, review("CREATE", names[0], `"x"`), "metadata of team/FlinkDeployment/a",
			"names the object",
		},
		"labels are text": {
			nothing, MutatePath, review("CREATE", names[1], `{"metadata":{"labels":"x"}}`), "read team/FlinkSessionJob/a",
			"names the object",
		},
		"too large": {
			nothing, ValidatePath, `{"a":"` + strings.Repeat("x", MaxBody) + `"}`, "larger than 5242880 bytes",
			"bounded memory",
		},
		"judge fails":  {broken, ValidatePath, ok, "cannot determine the namespace", "the judge's own words"},
		"judge panics": {panics, ValidatePath, ok, "see its log", "no stack for strangers"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			status, text, _ := post(t, Handler{Judge: row.judge}, row.path, row.body)
			if status != http.StatusInternalServerError || !strings.Contains(text, row.want) {
				t.Errorf("%d %q, want 500 and %q: %s", status, text, row.want, row.reason)
			}
		})
	}
}

// FuzzReview: no body makes the handler panic or answer something that is neither a review nor a refusal.
func FuzzReview(f *testing.F) {
	for _, object := range []string{
		plain, canary, going, sessionOK, "null", `"x"`, `{"metadata":{"labels":{"a":1}}}`, `{"spec":{"deploymentName":7}}`,
	} {
		for _, kind := range names {
			f.Add(review("CREATE", kind, object))
		}
	}
	f.Add("not-json")
	f.Add(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u"}}`)
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{ValidatePath, MutatePath} {
			h := Handler{Judge: Judges{}.Judge, Log: zap.NewNop().Sugar()}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)))
			if w.Code == http.StatusInternalServerError {
				if strings.Contains(w.Body.String(), "see its log") {
					t.Fatalf("%s panics", path)
				}
				continue
			}
			var out admissionv1.AdmissionReview
			if err := json.Unmarshal(w.Body.Bytes(), &out); w.Code != http.StatusOK || err != nil || out.Response == nil {
				t.Fatalf("%s answers %d %s", path, w.Code, w.Body)
			}
			if path == MutatePath && !json.Valid(out.Response.Patch) {
				t.Fatalf("a patch that is no JSON: %s", out.Response.Patch)
			}
			if out.Response.UID == "" || path == MutatePath && !out.Response.Allowed {
				t.Fatalf("%s answers %s", path, w.Body)
			}
		}
	})
}

func TestWhatIsNotSelectedIsNotJudged(t *testing.T) {
	h := Handler{Judge: wrong, Selects: func(labels map[string]string) bool { return labels["x"] == "y" }}
	for object, allowed := range map[string]bool{plain: true, sessionOK: false} {
		if _, _, response := post(t, h, ValidatePath, review("CREATE", names[0], object)); response.Allowed != allowed {
			t.Errorf("allowed %v: %s", response.Allowed, object)
		}
	}
}
