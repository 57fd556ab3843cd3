#!/usr/bin/env bash
# Runs the tests of local/ that start a platform, each run in a process of its own, and says how often which failed.
#   RUNS=20         of the packages without Flink
#   FLINK_RUNS=5    of those that run Flink jobs
# Output of runs that failed, and the logs of their platforms, stay in .local/soak. Interrupted, it says what there is so far.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../local"

runs=${RUNS:-20}
flink_runs=${FLINK_RUNS:-5}
out=$(realpath -m ../.local/soak)
rm -rf "$out"
mkdir -p "$out/bin"

# packages PATTERN: with a platform in their tests, whose imports match.
plain=() flink=()
while read -r dir imports; do
  case $imports in
  *local/flink/images* | *local/platform*) flink+=("$dir") ;;
  *local/controlplane*) plain+=("$dir") ;;
  esac
done < <(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}} {{.ImportPath}} {{join .Imports " "}} {{join .TestImports " "}}{{end}}' ./...)

[ "$flink_runs" -gt 0 ] || flink=()
failed=0
declare -A failures seconds
# run PACKAGE-DIRECTORY NUMBER
run() {
  local name=${1##*/local/} log tmp began=$SECONDS
  name=${name//\//-}
  log=$out/$name.$2.log
  tmp=$(mktemp -d) # a short path: sockets are in it
  if (cd "$1" && TMPDIR=$tmp "$out/bin/$name.test" -test.timeout 20m) >"$log" 2>&1; then
    rm "$log"
  else
    failures[$name]=$((${failures[$name]:-0} + 1))
    failed=$((failed + 1))
    mv "$tmp" "$out/$name.$2.platform"
    printf '%s, run %s failed: %s\n' "$name" "$2" "$log"
    grep -E '^ *--- FAIL|^panic:|^fatal error:' "$log" || true
  fi
  rm -rf "$tmp"
  seconds[$name]="${seconds[$name]:-} $((SECONDS - began))"
}

# report is the table, and the end.
report() {
  printf '\n%-24s %5s %9s  %s\n' package runs failures "seconds: least, median, most"
  for name in $(printf '%s\n' "${!seconds[@]}" | sort); do
    mapfile -t sorted < <(tr ' ' '\n' <<<"${seconds[$name]# }" | sort -n)
    printf '%-24s %5s %9s  %s, %s, %s\n' "$name" "${#sorted[@]}" "${failures[$name]:-0}" "${sorted[0]}" "${sorted[$((${#sorted[@]} / 2))]}" "${sorted[-1]}"
  done
  printf '\n%s failures in %s s\n' "$failed" "$SECONDS"
  [ "$failed" = 0 ] && exit "$1" || exit 1
}
trap 'report 130' INT TERM

for dir in "${plain[@]}" "${flink[@]}"; do
  name=${dir##*/local/}
  printf 'compile %s\n' "$name"
  go test -c -o "$out/bin/${name//\//-}.test" "$dir"
done
for ((i = 1; i <= runs; i++)); do
  printf '%5ds  run %s of %s%s\n' "$SECONDS" "$i" "$runs" "$([ "$i" -gt "$flink_runs" ] || echo ", with Flink")"
  for dir in "${plain[@]}"; do run "$dir" "$i"; done
  [ "$i" -gt "$flink_runs" ] || for dir in "${flink[@]}"; do run "$dir" "$i"; done
done
report 0
