package arch

import (
	"fmt"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// methodLimit is how many methods a type that takes part in decisions may have, so that a reader can hold one type in
// the head. It counts the method set: what a type gets by embedding counts as its own, and so does what it gets under
// another name.
const methodLimit = 30

// methodSets are the sizes of the method sets of the types of packages, by package and name: those of a pointer to the
// type, or of an interface.
func methodSets(t *testing.T, dir string, patterns ...string) map[string]int {
	t.Helper()
	const mode = packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps |
		packages.NeedExportFile
	loaded, err := packages.Load(&packages.Config{Dir: dir, Mode: mode}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	sets := map[string]int{}
	for _, p := range loaded {
		for _, e := range p.Errors {
			t.Fatal(e)
		}
		for _, name := range p.Types.Scope().Names() {
			declared, is := p.Types.Scope().Lookup(name).(*types.TypeName)
			if !is || declared.IsAlias() {
				continue
			}
			set := types.NewMethodSet(types.NewPointer(declared.Type()))
			if types.IsInterface(declared.Type()) {
				set = types.NewMethodSet(declared.Type())
			}
			sets[strings.TrimPrefix(p.PkgPath, module)+"."+name] = set.Len()
		}
	}
	return sets
}

func TestMethodSetsOfDecisionsAreSmall(t *testing.T) {
	sets := methodSets(t, filepath.Join("..", ".."), "./pkg/plan/...", "./pkg/engine/...", "./pkg/host/...")
	var found []finding
	for name, n := range sets {
		room, _, _ := strings.Cut(name, ".")
		if n > methodLimit && !strings.HasSuffix(room, "test") { // a world of tests takes no part
			found = append(found, finding{"methods", name, fmt.Sprintf("has %d methods, the limit is %d", n, methodLimit)})
		}
	}
	report(t, found, "methods")
	if sets["pkg/engine/world.Look"] == 0 || sets["pkg/engine/world.Host"] == 0 {
		t.Errorf("the methods of the engine are not counted any more: %v", sets)
	}
}
