package extension

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kn-flink/kn-flink/pkg/bounded"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/redact"
)

const (
	// maxAnswer bounds an answer. A patch of a whole resource is smaller.
	maxAnswer = 3 << 20
	// maxRefusal is how many characters of a refusal are told.
	maxRefusal = 1024
)

// Asker asks extensions. The zero value asks by http.DefaultClient. Safe for concurrent use.
type Asker struct {
	// HTTP is the client; nil is http.DefaultClient.
	HTTP *http.Client
}

// Said is what validators said of one resource.
type Said struct {
	// Refusal says which of them refuse it, and why; empty when none does.
	Refusal string
	// Unanswered says which of those that must answer do not, and why; empty when all do.
	Unanswered string
	// Warnings are theirs, and one for each that does not answer and need not.
	Warnings []string
}

// Validate asks all validators at the same time.
//
//	the validator   failure policy   then
//	allows          any              nothing, but its warnings
//	refuses         any              Refusal
//	is silent       Fail             Unanswered
//	is silent       Ignore           a warning
func (a Asker) Validate(ctx context.Context, validators []flinkconf.Extension, r *admissionv1.AdmissionRequest) Said {
	answers := make([]*admissionv1.AdmissionResponse, len(validators))
	silent := make([]error, len(validators))
	var all sync.WaitGroup
	for i, v := range validators {
		all.Go(func() { answers[i], silent[i] = a.Ask(ctx, v, r) })
	}
	all.Wait()
	secrets := SecretsOf(validators, r)
	var said Said
	var refusals, unanswered []string
	for i, v := range validators {
		switch answer := answers[i]; {
		case silent[i] != nil && v.Ignore:
			said.Warnings = append(said.Warnings, fmt.Sprintf("validator %s was not asked: %v", v.Name, silent[i]))
		case silent[i] != nil:
			unanswered = append(unanswered, fmt.Sprintf("validator %s does not answer: %v", v.Name, silent[i]))
		case !answer.Allowed:
			refusals = append(refusals, fmt.Sprintf("validator %s refuses it: %s", v.Name, Reason(answer, secrets)))
		default:
			for _, w := range answer.Warnings {
				said.Warnings = append(said.Warnings, oneLine(w, secrets))
			}
		}
	}
	said.Refusal, said.Unanswered = strings.Join(refusals, "; "), strings.Join(unanswered, "; ")
	return said
}

// Ask asks one extension. An error is no answer: nobody there, another status than 200, or no AdmissionReview.
func (a Asker) Ask(
	ctx context.Context, e flinkconf.Extension, r *admissionv1.AdmissionRequest,
) (*admissionv1.AdmissionResponse, error) {
	body, err := json.Marshal(admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{Kind: "AdmissionReview", APIVersion: "admission.k8s.io/v1"}, Request: r,
	})
	if err != nil {
		return nil, err
	}
	text, err := a.Post(ctx, e.URL, e.Timeout, body)
	if err != nil {
		return nil, err
	}
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(text, &review); err != nil || review.Response == nil {
		return nil, fmt.Errorf("the answer is no AdmissionReview with a response")
	}
	if review.Response.UID != r.UID {
		return nil, fmt.Errorf("the answer is to uid %q, and the question was %q", review.Response.UID, r.UID)
	}
	return review.Response, nil
}

// Post asks an address with JSON, and reads what it answers. An error is no answer: nobody there, another status than
// 200, or more than 3 MiB. It tells no secret of the address.
func (a Asker) Post(ctx context.Context, url string, timeout time.Duration, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%s", redact.Text(err.Error()))
	}
	request.Header.Set("Content-Type", "application/json")
	return a.answer(request)
}

// answer is what an address answers to a request: of at most 3 MiB, and JSON that is small in memory.
func (a Asker) answer(request *http.Request) ([]byte, error) {
	client := a.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	answer, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("%s", redact.Text(err.Error())) // it repeats the URL
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, err
	case answer.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("HTTP status %d", answer.StatusCode)
	case len(text) > maxAnswer:
		return nil, fmt.Errorf("the answer has more than %d bytes", maxAnswer)
	}
	if _, err := bounded.JSON(text, bounded.Answer); err != nil {
		return nil, fmt.Errorf("the answer is %w", err)
	}
	return text, nil
}

// Reason is why an extension refuses, in one line that is not too long and tells no secret.
func Reason(answer *admissionv1.AdmissionResponse, secrets redact.Secrets) string {
	if answer.Result == nil || answer.Result.Message == "" {
		return "it does not say why"
	}
	return oneLine(answer.Result.Message, secrets)
}

func oneLine(text string, secrets redact.Secrets) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxRefusal {
		text = string(runes[:maxRefusal]) + "…"
	}
	return secrets.Text(text)
}

// SecretsOf are what extensions know and must not be heard to say: what is secret in the resource that they were asked
// about, and in their addresses.
func SecretsOf(asked []flinkconf.Extension, r *admissionv1.AdmissionRequest) redact.Secrets {
	addresses := make([]string, 0, len(asked))
	for _, e := range asked {
		addresses = append(addresses, e.URL)
	}
	return flinkconf.SecretsIn(r.Kind.Kind, r.Object.Raw, addresses...)
}
