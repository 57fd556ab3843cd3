package arch

import (
	"go/ast"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// makers are the functions that make what a decision works on, and how many calls of each stand in which function of
// the product. A look at a resource is one inquiry: gather opens it, asks it what else to look at, and whoever gathers
// gets the plan of it. So nothing on the way of a look makes another one. Make and those below Failed decide anew,
// about a resource as a round that failed left it.
var makers = map[string]map[string]int{
	"pkg/engine/world.New":               {"pkg/host/cluster.New": 1, "pkg/host/session.New": 1},
	"pkg/host/cluster.New":               {"pkg/host/cluster/startup.WithSteps": 1, "pkg/host/session.clusterOf": 1},
	"pkg/host/cluster/startup.WithSteps": {"pkg/host/deployment.Open": 1},
	"pkg/host/session.New":               {"pkg/host/sessionjob.Open": 1},
	"pkg/host/deployment.Open": {
		"pkg/gather.open": 1, "pkg/host/deployment.Make": 1, "pkg/host/deployment.Failed": 1,
		"pkg/host/deployment.rehearsed": 1, "pkg/host/deployment.goneBack": 1, "pkg/host/deployment.ingressFailed": 1,
	},
	"pkg/host/sessionjob.Open": {
		"pkg/gather.SessionJobOf": 1, "pkg/host/sessionjob.Make": 1, "pkg/host/sessionjob.Failed": 1,
		"pkg/host/sessionjob.submissionFailed": 1,
	},
	"pkg/host/deployment.Make":  {"pkg/host/deployment.Failed": 1, "pkg/host/deployment.rehearsed": 1},
	"pkg/host/sessionjob.Make":  {"pkg/host/sessionjob.Failed": 1},
	"pkg/validation.Deployment": {"pkg/host/deployment.accept": 1, "pkg/admission.deployment": 1},
	"pkg/validation.SessionJob": {"pkg/host/sessionjob.accept": 1, "pkg/admission.sessionJob": 1},
}

func TestALookIsBuiltOnce(t *testing.T) {
	const mode = packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedExportFile |
		packages.NeedSyntax | packages.NeedTypesInfo
	loaded, err := packages.Load(&packages.Config{Dir: filepath.Join("..", ".."), Mode: mode}, "./pkg/...")
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]map[string]int{}
	for _, p := range loaded {
		if strings.HasSuffix(p.PkgPath, "test") { // a world of tests
			continue
		}
		for _, e := range p.Errors {
			t.Fatal(e)
		}
		for _, file := range p.Syntax {
			for _, d := range file.Decls {
				function, is := d.(*ast.FuncDecl)
				if !is {
					continue
				}
				caller := strings.TrimPrefix(p.PkgPath, module) + "." + function.Name.Name
				ast.Inspect(function, func(n ast.Node) bool {
					name, is := n.(*ast.Ident)
					if !is {
						return true
					}
					called, is := p.TypesInfo.Uses[name].(*types.Func)
					if !is || called.Pkg() == nil || called.Signature().Recv() != nil {
						return true
					}
					maker := strings.TrimPrefix(called.Pkg().Path(), module) + "." + called.Name()
					if makers[maker] != nil {
						if calls[maker] == nil {
							calls[maker] = map[string]int{}
						}
						calls[maker][caller]++
					}
					return true
				})
			}
		}
	}
	for _, maker := range slices.Sorted(maps.Keys(makers)) {
		if !maps.Equal(calls[maker], makers[maker]) {
			t.Errorf("%s is called by %v, want %v", maker, calls[maker], makers[maker])
		}
	}
}
