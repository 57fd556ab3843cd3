#!/bin/bash
# What the official image's entrypoint does, for the modes that pods are started in.
case $1 in
jobmanager | taskmanager | standalone-job)
  role=$1
  shift
  exec "$role.sh" start-foreground "$@"
  ;;
*) exec "$@" ;;
esac
