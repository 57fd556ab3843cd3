# shellcheck shell=bash disable=SC2164
# The network, the control plane, the runtime, kubelet, kube-proxy and the cluster's DNS. Pods live in network
# namespaces behind the bridge cni0; the node's address is on a bridge of its own; nothing leaves the machine.

network_up() {
  echo "$LAB" >$OWNER_FILE
  modprobe -a overlay br_netfilter 2>/dev/null || true
  sysctl -qw net.ipv4.ip_forward=1
  sysctl -qw net.bridge.bridge-nf-call-iptables=1 || true
  sysctl -qw fs.inotify.max_user_instances=8192 fs.inotify.max_user_watches=1048576 || true
  ip link add $NODE_BRIDGE type bridge; ip addr add $NODE_IP/24 dev $NODE_BRIDGE; ip link set $NODE_BRIDGE up
  ip link add $POD_BRIDGE type bridge; ip addr add $POD_GATEWAY/16 dev $POD_BRIDGE; ip link set $POD_BRIDGE up
  ip route replace $SERVICE_CIDR dev $POD_BRIDGE src $NODE_IP
  # Pods are forwarded to pods only, and a service without a rule yet does not take the default route.
  local rule=(-m comment --comment test-cluster -j REJECT)
  iptables -I FORWARD -s $POD_CIDR ! -o $POD_BRIDGE "${rule[@]}"
  iptables -I OUTPUT -d $SERVICE_CIDR ! -o $POD_BRIDGE "${rule[@]}"
  mkdir -p "$RUN/cni/net.d"
  cat >"$RUN/cni/net.d/10-lab.conflist" <<J
{"cniVersion": "0.4.0", "name": "lab", "plugins": [
  {"type": "bridge", "bridge": "$POD_BRIDGE", "isGateway": true, "ipMasq": false, "hairpinMode": true,
   "ipam": {"type": "host-local", "dataDir": "$RUN/cni/ipam", "routes": [{"dst": "0.0.0.0/0"}],
            "ranges": [[{"subnet": "$POD_CIDR", "gateway": "$POD_GATEWAY"}]]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
J
}

pki() {
  cached "$PKI/built" "$NODE_IP $API_SERVICE_IP" && return
  rm -rf "$PKI"; mkdir -p "$PKI"; cd "$PKI"
  local ca days=3650 alt n
  for ca in ca front-ca; do openssl req -x509 -newkey rsa:2048 -nodes -days $days -subj "/CN=test-cluster-$ca" -keyout $ca.key -out $ca.crt; done
  openssl genrsa -out sa.key 2048; openssl rsa -in sa.key -pubout -out sa.pub
  sign() { # NAME SUBJECT CA EXTENSIONS
    openssl req -newkey rsa:2048 -nodes -subj "$2" -keyout "$1.key" -out "$1.csr"
    openssl x509 -req -in "$1.csr" -CA "$3.crt" -CAkey "$3.key" -CAcreateserial -days $days -out "$1.crt" -extfile <(printf '%s\n' "$4")
  }
  alt=DNS:kubernetes; for n in default svc cluster local; do alt+=",DNS:${alt##*DNS:}.$n"; done
  sign apiserver /CN=kube-apiserver ca "subjectAltName=$alt,DNS:localhost,IP:127.0.0.1,IP:$API_SERVICE_IP,IP:$NODE_IP
extendedKeyUsage=serverAuth"
  local client="extendedKeyUsage=clientAuth"
  sign admin /O=system:masters/CN=admin ca "$client"
  sign apiserver-kubelet /O=system:masters/CN=apiserver-kubelet ca "$client"
  sign kube-controller-manager /CN=system:kube-controller-manager ca "$client"
  sign kube-scheduler /CN=system:kube-scheduler ca "$client"
  sign kube-proxy /CN=system:kube-proxy ca "$client"
  sign kubelet "/O=system:nodes/CN=system:node:$NODE" ca "extendedKeyUsage=clientAuth,serverAuth
subjectAltName=DNS:$NODE,IP:$NODE_IP"
  sign front /CN=front-proxy-client front-ca "$client"
  mark "$PKI/built" "$NODE_IP $API_SERVICE_IP"
}

kubeconfig() { # NAME
  cat >"$RUN/$1.kubeconfig" <<Y
apiVersion: v1
kind: Config
clusters: [{name: lab, cluster: {server: "https://$NODE_IP:6443", certificate-authority-data: $(base64 -w0 "$PKI/ca.crt")}}]
users: [{name: $1, user: {client-certificate-data: $(base64 -w0 "$PKI/$1.crt"), client-key-data: $(base64 -w0 "$PKI/$1.key")}}]
contexts: [{name: lab, context: {cluster: lab, user: $1}}]
current-context: lab
Y
  chmod 600 "$RUN/$1.kubeconfig"
}

# Every request of the operator's own functions, one line each without bodies: the end-to-end tests count them.
audit_policy() {
  cat >"$RUN/audit.yaml" <<Y
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: Metadata, userGroups: ["system:serviceaccounts:flink-system"]}
- {level: None}
Y
}

control_plane_up() {
  local n
  pki
  audit_policy
  for n in admin kube-controller-manager kube-scheduler kube-proxy kubelet; do kubeconfig $n; done
  start etcd "$BIN/etcd" --data-dir "$RUN/etcd" --unsafe-no-fsync --quota-backend-bytes 4294967296 \
    --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 --listen-peer-urls http://127.0.0.1:2380
  start kube-apiserver "$BIN/kube-apiserver" --etcd-servers=http://127.0.0.1:2379 --advertise-address=$NODE_IP \
    --bind-address=$NODE_IP --secure-port=6443 --service-cluster-ip-range=$SERVICE_CIDR --allow-privileged=true \
    --client-ca-file="$PKI/ca.crt" --tls-cert-file="$PKI/apiserver.crt" --tls-private-key-file="$PKI/apiserver.key" \
    --service-account-key-file="$PKI/sa.pub" --service-account-signing-key-file="$PKI/sa.key" \
    --service-account-issuer=https://kubernetes.default.svc.cluster.local \
    --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction \
    --kubelet-client-certificate="$PKI/apiserver-kubelet.crt" --kubelet-client-key="$PKI/apiserver-kubelet.key" \
    --kubelet-certificate-authority="$PKI/ca.crt" --kubelet-preferred-address-types=InternalIP \
    --audit-policy-file="$RUN/audit.yaml" --audit-log-path="$AUDIT_LOG" --audit-log-maxsize=200 --audit-log-maxbackup=1 \
    --requestheader-client-ca-file="$PKI/front-ca.crt" --requestheader-allowed-names=front-proxy-client \
    --requestheader-extra-headers-prefix=X-Remote-Extra- --requestheader-group-headers=X-Remote-Group \
    --requestheader-username-headers=X-Remote-User --proxy-client-cert-file="$PKI/front.crt" --proxy-client-key-file="$PKI/front.key"
  containerd_start
  await 90 "API server" kube-apiserver kubectl --request-timeout=2s get --raw /readyz
  n=$RUN/kube-controller-manager.kubeconfig
  start kube-controller-manager "$BIN/kube-controller-manager" --kubeconfig="$n" --authentication-kubeconfig="$n" \
    --authorization-kubeconfig="$n" --root-ca-file="$PKI/ca.crt" --service-account-private-key-file="$PKI/sa.key" \
    --use-service-account-credentials=true --cluster-signing-cert-file="$PKI/ca.crt" --cluster-signing-key-file="$PKI/ca.key" --leader-elect=false
  n=$RUN/kube-scheduler.kubeconfig
  start kube-scheduler "$BIN/kube-scheduler" --kubeconfig="$n" --authentication-kubeconfig="$n" --authorization-kubeconfig="$n" --leader-elect=false
}

# Everything containerd keeps is under $CONTAINERD. Every image, whatever registry its name says, comes from the
# local one: flink:1.20 is library/flink:1.20 there.
containerd_start() {
  local host
  for host in "$REGISTRY" _default; do # the server line alone is not honoured for docker.io
    mkdir -p "$CONTAINERD/certs.d/$host"
    printf 'server = "http://%s"\n[host."http://%s"]\n  capabilities = ["pull", "resolve"]\n' "$REGISTRY" "$REGISTRY" \
      >"$CONTAINERD/certs.d/$host/hosts.toml"
  done
  cat >"$CONTAINERD/config.toml" <<T
version = 2
root = "$CONTAINERD/root"
state = "$CONTAINERD/state"
[grpc]
  address = "$CONTAINERD/containerd.sock"
[plugins."io.containerd.internal.v1.opt"]
  path = "$CONTAINERD/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "$REGISTRY/pause:1"
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$RUN/cni/net.d"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "$CONTAINERD/certs.d"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      Root = "$RUN/runc"
T
  start containerd containerd -c "$CONTAINERD/config.toml"
}

# kubelet asks for the root of its pods' cgroups to exist, on cgroup v1 in every hierarchy.
make_cgroups() {
  local d
  if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
    echo "+cpu +cpuset +memory +pids" >/sys/fs/cgroup/cgroup.subtree_control
    mkdir -p /sys/fs/cgroup/$CGROUP
  else
    for d in /sys/fs/cgroup/*/; do
      [ ! -f "$d/cgroup.procs" ] || mkdir -p "$d$CGROUP"
      [ ! -f "$d/cpuset.cpus" ] || { cat "$d/cpuset.cpus" >"$d$CGROUP/cpuset.cpus"; cat "$d/cpuset.mems" >"$d$CGROUP/cpuset.mems"; }
    done
  fi
}

node_up() {
  await 30 "containerd" containerd ctr -a "$CONTAINERD/containerd.sock" version
  make_cgroups
  # Names outside the cluster do not resolve in pods.
  echo "nameserver 127.0.0.1" >"$RUN/resolv.conf"
  cat >"$RUN/kubelet.yaml" <<Y
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: $NODE_IP
failCgroupV1: false
cgroupDriver: cgroupfs
cgroupRoot: /$CGROUP
containerRuntimeEndpoint: unix://$CONTAINERD/containerd.sock
podLogsDir: $RUN/pods
clusterDNS: [$CLUSTER_DNS]
clusterDomain: cluster.local
resolvConf: $RUN/resolv.conf
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $PKI/ca.crt}}
authorization: {mode: Webhook}
tlsCertFile: $PKI/kubelet.crt
tlsPrivateKeyFile: $PKI/kubelet.key
failSwapOn: false
maxPods: 200
enforceNodeAllocatable: [none]
localStorageCapacityIsolation: true
evictionHard: {memory.available: 200Mi, nodefs.available: "1%", imagefs.available: "1%"}
imageGCHighThresholdPercent: 100
serializeImagePulls: false
shutdownGracePeriod: 0s
Y
  start kubelet "$BIN/kubelet" --config="$RUN/kubelet.yaml" --kubeconfig="$RUN/kubelet.kubeconfig" --hostname-override=$NODE \
    --node-ip=$NODE_IP --root-dir="$RUN/kubelet"
  start kube-proxy "$BIN/kube-proxy" --kubeconfig="$RUN/kube-proxy.kubeconfig" --proxy-mode=iptables --cluster-cidr=$POD_CIDR \
    --hostname-override=$NODE --conntrack-max-per-core=0 --conntrack-tcp-timeout-established=0 --conntrack-tcp-timeout-close-wait=0
  await 60 "node object" kubelet kubectl get node $NODE
}

# CoreDNS runs on the node and not in a pod; a service without a selector leads to it.
dns_up() {
  cat >"$RUN/Corefile" <<C
.:53 {
    bind $NODE_IP
    errors
    kubernetes cluster.local in-addr.arpa {
        kubeconfig $KUBECONFIG
        ttl 5
    }
    cache 5
}
C
  start coredns "$BIN/coredns" -conf "$RUN/Corefile"
  kubectl apply -f - <<Y
apiVersion: v1
kind: Service
metadata: {name: kube-dns, namespace: kube-system}
spec: {clusterIP: $CLUSTER_DNS, ports: [{name: dns, port: 53, protocol: UDP}, {name: dns-tcp, port: 53, protocol: TCP}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: kube-dns-1, namespace: kube-system, labels: {kubernetes.io/service-name: kube-dns}}
addressType: IPv4
ports: [{name: dns, port: 53, protocol: UDP}, {name: dns-tcp, port: 53, protocol: TCP}]
endpoints: [{addresses: ["$NODE_IP"], conditions: {ready: true}}]
Y
}
