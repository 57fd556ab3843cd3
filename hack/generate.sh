#!/usr/bin/env bash
# Writes the generated files again, as the go:generate lines in the tree say.
#   --check   changes nothing: generates in a copy of the tree and fails if that differs
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# The pages are written from the CRDs, so those come first.
generate() { go generate ./pkg/... && go generate ./hack/... && (cd hack/chart && go generate ./...); }

case ${1:-} in
'') generate ;;
--check)
  copy=$(mktemp -d)
  trap 'rm -rf "$copy"' EXIT
  git ls-files -z | xargs -0 cp --parents --no-dereference -t "$copy"
  (cd "$copy" && generate)
  stale=$(cd "$copy" && find . -type f -printf '%P\n' | sort | while read -r file; do
    cmp -s "$file" "$OLDPWD/$file" || echo "  $file"
  done)
  [ -z "$stale" ] || die "not up to date, run make generate and commit:
$stale"
  ;;
*) die "usage: hack/generate.sh [--check]" ;;
esac
