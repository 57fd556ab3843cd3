#!/usr/bin/env bash
# What `make run` does before Go can do it: look for Go, build the program that does the rest, and become it.
#   KEEP=1   go on with what the last run left, where there is something
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../local"

need=$(sed -n 's/^go //p' go.mod)
found=$(command -v go >/dev/null && GOTOOLCHAIN=local go env GOVERSION 2>/dev/null || true)
found=${found#go}
# Go 1.21 and later fetch the version that go.mod asks for by themselves.
if [ -z "$found" ] || [ "$(printf '1.21\n%s\n' "$found" | sort -V | head -n 1)" != 1.21 ]; then
  printf 'make run: Go %s or later is needed%s. See https://go.dev/doc/install\n' "${need%.*}" "${found:+, and this is $found}" >&2
  exit 1
fi
mkdir -p ../.local/bin
[ -x ../.local/bin/run ] || echo "make run: the first start compiles and downloads for some minutes, and says how far it is"
go build -buildvcs=false -o ../.local/bin/run ./cmd/run
exec ../.local/bin/run
