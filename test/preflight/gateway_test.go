package preflight

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// kubectl answers for a cluster in which all is well. A variable of the environment says what is otherwise.
const kubectl = `#!/bin/bash
case "$*" in
"get services -A "* | "get services -n "*)
  printf '%b' "${SERVICES-kourier-system kourier app=3scale-kourier-gateway, 80:8080,443:8443,\nkourier-system \
flink-admit app=3scale-kourier-gateway, 443:8443,\n}" ;;
*"get configmap config-contour"*) printf '%b' "$CONTOUR" ;;
*"get configmap config-gateway"*) printf '%b' "$GATEWAYS" ;;
*"get configmap config-network"*) printf '%s' "$INGRESS" ;;
*) echo "unexpected: kubectl $*" >&2; exit 1 ;;
esac
`

// What make deploy installs is at the gateway that preflight has found.
func TestWhatIsDeployedIsAtTheGateway(t *testing.T) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "kubectl"), []byte(kubectl), 0o755); err != nil {
		t.Fatal(err)
	}
	const tls = " 80:8080,443:8443,\n"
	for name, row := range map[string]struct {
		env   []string
		parts []string
	}{
		"Kourier": {nil, []string{
			"namespace: kourier-system", `selector: {app: "3scale-kourier-gateway"}`, "targetPort: 8443",
			"name: flink-admit.kourier-system.svc", "service: {namespace: kourier-system, name: flink-admit, port: 443}",
		}},
		"Istio": {
			[]string{
				"INGRESS=istio.ingress.networking.knative.dev", "SERVICES=gates x app=x,istio=ingressgateway," + tls,
			}, []string{
				"namespace: gates", `selector: {istio: "ingressgateway"}`, "name: flink-admit.gates.svc",
				"service: {namespace: gates, name: flink-admit, port: 443}", "knative-eventing, gates,",
			},
		},
		"Contour": {
			[]string{
				"INGRESS=contour.ingress.networking.knative.dev", "SERVICES=contour-external envoy app=envoy," + tls,
			}, []string{`selector: {app: "envoy"}`, "name: flink-admit.contour-external.svc"},
		},
		"Gateway API": {
			[]string{
				"INGRESS=gateway-api.ingress.networking.knative.dev", "GATEWAYS=- class: eg\\n  service: eg/envoy\\n",
				"SERVICES=eg envoy app.kubernetes.io/name=envoy,owner=eg, 443:10443,\n",
			}, []string{
				`selector: {app.kubernetes.io/name: "envoy", owner: "eg"}`, "targetPort: 10443", "name: flink-admit.eg.svc",
			},
		},
	} {
		command := exec.CommandContext(t.Context(), "bash", "-c", ". ../../hack/deploy.sh; find_gateway; manifests")
		command.Env = append(append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "OVERLAY=", "WEBHOOK="), row.env...)
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
		for _, part := range row.parts {
			if !strings.Contains(string(out), part) {
				t.Errorf("%s: no %s", name, part)
			}
		}
		if name != "Kourier" && strings.Contains(string(out), "kourier-system, name: flink-admit") {
			t.Errorf("%s: the API server calls Kourier", name)
		}
	}
}
