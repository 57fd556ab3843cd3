#!/usr/bin/env bash
# Takes the operator away: admission, namespace flink-system and its cluster-wide objects. Flink clusters go on, and the
# resources stay. What running jobs need stays, too: ClusterRole flink and the service accounts of tenants.
#   CRDS=1                the custom resource definitions as well, if no resource is left, and with them what jobs needed
#   SYSTEM=<namespace>    a second installation; the one in flink-system stays
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

ours=(-l "$MINE")
not_tenants=(-l "$MINE,app.kubernetes.io/component!=tenant")

# remove ARGUMENTS...: kubectl delete, whose list of objects is shown only when something fails.
remove() {
  local out
  out=$(kubectl delete --ignore-not-found "$@" 2>&1) || die "could not delete $1:
$out"
}

# Admission first: from here on no write asks a function that is going away.
remove_admission() {
  remove mutatingwebhookconfigurations,validatingwebhookconfigurations "${ours[@]}"
  remove validatingadmissionpolicybindings,validatingadmissionpolicies "${ours[@]}"
  ! has_crd clusterdomainclaims.networking.internal.knative.dev ||
    remove clusterdomainclaims.networking.internal.knative.dev "${ours[@]}" --wait=false
  remove services -A "${ours[@]}" --field-selector "metadata.namespace!=$SYSTEM"
}

remove_system() {
  local kind
  # Sources and Triggers first, so that no event meets a function that is half gone.
  for kind in apiserversources.sources.knative.dev pingsources.sources.knative.dev triggers.eventing.knative.dev; do
    ! has_crd "$kind" || remove "$kind" -n $SYSTEM --all
  done
  # Pods before the namespace: its controller waits for the whole grace period of those that end while it begins, 5 min.
  ! has_crd services.serving.knative.dev || remove services.serving.knative.dev -n $SYSTEM --all
  kubectl -n $SYSTEM wait --for=delete pods --all --timeout=60s >/dev/null 2>&1 || true
  remove namespace $SYSTEM
  remove clusterrolebindings "${ours[@]}"
  remove clusterroles "${not_tenants[@]}"
  remove rolebindings,roles -A "${not_tenants[@]}"
}

resources() {
  local kind
  for kind in "${KINDS[@]}"; do
    ! has_crd "$kind.flink.apache.org" || kubectl get "$kind.flink.apache.org" -A --no-headers -o custom-columns=K:.kind,NS:.metadata.namespace,N:.metadata.name
  done
}

remove_crds() {
  remove crd "${KINDS[@]/%/.flink.apache.org}"
  remove rolebindings,serviceaccounts -A -l app.kubernetes.io/part-of=kn-flink,app.kubernetes.io/component=tenant
  remove clusterroles -l app.kubernetes.io/part-of=kn-flink
}

need_cluster
left=$(resources)
if [ "${CRDS:-}" = 1 ] && [ -n "$left" ]; then
  die "CRDS=1 would delete these resources, and Kubernetes would delete their Flink clusters with them:
$left
Delete them first, while the operator is here to do it properly, or undeploy without CRDS=1"
fi
others=$(kubectl get validatingadmissionpolicybindings -l 'app.kubernetes.io/part-of=kn-flink' -o name |
  sed -n 's#.*/kn-flink-status-\{0,1\}##p' | sed 's/^$/flink-system/' | grep -vxF "$SYSTEM" | paste -sd' ' || true)
[ "${CRDS:-}" != 1 ] || [ -z "$others" ] ||
  die "CRDS=1 would delete what other installations need, in namespaces $others. Remove those first, or undeploy without CRDS=1"
step "admission"
remove_admission
step "the functions and their events"
remove_system
if [ "${CRDS:-}" = 1 ]; then
  step "custom resource definitions"
  remove_crds
  step "all of kn-flink is gone"
else
  step "the operator is gone; the custom resource definitions, the resources and their Flink clusters are as they were"
  [ -z "$left" ] || say "        a resource that is deleted now waits for its finalizer until an operator is back"
fi
