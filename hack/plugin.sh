#!/usr/bin/env bash
# Builds the plugin kn-flink of a version for each platform, with the manifests that it installs, and the manifest for krew.
#   usage: hack/plugin.sh VERSION MANIFESTS [OUT]
# MANIFESTS is a folder with crds.yaml, kn-flink.yaml, kn-flink-webhook.yaml, tenant.yaml, and overlay-<name>.yaml for each other
# shape. OUT (release) gets, for each platform,
#   kn-flink_<version>_<os>_<arch>.tar.gz       kn-flink, kubectl-flink (a link; a copy for Windows), kubectl_complete-flink, LICENSE
#   kubectl-flink_<version>_<os>_<arch>.tar.gz  kubectl-flink alone, and LICENSE: krew unpacks no links
# and flink.krew.yaml.
#   PLUGIN_PLATFORMS=linux/amd64   another list of platforms
#   PLUGIN_URL=https://…           where the archives will be
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

version=${1:-} manifests=${2:-} out=${3:-release}
[[ $version =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]] || die "which version? hack/plugin.sh v0.1.0 <folder>"
for name in crds kn-flink kn-flink-webhook tenant; do
  [ -s "$manifests/$name.yaml" ] || die "no $name.yaml in ${manifests:-the folder of manifests}"
done
url=${PLUGIN_URL:-https://github.com/kn-flink/kn-flink/releases/download/$version}
platforms=${PLUGIN_PLATFORMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

# The manifests are embedded in the place of files of the tree that are not there, so that a build leaves no trace.
replaced=
for name in crds kn-flink kn-flink-webhook tenant $(cd "$manifests" && ls overlay-*.yaml 2>/dev/null | sed 's/\.yaml$//'); do
  gzip -9 -n <"$manifests/$name.yaml" >"$work/$name.yaml.gz"
  replaced+="${replaced:+,}\"$PWD/pkg/release/files/$name.yaml.gz\":\"$work/$name.yaml.gz\""
done
printf '{"Replace":{%s}}\n' "$replaced" >"$work/overlay.json"

# archive NAME FILES...: the same bytes for the same files.
archive() {
  local name=$1
  shift
  (cd "$work/files" && tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf - "$@") | gzip -9 -n >"$out/$name.tar.gz"
}

cat >"$out/flink.krew.yaml" <<T
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: flink
spec:
  version: $version
  homepage: https://github.com/kn-flink/kn-flink
  shortDescription: See and change Apache Flink jobs
  description: |
    Shows the Flink jobs of a cluster and why they are as they are, previews and makes changes, and checks an installation of
    kn-flink. It works with the resources of the Java Flink Kubernetes operator, too.
  platforms:
T
for platform in $platforms; do
  os=${platform%/*} arch=${platform#*/} exe=
  [ "$os" != windows ] || exe=.exe
  rm -rf "$work/files"
  mkdir "$work/files"
  GOOS=$os GOARCH=$arch CGO_ENABLED=0 go build -trimpath -buildvcs=false -overlay "$work/overlay.json" \
    -ldflags "-s -w -X main.version=$version" -o "$work/files/kn-flink$exe" ./cmd/kn-flink || die "could not build kn-flink for $platform"
  install -m 755 pkg/cli/kubectl_complete-flink "$work/files/kubectl_complete-flink"
  install -m 644 LICENSE "$work/files/LICENSE"
  if [ -n "$exe" ]; then cp "$work/files/kn-flink$exe" "$work/files/kubectl-flink$exe"; else ln -s kn-flink "$work/files/kubectl-flink"; fi
  archive "kn-flink_${version}_${os}_$arch" "kn-flink$exe" "kubectl-flink$exe" kubectl_complete-flink LICENSE
  mv -f "$work/files/kn-flink$exe" "$work/files/kubectl-flink$exe"
  archive "kubectl-flink_${version}_${os}_$arch" "kubectl-flink$exe" LICENSE
  cat >>"$out/flink.krew.yaml" <<T
  - selector:
      matchLabels: {os: $os, arch: $arch}
    uri: $url/kubectl-flink_${version}_${os}_$arch.tar.gz
    sha256: $(sha256sum <"$out/kubectl-flink_${version}_${os}_$arch.tar.gz" | cut -d' ' -f1)
    bin: kubectl-flink$exe
T
done
