# shellcheck shell=bash disable=SC2034
# What the scripts of this folder share. Source it; it changes to the top of the repository.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

. hack/versions.sh
KO_VERSION=v0.19.1
SYSTEM=flink-system
KNATIVE=(services.serving.knative.dev domainmappings.serving.knative.dev brokers.eventing.knative.dev
  triggers.eventing.knative.dev apiserversources.sources.knative.dev pingsources.sources.knative.dev)
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

# kourier_namespaces: where Kourier's gateway is, by the Service that selects its pods, one per line. Knative's own files put it
# into kourier-system, Knative's operator into knative-serving.
kourier_namespaces() {
  kubectl get services -A -o jsonpath='{range .items[?(@.spec.selector.app=="3scale-kourier-gateway")]}{.metadata.namespace} {.metadata.name}{"\n"}{end}' |
    sed -n '/ flink-admit$/d; s/ .*//p' | sort -u
}
