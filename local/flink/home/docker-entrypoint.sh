#!/bin/bash
# What the official image's entrypoint does, for the modes that pods are started in.

# Plugins of opt that are asked for. A container has no plugins directory of its own: it gets one, of links.
if [ -n "${ENABLE_BUILT_IN_PLUGINS:-}" ]; then
  export FLINK_PLUGINS_DIR=$TMPDIR/plugins
  mkdir -p "$FLINK_PLUGINS_DIR"
  ln -sfn "$FLINK_HOME"/plugins/* "$FLINK_PLUGINS_DIR"
  for plugin in ${ENABLE_BUILT_IN_PLUGINS//;/ }; do
    if [ ! -e "$FLINK_HOME/opt/$plugin" ]; then
      echo "Plugin $plugin does not exist. Exiting." >&2
      exit 1
    fi
    mkdir -p "$FLINK_PLUGINS_DIR/${plugin%.jar}"
    ln -sf "$FLINK_HOME/opt/$plugin" "$FLINK_PLUGINS_DIR/${plugin%.jar}"
  done
fi

case $1 in
jobmanager | taskmanager | standalone-job)
  role=$1
  shift
  exec "$role.sh" start-foreground "$@"
  ;;
*) exec "$@" ;;
esac
