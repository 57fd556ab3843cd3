#!/usr/bin/env bash
# Installs the operator in the cluster that KUBECONFIG names, or brings it up to date. Running it again does no harm.
#   OVERLAY=<folder of config/overlays>   another shape of the same: a durable Broker, one namespace
#   SYSTEM=<namespace>                    a second installation, beside that in flink-system; with OVERLAY=tenants
#   WEBHOOK=no                            without the admission webhook, which needs Kourier, Istio, Contour or Gateway API
#   GATEWAY_NAMESPACE=<namespace>         where the gateway of Knative's ingress is, if there is more than one
#   CONSOLE=yes                           with the console, docs/install/console.md; without it an installed one stays
#   GO_ON=1                               install beside resources that are not run yet, see hack/preflight.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# established KIND. kubectl wait cannot ask this: the conditions of a definition that is new are null, which is an error to it.
established() {
  [ "$(kubectl get crd "$1.flink.apache.org" -o jsonpath='{.status.conditions[?(@.type=="Established")].status}' 2>/dev/null)" = True ]
}

install_crds() {
  cat config/crds/*.yaml | apply --force-conflicts || die "could not apply config/crds"
  local kind until=$((SECONDS + 60))
  for kind in "${KINDS[@]}"; do
    until established "$kind"; do
      [ $SECONDS -lt $until ] || die "the API server does not take $kind: kubectl describe crd $kind.flink.apache.org"
      sleep 0.2
    done
  done
}

# find_gateway sets gateway to namespace, selector and TLS port of Knative's gateway, or to nothing where another one or no webhook
# is asked for.
find_gateway() {
  gateway=
  [ "${WEBHOOK:-}" = no ] || [ "${OVERLAY:-}" = istio ] || gateway=$(gateways)
}

# manifests: those of the installation or of an overlay of it, for the gateway that was found.
manifests() {
  local file
  if [ -n "${OVERLAY:-}" ]; then
    kubectl kustomize --load-restrictor LoadRestrictionsNone "config/overlays/$OVERLAY"
  else
    for file in config/knative/*.yaml; do cat "$file"; echo ---; done
  fi | fit_ingress | { cat; [ "${CONSOLE:-}" != yes ] || { echo ---; cat config/console/console.yaml; }; } | named
}

# fit_ingress leaves out what is admit's, its objects have its label, or puts it where the gateway is.
fit_ingress() {
  local namespace selector port
  if [ "${WEBHOOK:-}" = no ]; then
    awk 'function flush() { if (document !~ /\n  labels:[^\n]*(\n    [^\n]*)*app.kubernetes.io\/component: admit/) printf "%s---\n", document; document = "" }
      /^---$/ { flush(); next } { document = document $0 "\n" } END { flush() }'
  elif [ -n "$gateway" ]; then
    read -r namespace selector port <<<"$gateway"
    selector=$(sed 's/\([^,=]*\)=\([^,]*\)/\1: "\2"/g; s/,/, /g' <<<"$selector")
    sed -e "s#kourier-system#$namespace#g" -e "s#selector: {app: 3scale-kourier-gateway}#selector: {$selector}#" \
      -e "s#^\( *\)app: 3scale-kourier-gateway\$#\1{$selector}#" \
      -e "s#targetPort: 8443#targetPort: $port#"
  else
    cat
  fi
}

# A function that was once applied client-side (ko apply): kubectl would hand all its fields over to us, among them an
# annotation of Serving that may never go. Its owners are forgotten instead.
forget_client_side_apply() {
  local name
  for name in $(kubectl -n $SYSTEM get ksvc -o go-template='{{range .items}}{{$name := .metadata.name}}{{with .metadata.annotations}}{{if index . "kubectl.kubernetes.io/last-applied-configuration"}}{{$name}} {{end}}{{end}}{{end}}' 2>/dev/null); do
    kubectl -n $SYSTEM patch ksvc "$name" --type=json -p '[
      {"op": "remove", "path": "/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration"},
      {"op": "replace", "path": "/metadata/managedFields", "value": [{}]}]' >/dev/null
  done
}

install_functions() {
  local platforms resolved
  platforms=$(kubectl get nodes -o jsonpath='{range .items[*]}linux/{.status.nodeInfo.architecture}{"\n"}{end}' | sort -u | paste -sd, -)
  resolved=$(mktemp -d)
  manifests >"$resolved/in.yaml"
  ko resolve --sbom=none --platform="$platforms" -f "$resolved/in.yaml" >"$resolved/out.yaml" 2>"$resolved/log" ||
    { tail -n 20 "$resolved/log" >&2; die "ko could not build or push the functions"; }
  step "apply"
  named <config/knative/000-namespace.yaml | apply --force-conflicts || die "could not make namespace $SYSTEM"
  # The template of a Job cannot be changed, only replaced.
  kubectl -n $SYSTEM delete jobs -l app.kubernetes.io/part-of=kn-flink --ignore-not-found >/dev/null
  forget_client_side_apply
  apply --force-conflicts <"$resolved/out.yaml" || die "could not apply the functions and their events"
  SYSTEM=$SYSTEM hack/prune.sh "$resolved/out.yaml" | sed 's/^/        /' || die "could not remove what is not in this version any more"
  rm -rf "$resolved"
}

# seen KIND: the controllers have looked at the generation that was just applied; until then Ready is about the one before.
seen() {
  local name generation
  while read -r name generation; do
    kubectl -n $SYSTEM wait --for="jsonpath={.status.observedGeneration}=$generation" --timeout=60s "$1/$name" >/dev/null || return 1
  done < <(kubectl -n $SYSTEM get "$1" -o jsonpath='{range .items[*]}{.metadata.name} {.metadata.generation}{"\n"}{end}')
}

# Knative's controller looks once at a Subscription whose channel could not be written, because a webhook was away for
# instance, and not again. A change has it look again.
touch_subscriptions() {
  local name
  for name in $(kubectl -n $SYSTEM get subscriptions.messaging.knative.dev -o go-template='{{range .items}}{{$name := .metadata.name}}{{range .status.conditions}}{{if and (eq .type "Ready") (eq .status "False")}}{{$name}} {{end}}{{end}}{{end}}' 2>/dev/null); do
    kubectl -n $SYSTEM annotate subscriptions.messaging.knative.dev "$name" "flink.apache.org/touched=$(date +%s)" --overwrite >/dev/null
  done
}

# ready KIND: all of them are, within three minutes.
ready() {
  local until=$((SECONDS + 180))
  seen "$1" || return 1
  while [ $SECONDS -lt $until ]; do
    ! kubectl -n $SYSTEM wait --for=condition=Ready --timeout=30s --all "$1" >/dev/null 2>&1 || return 0
    [ "$1" != triggers.eventing.knative.dev ] || touch_subscriptions
  done
  return 1
}

wait_ready() {
  local what
  for what in brokers.eventing.knative.dev services.serving.knative.dev triggers.eventing.knative.dev \
    apiserversources.sources.knative.dev pingsources.sources.knative.dev; do
    ready "$what" || {
      kubectl -n $SYSTEM get "$what" >&2
      kubectl -n $SYSTEM get pods >&2
      die "$what are not Ready; the table above says why"
    }
  done
  if [ -n "$(kubectl -n $SYSTEM get jobs -o name)" ]; then
    kubectl -n $SYSTEM wait --for=condition=Complete --timeout=120s jobs --all >/dev/null ||
      die "the first certificate of the admission webhook was not made: kubectl -n $SYSTEM logs -l app.kubernetes.io/component=admit"
  fi
  if kubectl -n $SYSTEM get domainmappings -o name | grep -q .; then
    kubectl -n $SYSTEM wait --for=condition=Ready --timeout=120s domainmappings --all >/dev/null ||
      die "the admission webhook has no name at the gateway: kubectl -n $SYSTEM describe domainmappings"
  fi
}

# A test sources this file for its functions.
[ "${BASH_SOURCE[0]}" = "$0" ] || return 0

[ -z "${OVERLAY:-}" ] || [ -d "config/overlays/$OVERLAY" ] || die "no overlay config/overlays/$OVERLAY; there are: $(cd config/overlays && echo *)"
hack/preflight.sh || die "see the lines with fail above; docs/install/doctor.md says more"
need_ko
need_repository
find_gateway
step "custom resource definitions"
install_crds
step "build the functions"
install_functions
step "wait until all is Ready"
wait_ready
# Namespace default is for a first job: examples mount a directory of the node.
[ "$SYSTEM" != flink-system ] || OPEN=1 hack/tenant.sh default
step "done"
cat <<T

The operator is installed. It sleeps until something happens: kubectl -n $SYSTEM get pods

  a first job            kubectl apply -f examples/basic.yaml
  watch it               kubectl get flinkdeployments -w
  jobs elsewhere         make tenant NS=<namespace>
  what wakes it          kn source list -n $SYSTEM; kn trigger list -n $SYSTEM
  the settings           kubectl -n $SYSTEM edit configmap flink-operator-config
  take it away again     make undeploy
T
