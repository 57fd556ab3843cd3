#!/usr/bin/env bash
# Deletes what an earlier version of the operator has installed and the manifest that was just applied does not have. It
# needs kubectl alone, so that it is a file of a release, too.
#   usage: prune.sh MANIFEST...   (DRY_RUN=1 lists, and deletes nothing)
# It looks at objects with label app.kubernetes.io/part-of: kn-flink, of the kinds below. It leaves alone what tenants,
# config/monitoring and config/console have, what the functions make themselves, what has an owner, custom resource
# definitions, and the namespace.
set -euo pipefail

# SYSTEM=<namespace>: that of a second installation. What is of another one is left alone.
SYSTEM=${SYSTEM:-flink-system}
LABELS='app.kubernetes.io/part-of=kn-flink,app.kubernetes.io/component notin (tenant,monitoring,console)'
if [ "$SYSTEM" = flink-system ]; then LABELS+=',!app.kubernetes.io/instance'; else LABELS+=,app.kubernetes.io/instance=$SYSTEM; fi
CLUSTER=(clusterroles.rbac.authorization.k8s.io clusterrolebindings.rbac.authorization.k8s.io
  validatingadmissionpolicies.admissionregistration.k8s.io validatingadmissionpolicybindings.admissionregistration.k8s.io
  mutatingwebhookconfigurations.admissionregistration.k8s.io validatingwebhookconfigurations.admissionregistration.k8s.io
  clusterdomainclaims.networking.internal.knative.dev)
INSIDE=(serviceaccounts configmaps jobs.batch cronjobs.batch rabbitmqbrokerconfigs.eventing.knative.dev brokers.eventing.knative.dev triggers.eventing.knative.dev
  eventtypes.eventing.knative.dev eventpolicies.eventing.knative.dev apiserversources.sources.knative.dev pingsources.sources.knative.dev
  services.serving.knative.dev domainmappings.serving.knative.dev)
# In flink-system and in namespaces of others. Services of flink-system are Knative's.
ANYWHERE=(roles.rbac.authorization.k8s.io rolebindings.rbac.authorization.k8s.io networkpolicies.networking.k8s.io services)
MADE_BY_FUNCTIONS=flink-operator-config-accepted

die() { printf '\n%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# labelled KIND ARGUMENTS...: uid, kind, namespace (- for none), and name of each object that nobody owns. Nothing for a kind
# that the API server does not have.
labelled() {
  local kind=$1
  shift
  kubectl get "$kind" "$@" -l kn-flink/no=object -o name >/dev/null 2>&1 || return 0
  kubectl get "$kind" "$@" -l "$LABELS" -o go-template='{{range .items}}{{if not .metadata.ownerReferences}}{{.metadata.uid}} '"$kind"' {{with .metadata.namespace}}{{.}}{{else}}-{{end}} {{.metadata.name}}{{"\n"}}{{end}}{{end}}'
}

[ $# -gt 0 ] || die "which manifest? $(basename "$0") kn-flink.yaml"
files=()
for file in "$@"; do
  [ -s "$file" ] || die "no manifest $file"
  files+=(-f "$file")
done
# Every object of the manifest is there, or nothing is deleted.
applied=$(kubectl get "${files[@]}" -o go-template='{{range .items}}{{.metadata.uid}}{{"\n"}}{{end}}') ||
  die "not all of the manifest is applied here; apply it first"
[ -n "$applied" ] || die "the manifest has no objects"

left=$(
  for kind in "${CLUSTER[@]}"; do labelled "$kind"; done
  for kind in "${INSIDE[@]}"; do labelled "$kind" -n $SYSTEM; done
  for kind in "${ANYWHERE[@]}"; do labelled "$kind" -A; done
)
while read -r uid kind namespace name; do
  [ -n "$uid" ] || continue
  ! grep -qxF "$uid" <<<"$applied" || continue
  case "$kind $namespace $name" in
  "services $SYSTEM "* | *" $MADE_BY_FUNCTIONS") continue ;;
  esac
  where=()
  [ "$namespace" = - ] || where=(-n "$namespace")
  echo "$kind $name ${where[*]:-} is not in this version any more"
  [ -z "${DRY_RUN:-}" ] || continue
  kubectl "${where[@]}" delete "$kind" "$name" --ignore-not-found --wait=false >/dev/null
done <<<"$left"
