package admission

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
)

// extended is a handler whose settings name validators and mutators that answer so. What they were asked about is in
// seen.
func extended(t *testing.T, ignore bool, answers ...admissionv1.AdmissionResponse) (h Handler, seen *[]string) {
	t.Helper()
	seen = &[]string{}
	var all []flinkconf.Extension
	for i, answer := range answers {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var review admissionv1.AdmissionReview
			if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
				t.Error(err)
				return
			}
			*seen = append(*seen, string(review.Request.Object.Raw))
			answer.UID = review.Request.UID
			if answer.AuditAnnotations != nil { // one that fails
				w.WriteHeader(http.StatusInternalServerError)
			}
			if err := json.NewEncoder(w).Encode(admissionv1.AdmissionReview{Response: &answer}); err != nil {
				t.Error(err)
			}
		}))
		t.Cleanup(server.Close)
		all = append(all, flinkconf.Extension{
			Name: fmt.Sprintf("e%d", i), URL: server.URL, Kinds: names[:2], Timeout: 5 * time.Second, Ignore: ignore,
		})
	}
	return Handler{Judge: wrong, Extensions: flinkconf.Extensions{Validators: all, Mutators: all}}, seen
}

var (
	yes     = admissionv1.AdmissionResponse{Allowed: true, Warnings: []string{"mind this"}}
	no      = *denied("not on Fridays")
	failing = admissionv1.AdmissionResponse{AuditAnnotations: map[string]string{}}
)

// patching is a mutator with this patch.
func patching(patch string) admissionv1.AdmissionResponse {
	kind := admissionv1.PatchTypeJSONPatch
	return admissionv1.AdmissionResponse{Allowed: true, Patch: []byte(patch), PatchType: &kind}
}

func TestValidatorsOfTheSettings(t *testing.T) {
	rows := map[string]struct {
		body    string
		ignore  bool
		answer  admissionv1.AdmissionResponse
		denied  string
		warning string
		asked   int
	}{
		"allows":                     {review("CREATE", names[0], plain), false, yes, "", "mind this", 1},
		"refuses":                    {review("UPDATE", names[0], plain), false, no, "e0 refuses it: not on Fridays", "", 1},
		"is silent, must answer":     {review("UPDATE", names[0], plain), false, failing, "e0 does not answer", "", 1},
		"is silent, need not answer": {review("UPDATE", names[0], plain), true, failing, "", "e0 was not asked", 1},
		"another kind":               {review("CREATE", names[3], plain), false, no, "", "", 0},
		"a canary":                   {review("CREATE", names[0], canary), false, no, "", "", 0},
		"going away":                 {review("UPDATE", names[0], going), false, no, "", "", 0},
		"deleted":                    {review("DELETE", names[0], "null"), false, no, "", "", 0},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			h, seen := extended(t, row.ignore, row.answer)
			_, _, response := post(t, h, ValidatorsPath, row.body)
			message := ""
			if response.Result != nil {
				message = response.Result.Message
			}
			if response.Allowed != (row.denied == "") || !strings.Contains(message, row.denied) {
				t.Errorf("allowed %v, %q", response.Allowed, message)
			}
			if got := strings.Join(response.Warnings, "|"); !strings.Contains(got, row.warning) ||
				(got == "") != (row.warning == "") {
				t.Errorf("warnings %q", got)
			}
			if len(*seen) != row.asked {
				t.Errorf("asked %d times", len(*seen))
			}
		})
	}
}

func TestMutatorsOfTheSettings(t *testing.T) {
	add := patching(`[{"op":"add","path":"/metadata/labels","value":{"team":"a"}}]`)
	more := patching(`[{"op":"replace","path":"/metadata/labels/team","value":"b"}]`)
	xml := add
	other := admissionv1.PatchType("XMLPatch")
	xml.PatchType = &other
	rows := map[string]struct {
		ignore  bool
		answers []admissionv1.AdmissionResponse
		patch   string
		denied  string
	}{
		"nothing to change": {false, []admissionv1.AdmissionResponse{{Allowed: true}}, `[]`, ""},
		"one after another": {
			false, []admissionv1.AdmissionResponse{add, more}, `[{"op":"add","path":"/metadata/labels","value":{"team":"a"}},` +
				`{"op":"replace","path":"/metadata/labels/team","value":"b"}]`, "",
		},
		"refuses":                    {true, []admissionv1.AdmissionResponse{add, no}, "", "e1 refuses it: not on Fridays"},
		"is silent, must answer":     {false, []admissionv1.AdmissionResponse{failing}, "", "e0 does not answer"},
		"is silent, need not answer": {true, []admissionv1.AdmissionResponse{failing}, `[]`, ""},
		"cannot be applied":          {false, []admissionv1.AdmissionResponse{more}, "", "cannot be applied"},
		"no list":                    {false, []admissionv1.AdmissionResponse{patching(`{}`)}, "", "no list"},
		"another form of patch":      {false, []admissionv1.AdmissionResponse{xml}, "", "JSONPatch"},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			h, seen := extended(t, row.ignore, row.answers...)
			_, _, response := post(t, h, MutatorsPath, review("CREATE", names[0], plain))
			if response.Allowed != (row.denied == "") || (row.denied == "" && string(response.Patch) != row.patch) {
				t.Errorf("allowed %v with %s", response.Allowed, response.Patch)
			}
			if row.denied != "" && !strings.Contains(response.Result.Message, row.denied) {
				t.Errorf("denied with %q", response.Result.Message)
			}
			if name == "one after another" && !strings.Contains((*seen)[1], `"team":"a"`) {
				t.Errorf("the second saw %s, want what the first left", (*seen)[1])
			}
		})
	}
	for body, asked := range map[string]int{
		review("CREATE", names[0], canary): 1, // its label may be taken off later, and nothing asks then
		review("UPDATE", names[0], going):  0,
		review("DELETE", names[0], "null"): 0,
	} {
		h, seen := extended(t, false, add)
		if post(t, h, MutatorsPath, body); len(*seen) != asked {
			t.Errorf("mutators were asked %d times, want %d: %s", len(*seen), asked, body)
		}
	}
	h, _ := extended(t, false)
	if _, _, response := post(t, h, MutatorsPath, review("CREATE", names[0], plain)); string(response.Patch) != "[]" {
		t.Errorf("without mutators: %s", response.Patch)
	}
}
