package scenario

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/test/flinksim/authority"
	"github.com/kn-flink/kn-flink/test/kubesim"
)

// inImage takes an option out of the ConfigMap of demo: what runs has it by its image.
func (h *harness) inImage(option string) {
	h.t.Helper()
	line := regexp.MustCompile(`(?m)^"?` + regexp.QuoteMeta(option) + `"?:.*\n`)
	_, err := h.w.Kube.Update(kubesim.ConfigMaps, namespace, "flink-config-demo", func(u *unstructured.Unstructured) {
		data, _, _ := unstructured.NestedStringMap(u.Object, "data")
		for name := range data {
			data[name] = line.ReplaceAllString(data[name], "")
		}
		_ = unstructured.SetNestedStringMap(u.Object, data, "data")
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

func init() {
	for name, s := range tlsScenarios {
		scenarios[name] = s
	}
}

// secured makes REST serve TLS alone.
func secured(spec map[string]any) { option("security.ssl.rest.enabled", "true")(spec) }

// serveTLS gives JobManagers with security.ssl.rest.enabled a certificate of a new authority, and the functions a
// Secret, which is still empty. trust puts something into it.
func (h *harness) serveTLS(mutual bool) (ca authority.Identity, trust func(file string, text []byte)) {
	h.t.Helper()
	ca = authority.CA(h.t)
	h.w.TLS = authority.Issue(h.t, ca, "*."+namespace+".svc").Server(nil)
	if mutual {
		h.w.TLS = authority.Issue(h.t, ca, "*."+namespace+".svc").Server(ca.Pool())
	}
	h.tls = settings.FlinkTLS{Dir: h.t.TempDir()}
	h.direct = false // without HTTP there are no certificates
	h.restart()
	return ca, func(file string, text []byte) {
		h.t.Helper()
		if err := os.WriteFile(filepath.Join(h.tls.Dir, file), text, 0o600); err != nil {
			h.t.Fatal(err)
		}
	}
}

func (h *harness) untilDistrusted(name, says string) {
	h.t.Helper()
	h.until(name+" runs and cannot be asked", func() bool {
		return strings.HasPrefix(h.condition(name, "Stalled"), "True TLSFailed") && h.running(name) == "RUNNING"
	})
	h.says(name, "Stalled", says)
	expect(h.t, "the JobManager", h.status(name).JobManagerDeploymentStatus, "DEPLOYED_NOT_READY")
}

// tlsScenarios are about clusters whose REST interface is served over TLS.
var tlsScenarios = map[string]scenario{
	"REST over TLS, both sides with a certificate": {func(h *harness) {
		ca, trust := h.serveTLS(true)
		own := authority.Issue(h.t, ca, "operator")
		trust("ca.crt", ca.CertPEM())
		trust("tls.crt", own.CertPEM())
		trust("tls.key", own.KeyPEM(h.t))
		h.apply(
			"demo", application(stateful("savepoint"), secured, option("security.ssl.rest.authentication-enabled", "true")),
		)
		h.untilStable("demo")
		h.edit("demo", parallelism(4))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint)")
		h.remove("demo")
		h.untilGone("demo")
	}, "everything that is asked of Flink is asked over TLS"},

	"TLS switched on and off by upgrades": {func(h *harness) {
		ca, trust := h.serveTLS(false)
		trust("ca.crt", ca.CertPEM())
		h.apply("demo", application(stateful("savepoint")))
		h.untilStable("demo")
		h.edit("demo", secured)
		h.untilStable("demo")
		h.edit("demo", option("security.ssl.rest.enabled", "false"))
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, path(savepoint), path(savepoint)")
	}, "what runs is asked as it was deployed, not as the spec now says"},

	"TLS that is not trusted": {func(h *harness) {
		ca, trust := h.serveTLS(false)
		trust("ca.crt", authority.CA(h.t).CertPEM())
		h.apply("demo", application(stateful("last-state"), secured, highlyAvailable))
		h.untilDistrusted("demo", "put the CA that signed it into the mounted Secret")
		h.tells("demo", "Submit TLSFailed")
		h.pass(30 * time.Minute)
		h.untilDistrusted("demo", "docs/jobs/tls.md")
		trust("ca.crt", ca.CertPEM())
		h.untilStable("demo")
		h.sees("demo", stable, "nothing")
	}, "a certificate that is missing is no lost job: nothing is done, and the Secret that fixes it counts at once"},

	"plain http to a cluster with TLS": {func(h *harness) {
		ca, trust := h.serveTLS(false)
		trust("ca.crt", ca.CertPEM())
		h.apply("demo", application(stateful("last-state"), secured, highlyAvailable))
		h.untilStable("demo")
		h.checkpoints("demo")
		h.leftByAnother("demo", func(status map[string]any) {
			r := status["reconciliationStatus"].(map[string]any)
			for _, field := range []string{"lastReconciledSpec", "lastStableSpec"} {
				r[field] = strings.Replace(r[field].(string), `"security.ssl.rest.enabled":"true",`, "", 1)
			}
		})
		h.inImage("security.ssl.rest.enabled")
		h.edit("demo", func(spec map[string]any) {
			delete(spec["flinkConfiguration"].(map[string]any), "security.ssl.rest.enabled")
		})
		h.untilDistrusted("demo", "set security.ssl.rest.enabled to true")
		expect(h.t, "its starts", h.starts("demo"), "nothing")
		h.edit("demo", secured)
		h.untilStable("demo")
		h.sees("demo", stable, "nothing, high-availability data(checkpoint)")
	}, "TLS that somebody switched on by the image's own configuration is no lost job"},
}
