package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func main() {
	// LISTEN_HOST is of the local platform, whose pods share the addresses of one machine.
	address := net.JoinHostPort(os.Getenv("LISTEN_HOST"), cmp.Or(os.Getenv("PORT"), "8080"))
	log.Fatal(http.ListenAndServe(address, handler(cmp.Or(os.Getenv("REGISTRY"), "registry.example.org/"))))
}

// resource is what the rules read.
type resource struct {
	Metadata struct {
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec struct {
		Image string `json:"image"`
	} `json:"spec"`
}

// handler answers reviews. What it cannot read is another status than 200, and so no answer.
func handler(registry string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /", answering(func(r resource, response *admissionv1.AdmissionResponse) {
		if r.Spec.Image == "" || strings.HasPrefix(r.Spec.Image, registry) {
			return
		}
		response.Allowed = false
		response.Result = &metav1.Status{
			Message: fmt.Sprintf("spec.image: images come from %s, not %q", registry, r.Spec.Image),
		}
	}))
	mux.HandleFunc("POST /mutate", answering(func(r resource, response *admissionv1.AdmissionResponse) {
		if r.Metadata.Labels["team"] != "" {
			return
		}
		patch := `[{"op":"add","path":"/metadata/labels/team","value":"unknown"}]`
		if r.Metadata.Labels == nil {
			patch = `[{"op":"add","path":"/metadata/labels","value":{"team":"unknown"}}]`
		}
		kind := admissionv1.PatchTypeJSONPatch
		response.Patch, response.PatchType = []byte(patch), &kind
	}))
	return mux
}

func answering(judge func(resource, *admissionv1.AdmissionResponse)) http.HandlerFunc {
	return func(w http.ResponseWriter, request *http.Request) {
		var review admissionv1.AdmissionReview
		var r resource
		err := json.NewDecoder(request.Body).Decode(&review)
		if err == nil && review.Request != nil {
			err = json.Unmarshal(review.Request.Object.Raw, &r)
		}
		if err != nil || review.Request == nil {
			http.Error(w, "no AdmissionReview", http.StatusBadRequest)
			return
		}
		review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
		judge(r, review.Response)
		review.Request = nil
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(review) // a caller that is gone cannot be told
	}
}
