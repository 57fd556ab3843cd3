#!/usr/bin/env bash
# Lets Flink jobs run in a namespace: service accounts "flink" and "flink-standalone", the functions' rights there, the label
# by which an installation of overlay tenants or labelled-namespaces knows it, a NetworkPolicy for the pods of Flink, and the
# baseline pod security level.   usage: hack/tenant.sh NAMESPACE
#   OPEN=1                no NetworkPolicy, and the pod security level as it is
#   SYSTEM=<namespace>    for the installation there
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

namespace=${1:-}
[ -n "$namespace" ] || die "which namespace? make tenant NS=<namespace>"
need_cluster
kubectl get namespace "$namespace" >/dev/null 2>&1 || die "no namespace $namespace; make it first: kubectl create namespace $namespace"
kubectl get clusterrole flink >/dev/null 2>&1 || die "no ClusterRole flink; install the operator first: make deploy"

# in_namespace FILE: the file with the namespace put in.
# shellcheck disable=SC2016
in_namespace() { sed "s/\${NAMESPACE}/$namespace/g" "$1" | named | apply --force-conflicts || die "could not apply $1 to $namespace"; }

# secure: a level that somebody set stays, and so does everything where pods run that the level would refuse.
secure() {
  local level=pod-security.kubernetes.io/enforce answer
  [ -z "$(kubectl get namespace "$namespace" -o "jsonpath={.metadata.labels['pod-security\.kubernetes\.io/enforce']}")" ] || return 0
  answer=$(kubectl label namespace "$namespace" $level=baseline --dry-run=server 2>&1) || die "could not label $namespace: $answer"
  if grep -q 'Warning: existing pods' <<<"$answer"; then
    say "        pods run in $namespace that pod security level baseline refuses, so it is not set:"
    grep 'Warning:' <<<"$answer"
    return 0
  fi
  kubectl label namespace "$namespace" $level=baseline >/dev/null || die "could not label $namespace"
}

in_namespace config/tenant/tenant.yaml
if [ "${OPEN:-}" != 1 ]; then
  in_namespace config/tenant/networkpolicy.yaml
  secure
fi
step "namespace $namespace can run Flink jobs (service account flink)"
