# shellcheck shell=bash disable=SC2034
# What the scripts of this folder share. Source it; it changes to the top of the repository.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

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

# kubernetes_minor: N of the API server's version 1.N.
kubernetes_minor() { kubectl version -o json | sed -n '/serverVersion/,$ s/.*"minor": "\([0-9]*\).*/\1/p' | head -n 1; }

# watched TEXT: the namespaces that an operator configuration names, one per line; nothing means all.
watched() {
  sed -n 's/^ *kubernetes\.operator\.watched\.namespaces *: *//p' <<<"$1" | tail -n 1 | tr -d "\"' " | tr ',' '\n' | grep -v '^JOSDK_ALL_NAMESPACES$' || true
}

# java_operators: namespace and name of each Deployment of the Java operator that watches a namespace of ours. Two
# operators must never act on one resource. One that is scaled to zero is none.
java_operators() {
  local namespace name replicas theirs ours both
  ours=$(watched "$(kubectl -n $SYSTEM get configmap flink-operator-config -o 'jsonpath={.data}' 2>/dev/null | sed 's/\\n/\n/g')")
  while read -r namespace name replicas _; do
    [ "${replicas:-0}" != 0 ] || continue
    theirs=$(kubectl -n "$namespace" get deployment "$name" -o jsonpath='{.spec.template.spec.containers[*].env[?(@.name=="WATCH_NAMESPACES")].value}' | tr ',' '\n')
    [ -n "$theirs" ] || theirs=$(watched "$(kubectl -n "$namespace" get configmap flink-operator-config -o 'jsonpath={.data}' 2>/dev/null | sed 's/\\n/\n/g')")
    if [ -n "$ours" ] && [ -n "$theirs" ]; then
      both=$(sort <(sort -u <<<"$ours") <(sort -u <<<"$theirs") | uniq -d)
      [ -n "$both" ] || continue
    fi
    printf '%s %s\n' "$namespace" "$name"
  done < <(kubectl get deployments -A -o jsonpath='{range .items[*]}{.metadata.namespace} {.metadata.name} {.spec.replicas} {.metadata.labels.app\.kubernetes\.io/name},{.spec.template.spec.containers[*].image}{"\n"}{end}' |
    grep -E '^[^ ]+ (flink-kubernetes-operator )|flink-kubernetes-operator' || true)
}

# stop_java_operator NAMESPACE NAME: the commands.
stop_java_operator() {
  say "  kubectl -n $1 scale deployment $2 --replicas=0"
  say "  kubectl delete validatingwebhookconfiguration,mutatingwebhookconfiguration flink-operator-$1-webhook-configuration --ignore-not-found"
}
