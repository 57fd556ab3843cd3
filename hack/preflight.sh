#!/usr/bin/env bash
# Says what stands in the way of an installation or an update in the cluster that KUBECONFIG names. It changes nothing.
#   ok     nothing to do
#   warn   it works, and somebody should know
#   fail   make deploy would stop, or what it installs would not work; the exit code is 1
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

failed=0
tell() { printf '%-5s %-16s %s\n' "$1" "$2" "$3"; [ "$1" != fail ] || failed=1; }

kubernetes() {
  local minor
  minor=$(kubernetes_minor)
  if [ "${minor:-0}" -lt 32 ]; then
    tell fail Kubernetes "1.$minor: selectable fields of custom resources need 1.32, Knative 1.23 needs 1.34"
  elif [ "$minor" -lt 34 ]; then
    tell warn Kubernetes "1.$minor: Knative 1.23 needs 1.34"
  else
    tell ok Kubernetes "1.$minor"
  fi
}

# release CRD: the version of Knative that a definition came with, such as 1.23.0; empty when it does not say.
release() { kubectl get crd "$1" -o jsonpath='{.metadata.labels.app\.kubernetes\.io/version}' 2>/dev/null | sed 's/^v//'; }

# knative NAME DEFINITIONS...
knative() {
  local name=$1 crd missing=() version
  shift
  for crd in "$@"; do has_crd "$crd" || missing+=("$crd"); done
  if [ ${#missing[@]} -gt 0 ]; then
    tell fail "$name" "not complete: no ${missing[*]}"
    return
  fi
  version=$(release "$1")
  case $version in
  1.23 | 1.23.*) tell ok "$name" "$version" ;;
  '') tell warn "$name" "its version is not known; 1.23 is what is tested" ;;
  *) tell warn "$name" "$version; 1.23 is what is tested" ;;
  esac
}

ingress() {
  if kubectl get namespace kourier-system >/dev/null 2>&1; then
    tell ok Ingress "Kourier"
  else
    tell warn Ingress "no Kourier: admission is installed without a webhook, see docs/install.md"
  fi
}

definitions() {
  local kind stored pace
  for kind in "${KINDS[@]}"; do
    if ! has_crd "$kind.flink.apache.org"; then
      tell ok "$kind" "is made"
      continue
    fi
    stored=$(kubectl get crd "$kind.flink.apache.org" -o jsonpath='{.status.storedVersions[*]}')
    pace=$(kubectl get crd "$kind.flink.apache.org" -o jsonpath='{.spec.versions[?(@.name=="v1beta1")].schema.openAPIV3Schema.properties.status.properties.pace.type}')
    if [ "$stored" != v1beta1 ]; then
      tell fail "$kind" "stored in version $stored: write each resource again in v1beta1, and take the others out of status.storedVersions"
    elif [ -z "$pace" ]; then
      tell ok "$kind" "of the Java operator: gets the fields of this version, loses none"
    else
      tell ok "$kind" "brought up to date"
    fi
  done
}

other_operator() {
  local namespace name found=
  while read -r namespace name; do
    found=1
    tell fail "Java operator" "deployment $namespace/$name runs and watches the same namespaces. Stop it first:"
    stop_java_operator "$namespace" "$name"
  done < <(java_operators)
  [ -n "$found" ] || tell ok "Java operator" "none on the same namespaces"
}

# certificate: of the admission webhook. admit makes one that is missing, and renews its own.
certificate() {
  local certificate
  certificate=$(kubectl -n $SYSTEM get secret flink-admit-tls -o 'jsonpath={.data.tls\.crt}' 2>/dev/null | base64 -d) || true
  if [ -z "$certificate" ]; then
    tell ok Certificate "is made"
  elif ! command -v openssl >/dev/null; then
    tell warn Certificate "is there; openssl is not on PATH, so nobody knows until when it is good"
  elif ! openssl x509 -noout -checkend 0 <<<"$certificate" >/dev/null 2>&1; then
    tell warn Certificate "has expired or cannot be read: admit makes another one; look at PingSource flink-admit-certificate"
  elif ! openssl x509 -noout -checkend $((10 * 86400)) <<<"$certificate" >/dev/null 2>&1; then
    tell warn Certificate "ends within ten days: look at PingSource flink-admit-certificate"
  else
    tell ok Certificate "good until $(openssl x509 -noout -enddate <<<"$certificate" | cut -d= -f2)"
  fi
}

# rights: what make deploy makes and changes.
rights() {
  local resource missing=()
  for resource in namespaces customresourcedefinitions.apiextensions.k8s.io clusterroles.rbac.authorization.k8s.io \
    clusterrolebindings.rbac.authorization.k8s.io validatingadmissionpolicies.admissionregistration.k8s.io \
    validatingwebhookconfigurations.admissionregistration.k8s.io mutatingwebhookconfigurations.admissionregistration.k8s.io; do
    kubectl auth can-i patch "$resource" >/dev/null 2>&1 || missing+=("$resource")
  done
  for resource in configmaps serviceaccounts jobs.batch "${KNATIVE[@]}"; do
    kubectl -n $SYSTEM auth can-i patch "$resource" >/dev/null 2>&1 || missing+=("$SYSTEM/$resource")
  done
  if [ ${#missing[@]} -eq 0 ]; then
    tell ok Rights "all that make deploy needs"
  else
    tell fail Rights "you may not patch ${missing[*]}"
  fi
}

resources() {
  local found
  found=$(GO_ON=1 hack/takeover.sh) || die "could not list the resources: $found"
  if [ -z "$found" ]; then
    tell ok Resources "all are run; no job is restarted"
  elif kubectl -n $SYSTEM get services.serving.knative.dev reconcile >/dev/null 2>&1; then
    tell warn Resources "some are not run, or not in full:"
    tail -n +2 <<<"$found"
  else
    tell fail Resources "some would not be run, or not in full; make deploy stops unless GO_ON=1:"
    tail -n +2 <<<"$found"
  fi
}

need_cluster
kubernetes
knative Serving "${KNATIVE[@]:0:2}"
knative Eventing "${KNATIVE[@]:2}"
ingress
definitions
other_operator
certificate
rights
resources
exit $failed
