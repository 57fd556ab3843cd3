#!/usr/bin/env bash
# Says what stands in the way of an installation or an update in the cluster that KUBECONFIG names: `kn flink doctor --pre`,
# built from this checkout. It changes nothing. The exit code is 1 where something fails, and make deploy stops.
#   OVERLAY, SYSTEM, WEBHOOK, GATEWAY_NAMESPACE   as make deploy has them
#   GO_ON=1                                       resources that are not run here, or not in full, are a warning
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# scope: the label selector of the namespaces that this installation is to watch; nothing for all.
scope() {
  case ${OVERLAY:-} in
  tenants) if [ "$SYSTEM" = flink-system ]; then say flink.apache.org/watched=true; else say "flink.apache.org/watched=$SYSTEM"; fi ;;
  single-namespace) sed -n 's/.*WATCH_NAMESPACES, value: \([^}]*\)}.*/kubernetes.io\/metadata.name=\1/p' config/overlays/single-namespace/kustomization.yaml ;;
  esac
}

arguments=(doctor --pre "--system-namespace=$SYSTEM" "--overlay=${OVERLAY:-}" "--scope=$(scope)" "--gateway-namespace=${GATEWAY_NAMESPACE:-}")
[ "${WEBHOOK:-}" != no ] || arguments+=(--no-webhook)
[ "${GO_ON:-}" != 1 ] || arguments+=(--go-on)
command -v go >/dev/null || die "Go is not on PATH; a release needs none: docs/install/doctor.md"
mkdir -p .local/bin
go build -buildvcs=false -o .local/bin/kn-flink ./cmd/kn-flink || die "could not build the checks"
exec .local/bin/kn-flink "${arguments[@]}"
