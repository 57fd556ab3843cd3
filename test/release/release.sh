#!/usr/bin/env bash
# Installs a release in the cluster of KUBECONFIG from what is downloaded alone, and upgrades to it and back beside a job that runs.
#   usage: test/release/release.sh FOLDER [OLDER...]
# FOLDER is release/ of `make release`; each OLDER is that of a version before. The cluster has Knative, Kourier and a Flink image, and no
# kn-flink. It needs kubectl and helm (v3 or v4), no Go and no checkout but the folders that are named and this script.
#   CHART=oci://…     the chart, --version comes from FOLDER; empty: the archive in FOLDER
#   HELM_OPTIONS=…    as --plain-http
#   JOB=<file>        the FlinkDeployment that runs meanwhile
set -euo pipefail

folder=$(cd "$1" && pwd)
shift
older=()
for f in "$@"; do older+=("$(cd "$f" && pwd)"); done
job=$(realpath "${JOB:-examples/basic.yaml}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$job" "$work/job.yaml"
cd "$work"
system=flink-system name=$(sed -n 's/^  name: //p' job.yaml | head -n 1)

step() { printf '%5ss  %s\n' "$SECONDS" "$*"; }
die() { printf 'release: %s\n' "$*" >&2; exit 1; }
quietly() { "$@" >"$work/out" 2>&1 || { cat "$work/out" >&2; die "failed: $*"; }; }

(cd "$folder" && sha256sum --quiet -c checksums.txt) || die "$folder does not have the sums of checksums.txt"
kubectl get namespace $system >/dev/null 2>&1 && die "kn-flink is installed already; run make undeploy CRDS=1 first"

# apply FOLDER: as docs/install/files.md says it for a release.
apply() {
  quietly kubectl apply --server-side --force-conflicts -f "$1/crds.yaml"
  # The template of a Job cannot be changed.
  kubectl -n $system delete jobs -l app.kubernetes.io/part-of=kn-flink --ignore-not-found >/dev/null 2>&1 || true
  local i
  for i in 1 2 3 4 5 6; do # a webhook of Knative may still be starting
    if kubectl apply --server-side --force-conflicts -f "$1/kn-flink.yaml" >"$work/out" 2>&1; then break; fi
    [ "$i" != 6 ] || { cat "$work/out" >&2; die "could not apply $1/kn-flink.yaml"; }
    sleep 3
  done
  local installed=("$1/kn-flink.yaml")
  if [ -f "$1/kn-flink-webhook.yaml" ]; then
    quietly kubectl apply --server-side --force-conflicts -f "$1/kn-flink-webhook.yaml"
    installed+=("$1/kn-flink-webhook.yaml")
  fi
  [ ! -f "$1/prune.sh" ] || quietly "$1/prune.sh" "${installed[@]}"
  # shellcheck disable=SC2016 # the text has it like that
  sed 's/${NAMESPACE}/default/' "$1/tenant.yaml" >"$work/tenant.yaml"
  quietly kubectl apply --server-side --force-conflicts -f "$work/tenant.yaml"
}

# ready: all that Knative runs of it is.
ready() {
  local kind
  for kind in brokers.eventing.knative.dev services.serving.knative.dev triggers.eventing.knative.dev \
    apiserversources.sources.knative.dev pingsources.sources.knative.dev; do
    quietly kubectl -n $system wait --for=condition=Ready --timeout=240s --all "$kind"
  done
}

# stable: the job is.
stable() {
  quietly kubectl -n default wait --for=jsonpath='{.status.lifecycleState}'=STABLE --timeout=300s "flinkdeployment/$name"
}

# pod: UID and restarts of the job's JobManager, and the job's ID and start time.
pod() {
  kubectl -n default get pods -l "app=$name,component=jobmanager" \
    -o jsonpath='{range .items[*]}{.metadata.uid} {.status.containerStatuses[*].restartCount}{"\n"}{end}'
  kubectl -n default get flinkdeployment "$name" -o jsonpath='{.status.jobStatus.jobId} {.status.jobStatus.startTime}'
}

remove() {
  quietly kubectl -n default delete flinkdeployment "$name" --timeout=120s
}

step "install the chart"
version=$(basename "$folder"/kn-flink-*.tgz .tgz)
version=${version#kn-flink-}
# shellcheck disable=SC2086 # options
quietly helm install kn-flink "${CHART:-$(echo "$folder"/kn-flink-*.tgz)}" ${CHART:+--version "$version"} ${HELM_OPTIONS:-} \
  -n $system --create-namespace
ready
step "start a job"
quietly kubectl apply -f job.yaml
stable
step "the job is STABLE: 2 commands after Knative"
# Knative counts a generation of an EventType up that nothing has changed in.
differ=$(helm -n $system get manifest kn-flink | kubectl diff --server-side --force-conflicts --field-manager=helm -f - 2>&1 |
  grep '^[+-] \|rror' | grep -v ' generation: ' || true)
[ -z "$differ" ] || die "the chart and the cluster differ:
$differ"
quietly helm -n $system upgrade kn-flink "$folder"/kn-flink-*.tgz
ready
before=$(pod)
step "a second installation beside it"
second=flink-b
kubectl create namespace team-b >/dev/null
# shellcheck disable=SC2086 # options
quietly helm upgrade kn-flink "${CHART:-$(echo "$folder"/kn-flink-*.tgz)}" ${CHART:+--version "$version"} ${HELM_OPTIONS:-} \
  -n $system --set 'watchNamespaces={default}'
# shellcheck disable=SC2086 # options
helm install kn-flink "${CHART:-$(echo "$folder"/kn-flink-*.tgz)}" ${CHART:+--version "$version"} ${HELM_OPTIONS:-} \
  -n $second --create-namespace --set 'watchNamespaces={default,team-b}' >"$work/out" 2>&1 && die "two installations may watch namespace default"
grep -q "watches these namespaces, too: default" "$work/out" || die "a scope that overlaps is refused without saying so: $(cat "$work/out")"
# shellcheck disable=SC2086 # options
quietly helm install kn-flink "${CHART:-$(echo "$folder"/kn-flink-*.tgz)}" ${CHART:+--version "$version"} ${HELM_OPTIONS:-} \
  -n $second --create-namespace --set 'watchNamespaces={team-b}'
ready
system=$second ready
quietly kubectl -n team-b apply -f job.yaml
quietly kubectl -n team-b wait --for=jsonpath='{.status.lifecycleState}'=STABLE --timeout=300s "flinkdeployment/$name"
for other in "$system team-b/" "$second default/"; do
  acted=$(kubectl -n "${other% *}" logs -l app.kubernetes.io/part-of=kn-flink -c user-container --tail=-1 | grep -c "\"key\":\"${other#* }" || true)
  [ "$acted" = 0 ] || die "the installation in ${other% *} has $acted lines about a resource of ${other#* }"
done
[ "$(pod)" = "$before" ] || die "a second installation restarted the job: $before, then $(pod)"
quietly kubectl -n team-b delete flinkdeployment "$name" --timeout=120s
quietly helm -n $second uninstall kn-flink --wait
quietly kubectl delete namespace $second team-b --timeout=180s
step "it is gone; what the first runs is as it was"
[ "$(pod)" = "$before" ] || die "removing the second installation restarted the job: $before, then $(pod)"
step "remove the chart; the job runs on"
quietly helm -n $system uninstall kn-flink --wait
[ "$(pod)" = "$before" ] || die "removing the chart restarted the job: $before, then $(pod)"
quietly kubectl delete namespace $system --timeout=180s --ignore-not-found

step "install the files beside the job"
apply "$folder"
ready
sleep 70 # a sweep looks at each resource once a minute
[ "$(pod)" = "$before" ] || die "the installation restarted the job: $before, then $(pod)"
remove
step "start a job"
quietly kubectl apply -f job.yaml
stable

for old in "${older[@]}"; do
  step "back to $(basename "$(dirname "$old")")"
  before=$(pod)
  apply "$old"
  ready
  sleep 70
  [ "$(pod)" = "$before" ] || die "going back restarted the job: $before, then $(pod)"
  step "and forward again"
  apply "$folder"
  ready
  sleep 70
  [ "$(pod)" = "$before" ] || die "the upgrade restarted the job: $before, then $(pod)"
  quietly kubectl -n default patch flinkdeployment "$name" --type=merge -p "{\"spec\":{\"restartNonce\":$RANDOM}}"
  sleep 5
  stable
  step "an edit after it: STABLE"
done
remove
step "ok: 0 restarts"
