# shellcheck shell=bash disable=SC2034
# What the operator needs: the one place of these numbers. The scripts, the Helm chart and the pages read or repeat them, and
# test/manifests compares.

# The oldest Kubernetes 1.N: selectable fields of custom resources are generally available from then on.
KUBERNETES_FLOOR=32
# The Knative that is tested, the oldest that is supported, which is two minor versions before, and the oldest Kubernetes 1.N
# that the tested one takes.
KNATIVE_TESTED=1.23
KNATIVE_OLDEST=1.21
KNATIVE_FLOOR=34
