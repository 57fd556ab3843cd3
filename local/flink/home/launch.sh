#!/bin/bash
# Starts a Flink process as a process of this machine. Installed under each name of the official image's launch scripts.
# The node says: FLINK_HOME, FLINK_CONF_DIR, FLINK_LOG_DIR, JAVA_HOME, LOCAL_POD_ADDRESS, LOCAL_HOSTS_FILE.
set -u
export FLINK_BIN_DIR=$FLINK_HOME/bin FLINK_LIB_DIR=$FLINK_HOME/lib FLINK_PLUGINS_DIR=${FLINK_PLUGINS_DIR:-$FLINK_HOME/plugins}
# Flink looks for flink-python in this directory, and follows no link to it.
FLINK_OPT_DIR=$(cd "$FLINK_HOME/opt" && pwd -P)
export FLINK_OPT_DIR
# Flink looks for the TaskManagers' pod template below its working directory (see patch.jar).
cd "$FLINK_HOME" || exit 1

class_path=$FLINK_HOME/patch.jar
for jar in "$FLINK_HOME"/lib/*.jar; do class_path+=:$jar; done
java=$JAVA_HOME/bin/java

# What Flink opens of Java 17, in versions whose configuration does not say.
opens=()
for package in lang net io nio lang.reflect text time util util.concurrent util.concurrent.atomic util.concurrent.locks; do
  opens+=("--add-opens=java.base/java.$package=ALL-UNNAMED")
done
opens+=(--add-opens=java.base/sun.nio.ch=ALL-UNNAMED --add-exports=java.base/sun.net.util=ALL-UNNAMED
  --add-exports=java.rmi/sun.rmi.registry=ALL-UNNAMED --add-exports=java.security.jgss/sun.security.krb5=ALL-UNNAMED)

# ask COMMAND ARGUMENT...: Flink's own tool for launch scripts; prints its result lines, or all it said if there are none.
ask() {
  local said
  said=$("$java" -Xmx128m -Xshare:auto -XX:TieredStopAtLevel=1 -XX:+UseSerialGC "${opens[@]}" -cp "$FLINK_HOME/bin/bash-java-utils.jar:$class_path" \
    org.apache.flink.runtime.util.bash.BashJavaUtils "$1" --configDir "$FLINK_CONF_DIR" "${@:2}" 2>&1)
  if [[ $said == *BASH_JAVA_UTILS_EXEC_RESULT:* ]]; then
    sed -n 's/^BASH_JAVA_UTILS_EXEC_RESULT://p' <<<"$said"
  else
    printf '%s\n' "$said" >&2
  fi
}

# memory COMMAND ARGUMENT...: the JVM's flags, and the configuration that says the same to Flink.
memory() {
  local lines
  mapfile -t lines < <(ask "$@")
  if [ "${#lines[@]}" -lt 2 ]; then
    echo "Flink finds no memory sizes in its configuration" >&2
    exit 1
  fi
  read -ra flags <<<"${lines[0]}"
  read -ra sizes <<<"${lines[1]}"
}

# java_options ROLE: what env.java.* says.
java_options() {
  local settings key value words
  if [ -f "$FLINK_CONF_DIR/flink-conf.yaml" ]; then
    settings=$(<"$FLINK_CONF_DIR/flink-conf.yaml")
  elif grep -q java "$FLINK_CONF_DIR/config.yaml"; then
    settings=$(ask UPDATE_AND_GET_FLINK_CONFIGURATION -flatten)
  else
    return
  fi
  for key in default-opts.all opts.all opts "default-opts.$1" "opts.$1"; do
    value=$(sed -n "s/^env\.java\.$key: *//p" <<<"$settings" | tail -n 1)
    value=${value#[\"\']} value=${value%[\"\']}
    read -ra words <<<"$value"
    options+=("${words[@]}")
  done
}

# run CLASS ARGUMENT...
run() {
  exec "$java" "${flags[@]}" "${opens[@]}" "${options[@]}" -XX:+IgnoreUnrecognizedVMOptions \
    "-Djdk.net.hosts.file=$LOCAL_HOSTS_FILE" "-Djava.io.tmpdir=$TMPDIR" "-Dlog.file=$FLINK_LOG_DIR/flink.log" \
    "-Dlog4j.configuration=file:$FLINK_CONF_DIR/log4j-console.properties" \
    "-Dlog4j.configurationFile=file:$FLINK_CONF_DIR/log4j-console.properties" \
    "-Dlogback.configurationFile=file:$FLINK_CONF_DIR/logback-console.xml" \
    -classpath "$class_path" "$@"
}

flags=() sizes=() options=()
# Every pod listens at its own address, not at all of this machine's.
jobmanager=("-Djobmanager.bind-host=$LOCAL_POD_ADDRESS" "-Drest.bind-address=$LOCAL_POD_ADDRESS" "-Duser.artifacts.base-dir=$FLINK_HOME/artifacts")
# Where a JobManager looks which log configuration its TaskManagers can have; the default is the path in a pod.
jobmanager+=("-D\$internal.deployment.config-dir=$FLINK_CONF_DIR")
# A job asks for its ResourceManager a moment before that is there, and then rests for ten seconds.
grep -qs error-delay "$FLINK_CONF_DIR"/{flink-conf,config}.yaml || jobmanager+=(-Dcluster.registration.error-delay=500)
taskmanager=("-Dtaskmanager.bind-host=$LOCAL_POD_ADDRESS" "-Dtaskmanager.host=$LOCAL_POD_ADDRESS")
entrypoint=org.apache.flink.kubernetes.entrypoint.Kubernetes

role=$(basename "$0" .sh)
case $role in
kubernetes-jobmanager)
  target=${1#kubernetes-}
  shift
  case $target in
  application) class=${entrypoint}ApplicationClusterEntrypoint ;;
  session) class=${entrypoint}SessionClusterEntrypoint ;;
  *)
    echo "unknown kind of cluster: $target" >&2
    exit 1
    ;;
  esac
  memory GET_JM_RESOURCE_PARAMS "$@"
  java_options jobmanager
  # These classes take the directory from FLINK_CONF_DIR, and no notice of what follows an option that they do not know.
  run "$class" "${sizes[@]}" "${jobmanager[@]}" "$@"
  ;;
kubernetes-taskmanager)
  read -ra flags <<<"${FLINK_TM_JVM_MEM_OPTS:-}"
  java_options taskmanager
  run org.apache.flink.kubernetes.taskmanager.KubernetesTaskExecutorRunner --configDir "$FLINK_CONF_DIR" "${taskmanager[@]}" "$@"
  ;;
standalone-job | jobmanager)
  shift # start-foreground
  class=org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint
  [ "$role" = jobmanager ] || class=org.apache.flink.container.entrypoint.StandaloneApplicationClusterEntryPoint
  memory GET_JM_RESOURCE_PARAMS "$@"
  java_options jobmanager
  run "$class" --configDir "$FLINK_CONF_DIR" "${sizes[@]}" "${jobmanager[@]}" "$@"
  ;;
taskmanager)
  shift # start-foreground
  memory GET_TM_RESOURCE_PARAMS "$@"
  java_options taskmanager
  run org.apache.flink.runtime.taskexecutor.TaskManagerRunner --configDir "$FLINK_CONF_DIR" "${sizes[@]}" "${taskmanager[@]}" "$@"
  ;;
esac
