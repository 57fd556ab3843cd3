package preflight

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// kubectl answers for a cluster in which all is well. A variable of the environment says what is otherwise.
const kubectl = `#!/bin/bash
case "$*" in
"get --raw /readyz") exit "${NO_CLUSTER:-0}" ;;
"version -o json") printf '{\n"serverVersion": {\n"minor": "%s"\n}\n}\n' "${MINOR:-35}" ;;
"get crd "*".flink.apache.org"*storedVersions*) echo "${STORED:-v1beta1}" ;;
"get crd "*".flink.apache.org"*pace*) echo "${PACE-string}" ;;
"get crd "*".flink.apache.org") exit "${NO_KINDS:-0}" ;;
"get crd "*version*) echo "v${KNATIVE_VERSION-1.23.0}" ;;
"get crd $NO_CRD") exit 1 ;;
"get crd "*) ;;
"get services -A "* | "get services -n "*)
  printf '%b' "${SERVICES-kourier-system kourier app=3scale-kourier-gateway, 80:8080,443:8443,\nkourier-system \
flink-admit app=3scale-kourier-gateway, 443:8443,\n}" ;;
*"get configmap config-contour"*) printf '%b' "$CONTOUR" ;;
*"get configmap config-gateway"*) printf '%b' "$GATEWAYS" ;;
*"get configmap config-network"*) printf '%s' "$INGRESS" ;;
*"get configmap flink-operator-config"*) [ "$2" != flink-system ] || printf '%s' "$OURS" ;;
"get deployments -A "*) printf '%s' "$DEPLOYMENTS" ;;
*"get deployment "*WATCH_NAMESPACES*) printf '%s' "$THEIRS" ;;
*"get secret flink-admit-tls"*) printf '%s' "$CERTIFICATE" ;;
*"auth can-i patch $FORBIDDEN") exit 1 ;;
*"auth can-i "*) ;;
*"get services.serving.knative.dev reconcile") exit "${NEW:-0}" ;;
"get validatingadmissionpolicybindings "*) printf '%b' "$OTHERS" ;;
"get namespaces -o "*) printf '%b' 'default\nteam-a\nteam-b\n' ;;
"get namespaces -l kubernetes.io/metadata.name in (team-a) -o "*) echo team-a ;;
"get namespaces -l flink.apache.org/watched=true -o "*) printf '%b' "${TENANTS-team-b\n}" ;;
"get namespaces -l flink.apache.org/watched=flink-b -o "*) printf '%b' 'team-a\n' ;;
"get flinkdeployments.flink.apache.org "*) printf '%s' "$RESOURCES" ;;
"get flink"*) ;;
*) echo "unexpected: kubectl $*" >&2; exit 1 ;;
esac
`

// certificate is one that ends then, as it stands in a Secret.
func certificate(t *testing.T, end time.Time) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: end.Add(-time.Hour), NotAfter: end}
	der, err := x509.CreateCertificate(rand.Reader, of, of, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func TestPreflight(t *testing.T) {
	_, noOpenSSL := exec.LookPath("openssl")
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "kubectl"), []byte(kubectl), 0o755); err != nil {
		t.Fatal(err)
	}
	const java = "DEPLOYMENTS=ops java 1 flink-kubernetes-operator,x\n"
	const kourier = "app=3scale-kourier-gateway, 80:8080,443:8443,\n"
	const aSecond = "OTHERS=kn-flink-status-flink-b\tkubernetes.io/metadata.name in (team-a)\nkn-flink-status\t\n"
	const autoscaled = "RESOURCES=a/b\toptions={}\trecorded=pipeline.jobvertex-parallelism-overrides\n"
	for name, row := range map[string]struct {
		env  []string
		line string // what it begins with, in one space for many
		fail bool
	}{
		"all is well":                     {nil, "ok Rights", false},
		"an old Kubernetes":               {[]string{"MINOR=31"}, "fail Kubernetes 1.31", true},
		"one that Knative is too new for": {[]string{"MINOR=33"}, "warn Kubernetes 1.33", false},
		"no Eventing": {
			[]string{"NO_CRD=brokers.eventing.knative.dev"}, "fail Eventing not complete: no bro", true,
		},
		"the Knative that is tested":  {nil, "ok Serving 1.23.0, tested", false},
		"one before":                  {[]string{"KNATIVE_VERSION=1.21.4"}, "ok Serving 1.21.4, supported", false},
		"one that is too old":         {[]string{"KNATIVE_VERSION=1.20.9"}, "fail Serving 1.20.9 is not supported", true},
		"one that is newer":           {[]string{"KNATIVE_VERSION=1.24.0"}, "warn Eventing 1.24.0, untested", false},
		"a Knative without a version": {[]string{"KNATIVE_VERSION="}, "warn Eventing its version is not known", false},
		"Kourier of its own files": {
			[]string{"INGRESS=kourier.ingress.networking.knative.dev"}, "ok Ingress Kourier, in namespace kourier-system", false,
		},
		"Kourier of Knative's operator": {
			[]string{"SERVICES=knative-serving kourier " + kourier + "knative-serving kourier-internal " + kourier},
			"ok Ingress Kourier, in namespace knative-serving", false,
		},
		"our own Services are no Kourier": {
			[]string{"SERVICES=kourier-system flink-admit " + kourier + "kourier-system flink-admit-flink-b " + kourier},
			"fail Ingress no webhook can be installed: no Service selects Kourier's", true,
		},
		"no Kourier": {
			[]string{"SERVICES=other web app=web, 80:80,\n"}, "fail Ingress no webhook can be installed: no Service", true,
		},
		"no Kourier, and no webhook wanted": {
			[]string{"SERVICES=", "WEBHOOK=no"}, "warn Ingress no webhook, as asked for", false,
		},
		"no Kourier, and the overlay of Istio": {[]string{"SERVICES=", "OVERLAY=istio"}, "ok Ingress Istio", false},
		"Istio": {
			[]string{"INGRESS=istio.ingress.networking.knative.dev",
				"SERVICES=a istio-ingressgateway app=istio-ingressgateway,istio=ingressgateway, 80:8080,443:8443,\n"},
			"ok Ingress Istio, in namespace a", false,
		},
		"Istio, and its gateway is not there": {
			[]string{"INGRESS=istio.ingress.networking.knative.dev"},
			"fail Ingress no webhook can be installed: no Service selects Istio's", true,
		},
		"Contour": {
			[]string{"INGRESS=contour.ingress.networking.knative.dev",
				"SERVICES=contour-external envoy app=envoy, 80:8080,443:8443,\n"},
			"ok Ingress Contour, in namespace contour-external", false,
		},
		"Contour elsewhere": {
			[]string{"INGRESS=contour.ingress.networking.knative.dev", "SERVICES=edge proxy app=e, 443:https,\n",
				"CONTOUR=ExternalIP:\n  class: a\n  service: edge/proxy\nClusterLocal:\n  service: in/envoy\n"},
			"ok Ingress Contour, in namespace edge", false,
		},
		"Contour without its Envoy": {
			[]string{"INGRESS=contour.ingress.networking.knative.dev", "SERVICES=contour-external envoy app=envoy, 80:8080,\n"},
			"fail Ingress no webhook can be installed: the Service of Contour's Envoy", true,
		},
		"Gateway API": {
			[]string{"INGRESS=gateway-api.ingress.networking.knative.dev",
				"GATEWAYS=- class: eg\n  gateway: eg/knative\n  service: eg/envoy\n  supported-features: [x]\n",
				"SERVICES=eg envoy app.kubernetes.io/name=envoy,owner=eg, 80:10080,443:10443,\n"},
			"ok Ingress Gateway API, in namespace eg", false,
		},
		"Gateway API as Knative ships it": {
			[]string{"INGRESS=gateway-api.ingress.networking.knative.dev",
				"SERVICES=istio-system istio-ingressgateway istio=ingressgateway, 443:8443,\n"},
			"ok Ingress Gateway API, in namespace istio-system", false,
		},
		"an ingress that nobody knows": {
			[]string{"INGRESS=ambassador.ingress.networking.knative.dev"},
			"fail Ingress no webhook can be installed: Knative's ingress is ambassador", true,
		},
		"two Kouriers": {
			[]string{"SERVICES=a kourier " + kourier + "b kourier " + kourier},
			"fail Ingress no webhook can be installed: there is more than one gateway, in namespaces a b", true,
		},
		"one of two": {
			[]string{"SERVICES=a kourier " + kourier + "b kourier " + kourier, "GATEWAY_NAMESPACE=b"},
			"ok Ingress Kourier, in namespace b", false,
		},
		"no kinds":                   {[]string{"NO_KINDS=1"}, "ok flinkdeployments is made", false},
		"kinds of the Java operator": {[]string{"PACE="}, "ok flinksessionjobs of the Java operator", false},
		"kinds in an older version": {
			[]string{"STORED=v1alpha1 v1beta1"}, "fail flinkdeployments stored in version", true,
		},
		"a Java operator":      {[]string{java}, "fail Java operator deployment ops/java runs", true},
		"how to stop it":       {[]string{java}, "kubectl -n ops scale deployment java --replicas=0", true},
		"it is scaled to zero": {[]string{strings.Replace(java, " 1 ", " 0 ", 1)}, "ok Java operator", false},
		"it watches other namespaces": {
			[]string{java, "THEIRS=a,b", "OURS=kubernetes.operator.watched.namespaces: c"}, "ok Java operator", false,
		},
		"it watches one of ours": {
			[]string{java, "THEIRS=a,c", "OURS=kubernetes.operator.watched.namespaces: c"}, "fail Java operator", true,
		},
		"no other installation": {nil, "ok Installations no other", false},
		"another one, and all namespaces for this": {
			[]string{aSecond}, "fail Installations that in namespace flink-b watches these namespaces, too: team-a.", true,
		},
		"another one with namespaces of its own": {
			[]string{aSecond, "OVERLAY=tenants"}, "ok Installations that in namespace flink-b watches other namespaces", false,
		},
		"another one with a namespace of this one": {
			[]string{aSecond, "OVERLAY=tenants", `TENANTS=team-a\nteam-b\n`},
			"fail Installations that in namespace flink-b watches these namespaces, too: team-a.", true,
		},
		"a second one beside the first": {
			[]string{"OTHERS=kn-flink-status\tflink.apache.org/watched=true\n", "SYSTEM=flink-b", "OVERLAY=tenants"},
			"ok Installations that in namespace flink-system watches", false,
		},
		"a second one beside one that has all": {
			[]string{"OTHERS=kn-flink-status\t\n", "SYSTEM=flink-b", "OVERLAY=tenants"},
			"fail Installations that in namespace flink-system watches these namespaces, too: team-a.", true,
		},
		"no certificate": {nil, "ok Certificate is made", false},
		"a certificate": {
			[]string{"CERTIFICATE=" + certificate(t, time.Now().Add(60*24*time.Hour))}, "ok Certificate good until", false,
		},
		"one that ends soon": {
			[]string{"CERTIFICATE=" + certificate(t, time.Now().Add(24*time.Hour))}, "warn Certificate ends within", false,
		},
		"one that has ended": {
			[]string{"CERTIFICATE=" + certificate(t, time.Now().Add(-time.Hour))}, "warn Certificate has expired", false,
		},
		"no right": {[]string{"FORBIDDEN=namespaces"}, "fail Rights you may not patch namespaces", true},
		"no right in the namespace": {
			[]string{"FORBIDDEN=configmaps"}, "fail Rights you may not patch flink-system/configmaps", true,
		},
		"a resource that is not run in full": {[]string{autoscaled, "NEW=1"}, "fail Resources some", true},
		"which it is":                        {[]string{autoscaled, "NEW=1"}, "flinkdeployment a/b autoscaled", true},
		"whoever has read the list goes on":  {[]string{autoscaled, "NEW=1", "GO_ON=1"}, "warn Resources some", false},
		"the same in an update":              {[]string{autoscaled}, "warn Resources some", false},
		"no cluster": {
			[]string{"NO_CLUSTER=1"}, "preflight.sh: no Kubernetes API server answers", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if noOpenSSL != nil && strings.Contains(strings.Join(row.env, ""), "CERTIFICATE=") {
				row.line = "warn Certificate is there; openssl is not on PATH"
			}
			command := exec.CommandContext(t.Context(), "../../hack/preflight.sh")
			command.Env = append(append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH")), row.env...)
			out, err := command.CombinedOutput()
			found := false
			for line := range strings.Lines(string(out)) {
				found = found || strings.HasPrefix(strings.Join(strings.Fields(line), " "), row.line)
			}
			if !found || (err != nil) != row.fail || strings.Contains(string(out), "unexpected") {
				t.Errorf("%v, no line %q: %s", err, row.line, out)
			}
		})
	}
}
