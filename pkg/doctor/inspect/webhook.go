package inspect

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/doctor"
	"github.com/kn-flink/kn-flink/pkg/kube"
)

// webhooks belong to the installation, of both configurations.
func (l *looker) webhooks() (found []map[string]any) {
	for _, u := range l.found.Objects[doctor.Webhooks] {
		if !l.ownWebhooks(u) {
			continue
		}
		list, _, _ := unstructured.NestedSlice(u.Object, "webhooks")
		for _, entry := range list {
			if w, is := entry.(map[string]any); is {
				found = append(found, w)
			}
		}
	}
	return found
}

// trustedUntil is when the newest authority of the webhook ends, which does so with the certificate that it signed;
// zero where there is none.
func (l *looker) trustedUntil() (end time.Time) {
	for _, w := range l.webhooks() {
		bundle, _, _ := unstructured.NestedString(w, "clientConfig", "caBundle")
		text, err := base64.StdEncoding.DecodeString(bundle)
		for block, rest := pem.Decode(text); err == nil && block != nil; block, rest = pem.Decode(rest) {
			if c, err := x509.ParseCertificate(block.Bytes); err == nil && c.NotAfter.After(end) {
				end = c.NotAfter
			}
		}
	}
	return end
}

// longest is how long the webhook may take to answer: a cold start, twice.
const longest = 40 * time.Second

// tryWebhook has the API server judge a session job whose label the webhook has to set. An absent webhook refuses
// nothing, so that a resource which is accepted without the label was not judged.
func (l *looker) tryWebhook(ctx context.Context) {
	asked := l.webhooks()
	if len(asked) == 0 {
		return
	}
	namespace := l.judgedNamespace(asked)
	if namespace == "" {
		l.found.Unread[doctor.Webhook] = "its configurations select no namespace that is there"
		return
	}
	job := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1beta1.GroupVersion.String(), "kind": v1beta1.KindFlinkSessionJob,
		"metadata": map[string]any{"name": "kn-flink-doctor", "namespace": namespace},
		"spec": map[string]any{
			"deploymentName": "kn-flink-doctor", "job": map[string]any{"jarURI": "https://example.com/doctor.jar"},
		},
	}}
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	begun := l.now()
	u, err := l.client.Try(ctx, kube.Object{
		Resource: v1beta1.FlinkSessionJobGVR, Namespace: namespace, Name: job.GetName(),
	}, job)
	switch {
	case err == nil && u.GetLabels()["target.session"] != "",
		err != nil && strings.Contains(err.Error(), "validationwebhook.flink.apache.org"):
		l.found.Answered = max(l.now().Sub(begun), time.Millisecond)
	case err != nil:
		l.cannot(doctor.Webhook, "create", kube.Query{Resource: v1beta1.FlinkSessionJobGVR, Namespace: namespace}, err)
	}
}

// judgedNamespace is a namespace whose resources all the webhooks judge: that of the installation, or else the first.
func (l *looker) judgedNamespace(webhooks []map[string]any) string {
	first := ""
	for _, u := range l.found.Objects[doctor.Namespaces] {
		judged := true
		for _, w := range webhooks {
			content, there, _ := unstructured.NestedMap(w, "namespaceSelector")
			var selector metav1.LabelSelector
			if !there || runtime.DefaultUnstructuredConverter.FromUnstructured(content, &selector) != nil {
				continue
			}
			made, err := metav1.LabelSelectorAsSelector(&selector)
			judged = judged && err == nil && made.Matches(labels.Set(u.GetLabels()))
		}
		if judged && u.GetName() == l.asked.System {
			return u.GetName()
		}
		if judged && first == "" {
			first = u.GetName()
		}
	}
	return first
}
