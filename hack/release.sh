#!/usr/bin/env bash
# Builds and pushes the images of a version and writes the YAML that installs it.   usage: hack/release.sh v0.1.0
# The result is release/crds.yaml, release/kn-flink.yaml and release/tenant.yaml, for kubectl alone, and the Helm chart
# release/kn-flink-<version>.tgz, made from the same files.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

version=${1:-}
[[ $version =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]] || die "which version? make release VERSION=v0.1.0"
[ -n "${KO_DOCKER_REPO:-}" ] || die "set KO_DOCKER_REPO to the registry of the release"
need_ko
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in config/knative/*.yaml; do cat "$file"; echo ---; done >"$work/in.yaml"
# kn shows this name in the place of a digest.
awk -v repo="$KO_DOCKER_REPO" -v version="$version" '
  { sub(/app.kubernetes.io\/version: devel/, "app.kubernetes.io/version: " version) }
  /^kind: Service$/ { ksvc = 0 } /^apiVersion: serving.knative.dev\/v1$/ { service = 1 } /^---$/ { service = 0; name = "" }
  service && /^  name: / && name == "" { name = $2 }
  { print }
  # reconcile-jars is the image of reconcile.
  service && /^      annotations:$/ { image = name; sub(/-jars$/, "", image); print "        client.knative.dev/user-image: " repo "/" image ":" version }
' "$work/in.yaml" >"$work/version.yaml"
mkdir -p release
ko resolve --base-import-paths --tags="$version" --platform="${PLATFORM:-linux/amd64,linux/arm64}" --sbom=spdx -f "$work/version.yaml" >release/kn-flink.yaml
cat config/crds/*.yaml >release/crds.yaml
cp config/tenant/tenant.yaml release/tenant.yaml
(cd hack/chart && go run -buildvcs=false . -version "$version" -repository "$KO_DOCKER_REPO" -resolved ../../release/kn-flink.yaml)
say "release/crds.yaml and release/kn-flink.yaml install $version:"
say "  kubectl apply --server-side -f release/crds.yaml && kubectl apply --server-side -f release/kn-flink.yaml"
