# shellcheck shell=bash disable=SC2034
# What the scripts of this folder share. Source it; it changes to the top of the repository.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

. hack/versions.sh
KO_VERSION=v0.19.1
# The namespace of the installation: SYSTEM=<namespace> for a second one in a cluster.
SYSTEM=${SYSTEM:-flink-system}
KINDS=(flinkdeployments flinksessionjobs flinkstatesnapshots flinkbluegreendeployments)

say() { printf '%s\n' "$*"; }
step() { printf '%6ss  %s\n' "$SECONDS" "$*"; }
die() { printf '\n%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# need_cluster: kubectl is there and an API server answers.
need_cluster() {
  command -v kubectl >/dev/null || die "kubectl is not on PATH"
  kubectl get --raw /readyz >/dev/null 2>&1 ||
    die "no Kubernetes API server answers; point KUBECONFIG at a cluster, or run: make cluster-up"
}

# has_crd NAME
has_crd() { kubectl get crd "$1" >/dev/null 2>&1; }

# need_ko: a ko on PATH, or this version of it built into bin/.
need_ko() {
  command -v ko >/dev/null && return
  PATH=$PWD/bin:$PATH
  command -v ko >/dev/null && return
  step "build ko $KO_VERSION"
  GOBIN=$PWD/bin GOFLAGS='' GOWORK=off go install "github.com/google/ko@$KO_VERSION" || die "could not build ko $KO_VERSION"
}

# need_repository: where images go. A kind cluster takes them without a registry.
need_repository() {
  local context
  [ -z "${KO_DOCKER_REPO:-}" ] || return 0
  context=$(kubectl config current-context 2>/dev/null || true)
  case $context in
  kind-*) export KO_DOCKER_REPO=kind.local KIND_CLUSTER_NAME=${context#kind-} ;;
  *) die "set KO_DOCKER_REPO to a registry that you may push to and the cluster can pull from (for kind: kind.local)" ;;
  esac
}

# The label by which the objects of an installation are found: the one in flink-system has none of it.
if [ "$SYSTEM" = flink-system ]; then INSTANCE='!app.kubernetes.io/instance'; else INSTANCE=app.kubernetes.io/instance=$SYSTEM; fi
MINE="app.kubernetes.io/part-of=kn-flink,$INSTANCE"

# named: the manifests of stdin for the installation in SYSTEM. What is outside of its namespace gets that namespace at the end of
# its name, so that two installations share no object but the definitions and the ClusterRoles of tenants; all but what tenants
# have gets the label of INSTANCE; label flink.apache.org/watched names it. pkg/settings (Named) and hack/chart name alike.
named() {
  [ "$SYSTEM" != flink-system ] || { cat; return; }
  awk -v system_="$SYSTEM" '
    # whole gives a word another end, where it is not the beginning of a longer one.
    function whole(line, word,   out, after) {
      for (out = ""; match(line, word); line = substr(line, RSTART + RLENGTH)) {
        after = substr(line, RSTART + RLENGTH, 1)
        out = out substr(line, 1, RSTART + RLENGTH - 1) (after ~ /[-a-z]/ ? "" : "-" system_)
      }
      return out line
    }
    function flush(   lines, n, i, line, part, tenant) {
      tenant = document ~ /component: tenant/
      part = "app.kubernetes.io/part-of: kn-flink"
      n = split(document, lines, "\n")
      for (i = 1; i < n; i++) {
        line = lines[i]
        gsub(/flink-system/, system_, line)
        gsub(/kn-flink(-[a-z]+)+/, "&-" system_, line)
        line = whole(whole(line, "flink-admit"), "flink-extensions")
        if (line == "  name: kn-flink") line = line "-" system_
        if (line ~ /flink\.apache\.org\/watched(: "?|=)true/) sub(/true/, system_, line)
        if (!tenant && line ~ ("^ *" part "$")) {
          print line
          sub(/part-of: kn-flink$/, "instance: " system_, line)
        } else if (!tenant) {
          sub("[{]" part, "&, app.kubernetes.io/instance: " system_, line)
        }
        print line
      }
      document = ""
    }
    /^---$/ { flush(); print; next }
    { document = document $0 "\n" }
    END { flush() }'
}

# apply ARGUMENTS...: server-side apply of stdin or files, again for a minute while a webhook of Knative is still starting.
apply() {
  local input i
  input=$(mktemp)
  cat >"$input"
  for ((i = 0; i < 30; i++)); do
    if kubectl apply --server-side --field-manager=kn-flink -f "$input" "$@" >"$input.out" 2>&1; then
      rm -f "$input" "$input.out"
      return 0
    fi
    grep -qiE 'failed calling webhook|connection refused|i/o timeout|deadline exceeded|etcdserver|no matches for kind' "$input.out" || break
    sleep 2
  done
  grep -v 'serverside-applied$' "$input.out" >&2 || true
  rm -f "$input" "$input.out"
  return 1
}

# services [NAMESPACE]: of each Service with a selector, but ours: namespace, name, selector as k=v,… and ports as port:targetPort,…
services() {
  local where=(-A)
  [ -z "${1:-}" ] || where=(-n "$1")
  kubectl get services "${where[@]}" -o go-template='{{range .items}}{{if .spec.selector}}{{.metadata.namespace}} {{.metadata.name}} {{range $key, $value := .spec.selector}}{{$key}}={{$value}},{{end}} {{range .spec.ports}}{{.port}}:{{.targetPort}},{{end}}{{"\n"}}{{end}}{{end}}' |
    grep -v ' flink-admit\(-[^ ]*\)\{0,1\} '
}

# knative_ingress: Knative's ingress class without its domain, such as kourier; empty where none is set.
knative_ingress() {
  local class
  class=$(kubectl -n knative-serving get configmap config-network -o jsonpath='{.data.ingress-class}{.data.ingress\.class}' 2>/dev/null || true)
  say "${class%%.*}"
}

# named_service CONFIGMAP KEYS DEFAULT: namespace/name of the Service of the gateway for what is outside, as net-contour and
# net-gateway-api are told it, or that which they take by themselves.
named_service() {
  local text name
  text=$(kubectl -n knative-serving get configmap "$1" -o jsonpath="$2" 2>/dev/null | sed '/ClusterLocal:/,/ExternalIP:/d' || true)
  name=$(sed -n 's/^[ -]*service: *//p' <<<"$text" | head -n 1)
  say "${name:-$3}"
}

# gateways: where the webhook is to be reached, by Knative's ingress class: namespace, selector as k=v,… and TLS port of the pods of
# each gateway, one per line; GATEWAY_NAMESPACE chooses one of several, and says where Kourier is.
#   kourier       pods with app: 3scale-kourier-gateway, wherever a Service selects them. Knative's own files have it in
#                 kourier-system, Knative's operator in knative-serving. So it is without a class, too
#   istio         pods with istio: ingressgateway, likewise
#   contour       the Service that ConfigMap config-contour names for ExternalIP, contour-external/envoy by itself
#   gateway-api   the Service that ConfigMap config-gateway names, istio-system/istio-ingressgateway by itself
gateways() {
  local class name
  class=$(knative_ingress)
  case $class in
  '' | kourier)
    if [ -n "${GATEWAY_NAMESPACE:-}" ]; then say "$GATEWAY_NAMESPACE app=3scale-kourier-gateway 8443"; return; fi
    services | sed -n 's/^\([^ ]*\) [^ ]* .*app=3scale-kourier-gateway,.*/\1 app=3scale-kourier-gateway 8443/p'
    ;;
  istio) services | sed -n 's/^\([^ ]*\) [^ ]* [^ ]*istio=ingressgateway,.*/\1 istio=ingressgateway 8443/p' ;;
  contour | gateway-api)
    if [ "$class" = contour ]; then
      name=$(named_service config-contour '{.data.visibility}' contour-external/envoy)
    else
      name=$(named_service config-gateway '{.data.external-gateways}{"\n"}{.data.visibility}' istio-system/istio-ingressgateway)
    fi
    services "${name%%/*}" | sed -n "s/^\([^ ]*\) ${name#*/} \([^ ]*\), [^ ]*443:\([^,]*\),.*/\1 \2 \3/p"
    ;;
  esac | sort -u | if [ -n "${GATEWAY_NAMESPACE:-}" ]; then grep "^$GATEWAY_NAMESPACE " || true; else cat; fi
}
