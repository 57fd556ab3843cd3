#!/usr/bin/env bash
# Lists the resources in the cluster that the Java operator runs and kn-flink does not run yet, or not in full, and stops
# if there are any.
#   GO_ON=1   list them and go on
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# names KIND: namespace/name of each.
names() {
  ! has_crd "$1.flink.apache.org" ||
    kubectl get "$1.flink.apache.org" -A -o jsonpath='{range .items[*]}{.metadata.namespace}/{.metadata.name}{"\n"}{end}' || die "could not list $1"
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

need_cluster
found=$(
  jobs flinkdeployment && jobs flinksessionjob &&
    names flinkbluegreendeployments | what flinkbluegreendeployment "not run: what it runs goes on; no change of it is made"
)
[ -n "$found" ] || exit 0
say "What is here already and kn-flink does not run yet, or not in full:"
say "$found"
[ "${GO_ON:-}" = 1 ] || die "read the list above; docs/install.md says more. To go on all the same: GO_ON=1 make deploy"
