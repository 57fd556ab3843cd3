#!/usr/bin/env bash
# Builds and pushes the images of a version and writes the YAML that installs it.   usage: hack/release.sh v0.1.0
# The result is, for kubectl alone: release/crds.yaml; release/kn-flink.yaml; release/kn-flink-webhook.yaml, which needs Kourier;
# release/kn-flink-console.yaml, the console, which is no part of the installation; release/tenant.yaml;
# release/rules.yaml, for Prometheus, whose alerts lead to the pages of the version; and release/prune.sh, which
# deletes what an earlier version had installed. And the Helm chart
# release/kn-flink-<version>.tgz, made from the same files and pushed to oci://$KO_DOCKER_REPO/charts; release/notes.md, the part of
# CHANGELOG.md; the plugin kn-flink for each platform, see hack/plugin.sh; release/checksums.txt. Images have an SBOM (SPDX) beside them; the workflow of a release signs them and adds provenance.
#   PLATFORM=linux/amd64   another list of platforms
#   PLAIN_HTTP=1           the registry has no TLS
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

version=${1:-}
[[ $version =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]] || die "which version? make release VERSION=v0.1.0"
[ -n "${KO_DOCKER_REPO:-}" ] || die "set KO_DOCKER_REPO to the registry of the release"
need_ko
# The base image, by digest: a release is built on what was reviewed, not on what a tag names today. ko fails where it does
# not have the platforms of the release.
export KO_DEFAULTBASEIMAGE=${KO_DEFAULTBASEIMAGE:-gcr.io/distroless/static:nonroot@sha256:e2e927ec666bae08560abb3c55d0659eceabb657f56b6782ab500a9fc7f555e3}
go mod verify
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# release_manifest FILES...: with the version in the place of "devel", and in the name of the Job, whose template cannot be
# changed. kn shows user-image in the place of a digest.
release_manifest() {
  local file
  for file in "$@"; do cat "$file"; echo ---; done | awk -v repo="$KO_DOCKER_REPO" -v version="$version" '
    { sub(/app.kubernetes.io\/version: devel/, "app.kubernetes.io/version: " version) }
    /^kind: Job$/ { job = 1 }
    /^kind: Service$/ { ksvc = 0 } /^apiVersion: serving.knative.dev\/v1$/ { service = 1 } /^---$/ { service = job = 0; name = "" }
    job && /^  name: / { job = 0; sub(/$/, "-" tolower(version)) }
    service && /^  name: / && name == "" { name = $2 }
    { print }
    # reconcile-jars is the image of reconcile.
    service && /^      annotations:$/ { image = name; sub(/-jars$/, "", image); print "        client.knative.dev/user-image: " repo "/" image ":" version }'
}

# resolve_manifest NAME FILES...: release/NAME.yaml
resolve_manifest() {
  local name=$1
  shift
  release_manifest "$@" >"$work/$name.yaml"
  ko resolve --base-import-paths --tags="$version" --platform="${PLATFORM:-linux/amd64,linux/arm64}" --sbom=spdx -f "$work/$name.yaml" >"release/$name.yaml"
}

mkdir -p release
resolve_manifest kn-flink config/knative/[0-7]*.yaml
resolve_manifest kn-flink-webhook config/knative/8*.yaml
resolve_manifest kn-flink-console config/console/console.yaml
cp hack/prune.sh release/prune.sh
sed "s#/blob/main/#/blob/$version/#" config/monitoring/rules.yaml >release/rules.yaml
cat release/kn-flink.yaml release/kn-flink-webhook.yaml release/kn-flink-console.yaml >"$work/all.yaml"
cat config/crds/*.yaml >release/crds.yaml
{ cat config/tenant/tenant.yaml; echo ---; cat config/tenant/networkpolicy.yaml; } >release/tenant.yaml
(cd hack/chart && go run -buildvcs=false . -version "$version" -repository "$KO_DOCKER_REPO" -resolved "$work/all.yaml"
  go tool helm push "../../release/kn-flink-${version#v}.tgz" "oci://$KO_DOCKER_REPO/charts" ${PLAIN_HTTP:+--plain-http})
rm -rf release/kn-flink # the chart, unpacked
# shape NAME: an overlay of config/overlays with the images that were built, for the plugin.
images=$(sed -nE 's#.*image: (\S*/([a-z]+)(:[^@ ]+)?@sha256:[0-9a-f]{64}).*#s\#ko://github.com/kn-flink/kn-flink/functions/\2$\#\1\##p' "$work/all.yaml" | sort -u)
shape() {
  kubectl kustomize --load-restrictor LoadRestrictionsNone "config/overlays/$1" >"$work/$1.kustomized.yaml"
  release_manifest "$work/$1.kustomized.yaml" | sed "$images" >"$work/plugin/overlay-$1.yaml"
  ! grep -q 'ko://' "$work/plugin/overlay-$1.yaml" || die "an image of overlay $1 is not that of the release"
}
mkdir "$work/plugin"
cp release/crds.yaml release/kn-flink.yaml release/kn-flink-webhook.yaml release/tenant.yaml "$work/plugin/"
for overlay in kafka rabbitmq istio tenants labelled-namespaces single-namespace oidc; do shape "$overlay"; done
hack/plugin.sh "$version" "$work/plugin" release
# notes: what CHANGELOG.md says of the version; of one that it does not name yet, what is unreleased.
notes() { awk -v want="## $1" 'index($0, "## ") == 1 { on = ($0 == want || index($0, want " ") == 1); next } on' CHANGELOG.md; }
notes "$version" >release/notes.md
grep -q . release/notes.md || notes Unreleased >release/notes.md
grep -q . release/notes.md || die "CHANGELOG.md says nothing of $version"
(cd release && sha256sum -- *.yaml *.sh *.tgz *.tar.gz >checksums.txt)
say "release/crds.yaml and release/kn-flink.yaml install $version, release/kn-flink-webhook.yaml its webhook: docs/install/files.md"
