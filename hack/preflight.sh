#!/usr/bin/env bash
# Says what stands in the way of an installation or an update in the cluster that KUBECONFIG names. It changes nothing.
#   ok     nothing to do
#   warn   it works, and somebody should know
#   fail   what make deploy installs would not work, so it stops; the exit code is 1
# GO_ON=1 makes a warning of the resources that the Java operator ran and that are not run here, or not in full.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

failed=0
tell() { printf '%-5s %-16s %s\n' "$1" "$2" "$3"; [ "$1" != fail ] || failed=1; }

kubernetes() {
  local minor
  minor=$(kubectl version -o json | sed -n '/serverVersion/,$ s/.*"minor": "\([0-9]*\).*/\1/p' | head -n 1)
  if [ "${minor:-0}" -lt $KUBERNETES_FLOOR ]; then
    tell fail Kubernetes "1.$minor: selectable fields of custom resources need 1.$KUBERNETES_FLOOR"
  elif [ "$minor" -lt $KNATIVE_FLOOR ]; then
    tell warn Kubernetes "1.$minor: Knative $KNATIVE_TESTED, which is tested, needs 1.$KNATIVE_FLOOR; an older Knative takes it"
  else
    tell ok Kubernetes "1.$minor"
  fi
}

# release CRD: the version of Knative that a definition came with, such as 1.23.0; empty when it does not say.
release() { kubectl get crd "$1" -o jsonpath='{.metadata.labels.app\.kubernetes\.io/version}' 2>/dev/null | sed 's/^v//'; }

# older A B: version A, 1.N or 1.N.M, is older than B, 1.N.
older() {
  local a=${1#1.}
  [ "${a%%.*}" -lt "${2#1.}" ]
}

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
  "$KNATIVE_TESTED" | "$KNATIVE_TESTED".*) tell ok "$name" "$version, tested" ;;
  1.[0-9]*)
    if older "$version" $KNATIVE_OLDEST; then
      tell fail "$name" "$version is not supported: update Knative to $KNATIVE_OLDEST or later"
    elif older "$version" $KNATIVE_TESTED; then
      tell ok "$name" "$version, supported; $KNATIVE_TESTED is tested"
    else
      tell warn "$name" "$version, untested: newer than $KNATIVE_TESTED"
    fi
    ;;
  *) tell warn "$name" "its version is not known, so it is untested; $KNATIVE_TESTED is tested" ;;
  esac
}

# ingress_name: that of Knative's ingress, if the webhook is known to work with it.
ingress_name() {
  case $(knative_ingress) in
  '' | kourier) say Kourier ;;
  istio) say Istio ;;
  contour) say Contour ;;
  gateway-api) say "Gateway API" ;;
  esac
}

# no_webhook: why none can be installed for Knative's gateway; empty when it can.
no_webhook() {
  local found class looked
  class=$(knative_ingress)
  [ -n "$(ingress_name)" ] ||
    { say "Knative's ingress is $class, which is none of Kourier, Istio, Contour and Gateway API (ConfigMap config-network in knative-serving)"; return; }
  case ${class:-kourier} in
  kourier) looked="no Service selects Kourier's gateway (app: 3scale-kourier-gateway) in any namespace" ;;
  istio) looked="no Service selects Istio's gateway (istio: ingressgateway) in any namespace" ;;
  contour) looked="the Service of Contour's Envoy (ConfigMap config-contour in knative-serving) is not there, or has no port 443" ;;
  gateway-api) looked="the Service of the external gateway (ConfigMap config-gateway in knative-serving) is not there, or has no port 443" ;;
  esac
  found=$(gateways)
  case $(grep -c . <<<"$found") in
  0) say "$looked" ;;
  1) ;;
  *) say "there is more than one gateway, in namespaces $(cut -d' ' -f1 <<<"$found" | paste -sd' '): set GATEWAY_NAMESPACE to that of Knative's ingress" ;;
  esac
}

ingress() {
  local why
  if [ "${OVERLAY:-}" = istio ]; then
    tell ok Ingress "Istio, as overlay istio says"
    return
  fi
  why=$(no_webhook)
  if [ -z "$why" ]; then
    tell ok Ingress "$(ingress_name), in namespace $(gateways | cut -d' ' -f1)"
  elif [ "${WEBHOOK:-}" = no ]; then
    tell warn Ingress "no webhook, as asked for: $why"
  else
    tell fail Ingress "no webhook can be installed: $why"
    say "Without a webhook (WEBHOOK=no) a wrong spec is told in its status only, not when it is"
    say "applied, and mutators of the settings never run."
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

other_operator() {
  local namespace name found=
  while read -r namespace name; do
    found=1
    tell fail "Java operator" "deployment $namespace/$name runs and watches the same namespaces. Stop it first:"
    say "  kubectl -n $namespace scale deployment $name --replicas=0"
    say "  kubectl delete validatingwebhookconfiguration,mutatingwebhookconfiguration flink-operator-$namespace-webhook-configuration --ignore-not-found"
  done < <(java_operators)
  [ -n "$found" ] || tell ok "Java operator" "none on the same namespaces"
}

# scope: the label selector of the namespaces that this installation is to watch; nothing for all.
scope() {
  case ${OVERLAY:-} in
  tenants) if [ "$SYSTEM" = flink-system ]; then say flink.apache.org/watched=true; else say "flink.apache.org/watched=$SYSTEM"; fi ;;
  single-namespace) sed -n 's/.*WATCH_NAMESPACES, value: \([^}]*\)}.*/kubernetes.io\/metadata.name=\1/p' config/overlays/single-namespace/kustomization.yaml ;;
  esac
}

# selected [SELECTOR]: the names of namespaces.
selected() { kubectl get namespaces ${1:+-l "$1"} -o jsonpath='{range .items[*]}{.metadata.name}{"\n"}{end}'; }

# other_installations: two with one resource in both their scopes refuse each other's writes of it, so neither runs it.
other_installations() {
  local name selector both found=
  while IFS=$'\t' read -r name selector; do
    found=1 name=${name#kn-flink-status} name=${name#-}
    both=$(sort <(selected "$(scope)") <(selected "$selector") | uniq -d | paste -sd' ')
    if [ -z "$both" ] && { [ -n "$selector" ] && [ -n "$(scope)" ]; }; then
      tell ok Installations "that in namespace ${name:-flink-system} watches other namespaces"
    else
      tell fail Installations "that in namespace ${name:-flink-system} watches these namespaces, too: ${both:-all that are to come}. Narrow one of both: docs/install/shapes.md"
    fi
  done < <(installations)
  [ -n "$found" ] || tell ok Installations "no other in this cluster"
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
    tell warn Certificate "has expired or cannot be read: admit makes another one; look at CronJob flink-admit-certificate"
  elif ! openssl x509 -noout -checkend $((10 * 86400)) <<<"$certificate" >/dev/null 2>&1; then
    tell warn Certificate "ends within ten days: look at CronJob flink-admit-certificate"
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

# what KIND TEXT: a line for each name on stdin.
what() {
  local name
  while read -r name; do [ -z "$name" ] || printf '  %-24s %-40s %s\n' "$1" "$name" "$2"; done
}

# jobs KIND: those that would not be run in full. The options of a resource are written flat, nested, or both; kubectl prints them as JSON. No field is empty: read would skip it.
jobs() {
  local all name options recorded jar
  local on='autoscaler(\.|":\{([^{}]*,)?")enabled":"?true'
  has_crd "$1s.flink.apache.org" || return 0
  all=$(kubectl get "$1s.flink.apache.org" -A -o jsonpath='{range .items[*]}{.metadata.namespace}/{.metadata.name}{"\t"}options={.spec.flinkConfiguration}{"\t"}recorded={.status.reconciliationStatus.lastReconciledSpec}{"\t"}jar={.spec.job.jarURI}{"\n"}{end}') ||
    die "could not list $1s"
  while IFS=$'\t' read -r name options recorded jar; do
    if ! [[ $options =~ $on ]] && [[ $recorded == *pipeline.jobvertex-parallelism-overrides* && $options != *pipeline.jobvertex-parallelism-overrides* ]]; then
      what "$1" "autoscaled by a default of the Java operator: set job.autoscaler.enabled here, too, or it keeps its size" <<<"$name"
    fi
    if [ "$1" = flinksessionjob ] && [[ $jar =~ ^jar=([a-z0-9]+): ]] && [[ ${BASH_REMATCH[1]} != http?(s) ]]; then
      what "$1" "its jar is not fetched from ${BASH_REMATCH[1]}: what runs goes on, no change of it is made until jarURI is https or empty" <<<"$name"
    fi
  done <<<"$all"
}

# resources: whoever updates has read the list before, and each resource says so itself.
resources() {
  local found
  found=$(jobs flinkdeployment && jobs flinksessionjob) || die "could not list the resources: $found"
  if [ -z "$found" ]; then
    tell ok Resources "all are run; no job is restarted"
  elif [ "${GO_ON:-}" = 1 ] || kubectl -n $SYSTEM get services.serving.knative.dev reconcile >/dev/null 2>&1; then
    tell warn Resources "some are not run, or not in full:"
    say "$found"
  else
    tell fail Resources "some would not be run, or not in full: docs/migrate/from-java.md. To go on all the same: GO_ON=1 make deploy"
    say "$found"
  fi
}

need_cluster
kubernetes
knative Serving "${KNATIVE[@]:0:2}"
knative Eventing "${KNATIVE[@]:2}"
ingress
definitions
other_operator
other_installations
certificate
rights
resources
exit $failed
