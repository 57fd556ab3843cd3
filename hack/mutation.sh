#!/usr/bin/env bash
# Mutation tests of the pure packages.
#
#	hack/mutation.sh          all of them
#	hack/mutation.sh <folder> one of them
#	PARTS=7 PART=3            only the lines that belong to the third of seven parts
#	ALSO='./pkg/a ./pkg/b'    the packages whose tests hold it, beside its own; else as below
#
# gremlins changes one condition, operator or jump after the other and runs the tests; what they do not notice survives,
# and is printed as LIVED. docs/mutation.md lists the survivors, and why they may live.
#
# gremlins finds a `go` of ours first, for four things. It mutates what a coverage profile counts, and Go counts no
# conditions of case clauses, where our tables are: here every line of the package counts, and what no test reaches
# survives. A mutant that does not compile is not viable instead of killed. The tests that hold a package are not only
# its own. And nearly all mutants are compiled once, together: see hack/mutants.
set -euo pipefail
cd "$(dirname "$0")/.."

# held FOLDER: the packages whose tests hold it, beside its own.
held() {
	case $1 in
	pkg/plan/job | pkg/plan/cluster) echo ./pkg/plan/deployment ./pkg/plan/sessionjob ;;
	pkg/plan/options | pkg/plan/clusterinfo) echo ./pkg/plan/deployment ;;
	pkg/flinkconf/period) echo ./pkg/autoscaler ./pkg/validation ;;
	pkg/autoscaler/*) echo ./pkg/autoscaler ;;
	esac
}

if [ $# = 0 ]; then
	failed=0
	while read -r folder; do
		"$0" "$folder" || failed=1
	done < <(go list -f '{{.ImportPath}}' ./pkg/plan/... ./pkg/flinkconf/... ./pkg/render/... ./pkg/validation/... \
		./pkg/autoscaler/... |
		sed "s,^$(go list -m)/,,")
	exit $failed
fi

folder=${1#./}
also=${ALSO-$(held "$folder")}
parts=${PARTS:-1}
echo "== $folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
cat >"$work/bin/go" <<'GO'
#!/usr/bin/env bash
# The `go` of gremlins, see hack/mutation.sh.
set -uo pipefail
if [ "${1:-}" != test ]; then
	exec "$MUTATION_GO" "$@"
fi
args=() profile='' last=''
for arg in "$@"; do
	[ "$last" != -coverprofile ] || profile=$arg
	args+=("${arg%/...}")
	last=$arg
done
ulimit -v 8000000 # KiB: a loop that no longer ends must not take the memory of the machine
if [ -z "$profile" ]; then
	last=''
	for arg in "$@"; do
		[ "$last" != -timeout ] || timeout=$arg
		last=$arg
	done
	"$MUTATION_WORK/mutants" -work "$MUTATION_WORK/compiled" -timeout "${timeout:-10m}" \
		test . >"$MUTATION_WORK/output" 2>&1
	code=$?
	if [ "$code" != 3 ]; then
		cat "$MUTATION_WORK/output" >>"$MUTATION_WORK/late"
		exit "$code"
	fi
	cat "$MUTATION_WORK/output" >>"$MUTATION_WORK/single"
fi
if [ -n "$profile" ] && [ -e "$MUTATION_WORK/compiled/table.json" ]; then
	sleep 1 # they were run already; gremlins takes the time for its time-out
	code=0
else
	alone=() # compiled alone, it may be a loop without an end: that is late after two minutes, not after the ten of all tests
	[ ! -e "$MUTATION_WORK/compiled/table.json" ] || alone=(timeout 120)
	# shellcheck disable=SC2086
	"${alone[@]}" "$MUTATION_GO" "${args[@]}" $MUTATION_ALSO >"$MUTATION_WORK/output" 2>&1
	code=$?
	if [ "$code" = 124 ]; then
		echo "mutants: ran out of time" >>"$MUTATION_WORK/late"
		exit 2
	fi
fi
if [ -n "$profile" ]; then
	[ "$code" = 0 ] || cat "$MUTATION_WORK/output"
	echo 'mode: set' >"$profile"
	for file in "$MUTATION_FOLDER"/*.go; do
		awk -v name="$MUTATION_MODULE/$file" -v parts="$MUTATION_PARTS" -v part="$MUTATION_PART" \
			'NR % parts == part % parts { printf "%s:%d.1,%d.1000 1 1\n", name, NR, NR }' "$file" >>"$profile"
	done
elif grep -qE '\[(build|setup) failed\]' "$MUTATION_WORK/output"; then
	code=2 # not viable
fi
exit "$code"
GO
chmod +x "$work/bin/go"

MUTATION_GO=$(command -v go)
MUTATION_MODULE=$(go list -m)
also=${also//.\//$MUTATION_MODULE/} # gremlins runs the tests in the folder of the package
export MUTATION_GO MUTATION_MODULE MUTATION_WORK=$work MUTATION_FOLDER=$folder MUTATION_ALSO=$also
export MUTATION_PARTS=$parts MUTATION_PART=${PART:-0}
go build -o "$work/mutants" ./hack/mutants
mkdir "$work/compiled"
"$work/mutants" -work "$work/compiled" -also "$also" prepare "$folder" || echo "each mutant of $folder is compiled"
GOBIN=$work go install github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0
longest=600 # seconds; hack/mutants has a time-out of its own
[ -e "$work/compiled/table.json" ] || longest=10 # times what the tests took
PATH=$work/bin:$PATH "$work/gremlins" unleash --workers 1 --timeout-coefficient "$longest" --output-statuses ltv \
	--invert-logical --invert-loopctrl --invert-assignments --invert-bitwise --remove-self-assignments "./$folder"
[ ! -s "$work/late" ] || echo "$(wc -l <"$work/late") ran out of time, and are in no rate"
[ ! -s "$work/single" ] || echo "$(wc -l <"$work/single") were compiled one by one"
