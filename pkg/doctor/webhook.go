package doctor

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/install"
)

// renew is the repair of a certificate.
func renew(a Asked) string {
	return fmt.Sprintf("kubectl -n %s create job renew-now --from=cronjob/flink-admit-certificate, and read its log",
		a.System)
}

// calls are the ways to the webhook that its configurations name.
func calls(f Found, a Asked) (found []map[string]any) {
	for _, u := range f.all(Webhooks, func(u *unstructured.Unstructured) bool {
		return u.GetName() == install.Named(a.System, "flink-admit")
	}) {
		for _, w := range maps(u, "webhooks") {
			if client, is := w["clientConfig"].(map[string]any); is {
				found = append(found, client)
			}
		}
	}
	return found
}

// judgeWebhook judges the way from the API server to function admit.
func judgeWebhook(f Found, a Asked) (lines []Line) {
	const check = "Webhook"
	if !hasWebhook(f, a) {
		return []Line{line(check, Warn, "none: a wrong spec is reported in its status only").do(
			"docs/install/shapes.md says what it needs")}
	}
	for _, name := range missing(f, a, Webhooks) {
		lines = append(lines, line(check, Fail, "%s is missing", name).do(again))
	}
	called := map[string]bool{}
	for _, client := range calls(f, a) {
		namespace, _, _ := unstructured.NestedString(client, "service", "namespace")
		name, _, _ := unstructured.NestedString(client, "service", "name")
		path, _, _ := unstructured.NestedString(client, "service", "path")
		if bundle, _ := client["caBundle"].(string); bundle == "" || path == "" {
			lines = append(lines, line(check, Fail, "its configuration has no certificate or path").do(renew(a)))
			break
		}
		to := name + "." + namespace + ".svc"
		if called[to] {
			continue
		}
		called[to] = true
		if f.one(Exposed, namespace, name) == nil {
			lines = append(lines, line(check, Fail, "the Service %s/%s that the API server calls is missing", namespace, name).
				do(again))
		}
		if u := f.one(Addresses, a.System, to); u == nil {
			lines = append(lines, line(check, Fail, "DomainMapping %s is missing", to).do(again))
		} else if why := NotReady(u); why != "" {
			lines = append(lines, line(check, Fail, "the gateway does not know its name %s: %s", to, why).do(
				fmt.Sprintf("kubectl -n %s describe domainmapping %s", a.System, to)))
		}
	}
	return judged(lines, line(check, OK, "its configurations lead to function admit"))
}

// judgeAnswer judges whether the webhook answers.
func judgeAnswer(f Found, a Asked) []Line {
	const check = "Webhook"
	switch {
	case !hasWebhook(f, a):
		return nil
	case f.Answered == 0:
		return []Line{line(check, Fail, "it does not answer a dry run: the API server accepts each spec unjudged").do(
			fmt.Sprintf("kubectl -n %s logs -l app.kubernetes.io/component=admit -c user-container --tail=20", a.System),
			"docs/troubleshoot/operator.md says what lies between the API server and admit")}
	}
	return []Line{line(check, OK, "answers a dry run in %v", f.Answered.Round(time.Millisecond))}
}

// judgeTrust judges the certificate of the webhook and what renews it.
func judgeTrust(f Found, a Asked) (lines []Line) {
	const check = "Certificate"
	if !hasWebhook(f, a) {
		return nil
	}
	u := f.one(Renewals, a.System, "flink-admit-certificate")
	suspended, _, _ := unstructured.NestedBool(objectOf(u), "spec", "suspend")
	switch {
	case u == nil:
		lines = append(lines, line(check, Fail, "nothing renews it: CronJob flink-admit-certificate is missing").do(again))
	case suspended:
		lines = append(lines, line(check, Fail, "nothing renews it: CronJob flink-admit-certificate is suspended").do(
			fmt.Sprintf(`kubectl -n %s patch cronjob flink-admit-certificate -p '{"spec":{"suspend":false}}'`, a.System)))
	}
	left := f.TrustedUntil.Sub(f.Now)
	switch {
	case f.TrustedUntil.IsZero(): // row Webhook says so
	case left <= 0:
		lines = append(lines, line(check, Fail, "has expired: the API server asks no webhook").do(renew(a)))
	case left < soon*24*time.Hour:
		lines = append(lines, line(check, Warn, "ends within ten days, and was to be renewed a month before").do(renew(a)))
	default:
		lines = append(lines, line(check, OK, "good until %s", f.TrustedUntil.UTC().Format("Jan 2 2006")))
	}
	return lines
}
