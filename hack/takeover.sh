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

# The options of a FlinkDeployment are written flat, nested, or both; kubectl prints them as JSON. No field is empty: read would skip it.
deployments() {
  local all name mode options recorded
  local on='autoscaler(\.|":\{([^{}]*,)?")enabled":"?true'
  has_crd flinkdeployments.flink.apache.org || return 0
  all=$(kubectl get flinkdeployments.flink.apache.org -A -o jsonpath='{range .items[*]}{.metadata.namespace}/{.metadata.name}{"\t"}mode={.spec.mode}{"\t"}options={.spec.flinkConfiguration}{"\t"}recorded={.status.reconciliationStatus.lastReconciledSpec}{"\n"}{end}') ||
    die "could not list flinkdeployments"
  while IFS=$'\t' read -r name mode options recorded; do
    [ "$mode" != mode=standalone ] || what flinkdeployment "standalone: it goes on as it is; no change of it is deployed and it is not recovered" <<<"$name"
    if [[ $options =~ $on ]] || { [[ $recorded == *pipeline.jobvertex-parallelism-overrides* ]] && [[ $options != *pipeline.jobvertex-parallelism-overrides* ]]; }; then
      what flinkdeployment "autoscaled: it keeps the size that it has; nobody scales it any more" <<<"$name"
    fi
  done <<<"$all"
}

need_cluster
found=$(
  deployments &&
    names flinksessionjobs | what flinksessionjob "not run: its job goes on in its session cluster, and nobody looks after it" &&
    names flinkbluegreendeployments | what flinkbluegreendeployment "not run: what it runs goes on; no change of it is made"
)
[ -n "$found" ] || exit 0
say "What is here already and kn-flink does not run yet, or not in full:"
say "$found"
[ "${GO_ON:-}" = 1 ] || die "read the list above; docs/install.md says more. To go on all the same: GO_ON=1 make deploy"
