#!/usr/bin/env bash
# Lets Flink jobs run in a namespace: service account "flink", its binding, and the label by which an installation of
# overlay labelled-namespaces knows it.   usage: hack/tenant.sh NAMESPACE
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

namespace=${1:-}
[ -n "$namespace" ] || die "which namespace? make tenant NS=<namespace>"
need_cluster
kubectl get namespace "$namespace" >/dev/null 2>&1 || die "no namespace $namespace; make it first: kubectl create namespace $namespace"
kubectl get clusterrole flink >/dev/null 2>&1 || die "no ClusterRole flink; install the operator first: make deploy"
# shellcheck disable=SC2016
sed "s/\${NAMESPACE}/$namespace/g" config/tenant/tenant.yaml | apply --force-conflicts || die "could not apply config/tenant to $namespace"
kubectl label namespace "$namespace" flink.apache.org/watched=true --overwrite >/dev/null || die "could not label $namespace"
step "namespace $namespace can run Flink jobs (service account flink)"
