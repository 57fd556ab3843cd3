# shellcheck shell=bash
# Takes the cluster down, whatever is left of it: daemons may have been killed, pid files may be missing or stale.
# What belongs to the cluster is known by recorded pid, by the environment that `start` marks daemons with (the
# containerd shims inherit it), and by the cgroup that all pods live in. Names of processes are never looked at.

wipe() {
  local name pid
  for name in "${DAEMONS[@]}"; do
    if alive "$name"; then read -r pid _ <"$RUN/pid/$name"; kill -TERM "$pid" 2>/dev/null || true; fi
  done
  kill_owned
  unmount_all
  network_down
  remove_cgroups
  local address
  for address in "$CONTAINERD"/state/io.containerd.runtime.v2.task/*/*/address; do
    [ ! -f "$address" ] || rm -f "$(sed -n 's#^unix://\(/run/containerd/s/[0-9a-f]*\)$#\1#p' "$address")"
  done
  [ ! -d /var/lib/cni/results ] || { grep -rlF "$RUN/" /var/lib/cni/results || true; } | xargs -r rm -f
  [ ! -d /var/log/containers ] || find /var/log/containers -lname "$RUN/*" -delete
  rm -rf "$RUN"
  : >$OWNER_FILE
}

# claim: stops here if a cluster with another $LAB holds the addresses. The lock file says whose they are.
claim() {
  local owner; owner=$(<$OWNER_FILE)
  [ -z "$owner" ] || [ "$owner" = "$LAB" ] || [ -z "$(owned "$owner")" ] ||
    die "the cluster of LAB=$owner is running; first: LAB=$owner cluster down"
}

owned() { grep -lzxF "TEST_CLUSTER_LAB=$1" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 || true; }
cgroup_dirs() { local d; for d in /sys/fs/cgroup/$CGROUP /sys/fs/cgroup/*/$CGROUP; do [ ! -d "$d" ] || echo "$d"; done; }
cgroup_members() { local d; for d in $(cgroup_dirs); do find "$d" -name cgroup.procs -exec cat {} + 2>/dev/null || true; done | sort -un; }

# The daemons get three seconds after their TERM, pods and shims none: kubelet would have restarted them.
kill_owned() {
  local i pids
  for ((i = 0; i < 100; i++)); do
    pids=$(cgroup_members)
    # shellcheck disable=SC2086
    [ -z "$pids" ] || kill -KILL $pids 2>/dev/null || true
    pids="$(owned "$LAB") $pids"
    [ -n "${pids// /}" ] || return 0
    # shellcheck disable=SC2086
    [ "$i" -lt 15 ] || kill -KILL $pids 2>/dev/null || true
    sleep 0.2
  done
  die "processes of the cluster survive SIGKILL: $pids"
}

mounts() { awk -v dir="$RUN/" 'index($2, dir) == 1 {print $2}' /proc/self/mounts; }

unmount_all() {
  local i m
  for i in 1 2 3; do
    mounts | tac | while read -r m; do umount "$m" 2>/dev/null || umount -l "$m" 2>/dev/null || true; done
    [ -n "$(mounts)" ] || return 0
    sleep 0.5
  done
  die "still mounted: $(mounts)"
}

network_down() {
  local link cmd table rules clean
  for link in $(ip -o link show master $POD_BRIDGE 2>/dev/null | awk '{print $2}' | cut -d@ -f1 | tr -d :); do
    ip link del "$link" 2>/dev/null || true
  done
  for link in $POD_BRIDGE $NODE_BRIDGE; do ! ip link show "$link" >/dev/null 2>&1 || ip link del "$link"; done
  # The chains of kube-proxy, kubelet and the CNI port mapper, and the rules of network_up.
  for cmd in iptables ip6tables; do
    for table in filter nat mangle; do
      rules=$($cmd-save -t $table 2>/dev/null) || continue
      clean=$(grep -vE "KUBE-|CNI-|test-cluster" <<<"$rules") || true
      [ "$rules" = "$clean" ] || $cmd-restore -T $table <<<"$clean"
    done
  done
  ! command -v conntrack >/dev/null || for link in $POD_CIDR $SERVICE_CIDR; do conntrack -D -d $link >/dev/null 2>&1 || true; done
}

remove_cgroups() {
  local d i
  for d in $(cgroup_dirs); do
    for i in 1 2 3 4 5; do find "$d" -depth -type d -exec rmdir {} + 2>/dev/null && break; sleep 0.2; done
  done
}
