# shellcheck shell=bash disable=SC2164
# metrics-server, which a HorizontalPodAutoscaler and the operator's check for room on nodes ask. It is not part of "up":
# only tests of every night need it.

build_metrics_server() {
  local key=$METRICS_SERVER_VERSION
  cached "$BUILT/metrics-server" "$key" "$YAML/metrics-server.yaml" && return
  module metrics-server $METRICS_SERVER_VERSION
  go mod edit -require "sigs.k8s.io/metrics-server@v$METRICS_SERVER_VERSION"
  printf '//go:build tools\n\npackage tools\n\nimport _ "sigs.k8s.io/metrics-server/cmd/metrics-server"\n' >deps.go
  go mod tidy
  local source image
  source=$(go list -m -f '{{.Dir}}' sigs.k8s.io/metrics-server)
  image=$(ko build --sbom=none --platform=linux/amd64 -j 2 -B sigs.k8s.io/metrics-server/cmd/metrics-server)
  # As upstream installs it, but that the kubelet's certificate is not checked: it is of the cluster's own authority.
  kubectl kustomize "$source/manifests/base" |
    sed -e "s#image: .*metrics-server:.*#image: $image#" \
      -e 's#- --kubelet-use-node-status-port#&\n        - --kubelet-insecure-tls#' >"$YAML/metrics-server.yaml.part"
  grep -q "$image" "$YAML/metrics-server.yaml.part"
  grep -q kubelet-insecure-tls "$YAML/metrics-server.yaml.part"
  mv "$YAML/metrics-server.yaml.part" "$YAML/metrics-server.yaml"
  mark "$BUILT/metrics-server" "$key"
}

install_metrics_server() {
  apply -f "$YAML/metrics-server.yaml"
  kubectl -n kube-system rollout status deployment/metrics-server --timeout=180s
  local i
  for ((i = 0; i < 90; i++)); do
    ! kubectl top node "$NODE" || return 0
    sleep 2
  done
  die "metrics-server has no figures of the node: kubectl -n kube-system logs deployment/metrics-server"
}
