# shellcheck shell=bash disable=SC2034
# Versions, places, and the small helpers that every step uses.

K8S_VERSION=1.35.4
ETCD_VERSION=3.6.5
COREDNS_VERSION=1.15.0
CRANE_VERSION=0.22.1
KO_VERSION=0.19.1
REGISTRY_VERSION=3.0.0
KNATIVE_VERSION=0.50.0
KOURIER_VERSION=0.48.0
ENVOY_VERSION=1.40.0
METRICS_SERVER_VERSION=0.8.0
FLINK_VERSIONS=(1.20.5 2.2.1)

# Where everything lives: $LAB, or the place of the cluster that this machine runs already, or a place of its own.
OWNER_FILE=/run/lock/test-cluster
LAB=${LAB:-$(cat $OWNER_FILE 2>/dev/null || true)}
LAB=$(realpath -ms "${LAB:-${TMPDIR:-/tmp}/lab}")
case $LAB in *[[:space:]\"\']*|/) echo "cluster: LAB must be a plain directory name, not '$LAB'" >&2; exit 2;; esac
BIN=$LAB/bin SRC=$LAB/src YAML=$LAB/yaml PKI=$LAB/pki RUN=$LAB/run LOG=$LAB/run/log BUILT=$LAB/registry/built
AUDIT_LOG=$LOG/audit.log
CONTAINERD=$RUN/containerd
KUBECONFIG=$RUN/admin.kubeconfig
REGISTRY=127.0.0.1:5000
NODE=lab NODE_IP=10.243.0.1 NODE_BRIDGE=lab0
POD_CIDR=10.244.0.0/16 POD_GATEWAY=10.244.0.1 POD_BRIDGE=cni0
SERVICE_CIDR=10.96.0.0/16 API_SERVICE_IP=10.96.0.1 CLUSTER_DNS=10.96.0.10
CGROUP=test-cluster
PATH=$BIN:$PATH:/usr/sbin:/sbin
KO_DOCKER_REPO=$REGISTRY KO_DEFAULTBASEIMAGE=$REGISTRY/base:latest GOWORK=off GOFLAGS=
export KUBECONFIG PATH KO_DOCKER_REPO KO_DEFAULTBASEIMAGE GOWORK GOFLAGS

say() { printf '%s cluster: %s\n' "$(date +%T)" "$*"; }
die() { echo "cluster: $*" >&2; exit 1; }
need_root() { [ "$(id -u)" = 0 ] || die "this needs root"; }

# One cluster at a time: the addresses, bridges and ports are fixed, so the lock is the machine's and not $LAB's.
lock() {
  mkdir -p /run/lock
  exec 9>>$OWNER_FILE
  flock -w 1800 9 || die "another 'cluster' command holds $OWNER_FILE"
  claim
}

# step TITLE FUNCTION: runs it with its output in a log; prints the title and the seconds it took.
step() {
  local title=$1 fn=$2 log="$LAB/log/$2.log" started=$SECONDS rc=0
  mkdir -p "$LAB/log"
  printf '%s cluster: %-30s' "$(date +%T)" "$title"
  # A subshell outside any condition: inside one, set -e would be off in the step.
  set +e
  (set -eE; trap 'echo "failed: $BASH_COMMAND (${BASH_SOURCE[0]##*/}:$LINENO)"' ERR; "$fn") >"$log" 2>&1 </dev/null
  rc=$?
  set -e
  if [ "$rc" = 0 ]; then printf '%4ds\n' $((SECONDS - started)); return; fi
  printf ' FAILED after %ds\n' $((SECONDS - started))
  tail -n 25 "$log" >&2
  die "'$title' failed; whole log: $log; daemons: $LOG; 'cluster up' again starts over"
}

# cached KEYFILE KEY [FILE...]: whether KEYFILE holds KEY and the files it stands for exist.
cached() {
  local keyfile=$1 key=$2 f; shift 2
  [ -f "$keyfile" ] && [ "$(<"$keyfile")" = "$key" ] || return 1
  for f; do [ -e "$f" ] || return 1; done
}
mark() { mkdir -p "$(dirname "$1")"; printf '%s' "$2" >"$1.part"; mv "$1.part" "$1"; }

# The 22nd field of /proc/PID/stat, which tells a process from a later one with the same pid.
birth() {
  local stat
  { stat=$(<"/proc/$1/stat"); } 2>/dev/null || return 1
  # shellcheck disable=SC2086
  set -- ${stat##*) }
  [ "$1" != Z ] || return 1
  echo "${20}"
}

# start NAME COMMAND...: a daemon that outlives this script, recorded in $RUN/pid/NAME as "pid birth" and marked in
# its environment.
start() {
  local name=$1; shift
  ! alive "$name" || return 0
  rm -f "$RUN/pid/$name"
  # shellcheck disable=SC2016
  TEST_CLUSTER_LAB=$LAB setsid bash -c 'f=$0; s=$(</proc/$$/stat); set -- "${s##*) }" "$@"; n=($1); shift
    echo "$$ ${n[19]}" >"$f.part"; mv "$f.part" "$f"; exec "$@"' \
    "$RUN/pid/$name" "$@" </dev/null >"$LOG/$name.log" 2>&1 9>&- &
  local i
  for ((i = 0; i < 100; i++)); do [ -f "$RUN/pid/$name" ] && return; sleep 0.05; done
  die "$name did not start"
}
alive() {
  local pid born
  read -r pid born 2>/dev/null <"$RUN/pid/$1" && [ "$(birth "$pid")" = "$born" ]
}

# await SECONDS WHAT DAEMON COMMAND...: until COMMAND succeeds; fails at once if the DAEMON has died.
await() {
  local deadline=$((SECONDS + $1)) what=$2 daemon=$3; shift 3
  until "$@" >/dev/null 2>&1; do
    if ! alive "$daemon"; then tail -n 15 "$LOG/$daemon.log" >&2; die "$daemon died while waiting for $what"; fi
    if ((SECONDS >= deadline)); then tail -n 15 "$LOG/$daemon.log" >&2; die "no $what in time"; fi
    sleep 0.3
  done
}

DAEMONS=(registry etcd kube-apiserver kube-controller-manager kube-scheduler containerd kubelet kube-proxy coredns)
NAMESPACES=(knative-serving knative-eventing kourier-system)

# healthy: prints what is wrong; succeeds if nothing is.
healthy() {
  local bad=0 d out
  for d in "${DAEMONS[@]}"; do alive "$d" || { echo "not running: $d"; bad=1; }; done
  [ "$bad" = 0 ] || return 1
  [ -f "$RUN/ready" ] || { echo "never became Ready"; return 1; }
  curl -fsS -m 2 "http://$REGISTRY/v2/" >/dev/null 2>&1 || { echo "registry does not answer"; bad=1; }
  out=$(kubectl --request-timeout=3s get --raw /readyz 2>&1) || { echo "API server: $out"; return 1; }
  out=$(kubectl --request-timeout=3s get node "$NODE" -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}' 2>&1) || true
  [ "$out" = True ] || { echo "node not Ready: $out"; bad=1; }
  for d in "${NAMESPACES[@]}"; do
    out=$(kubectl --request-timeout=3s -n "$d" get deployments -o jsonpath='{range .items[*]}{.metadata.name}={.status.conditions[?(@.type=="Available")].status} {end}' 2>&1) || true
    [ -n "$out" ] || { echo "$d: no deployments"; bad=1; }
    local w; for w in $out; do [ "${w#*=}" = True ] || { echo "$d: not available: ${w%=*}"; bad=1; }; done
  done
  return "$bad"
}

status() {
  local d pid born rc=0
  for d in "${DAEMONS[@]}"; do
    if alive "$d"; then read -r pid born <"$RUN/pid/$d"; printf '%-26s running, pid %s\n' "$d" "$pid"; else printf '%-26s not running\n' "$d"; fi
  done
  if healthy; then echo "cluster: healthy"; else rc=1; echo "cluster: not healthy"; fi
  return "$rc"
}

print_env() {
  printf 'export KUBECONFIG=%q\nexport PATH=%q:"$PATH"\nexport KO_DOCKER_REPO=%q\nexport KO_DEFAULTBASEIMAGE=%q\nexport CLUSTER_DNS=%q\nexport AUDIT_LOG=%q\n' \
    "$KUBECONFIG" "$BIN" "$KO_DOCKER_REPO" "$KO_DEFAULTBASEIMAGE" "$CLUSTER_DNS" "$AUDIT_LOG"
}
write_env() { print_env >"$LAB/env.part"; mv "$LAB/env.part" "$LAB/env"; }
