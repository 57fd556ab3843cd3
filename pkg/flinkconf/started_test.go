package flinkconf

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/test/declared"
)

// notOfWhatRuns are options of Flink that package plan reads for something else.
var notOfWhatRuns = map[string]string{
	"TaskManagerProcessMemory": "sizes a new cluster", "TaskManagerCPU": "sizes a new cluster",
	"TaskSlots": "sizes a new cluster", "JobManagerProcessMemory": "sizes a new cluster",
	"JobManagerCPU": "sizes a new cluster", "DefaultParallelism": "sizes a new cluster",
	"TaskManagerReplicas": "sizes a new cluster", "JobManagerReplicas": "sizes a new cluster",
	"ParallelismOverrides": "is the autoscaler's choice for a start",
	"ClusterID":            "is the name of the resource", "FlinkVersion": "is spec.flinkVersion",
	"WebSubmitEnable": "explains why Flink does not list its jars",
}

// What runs is found and judged by the options that it was started with: every option of Flink that a decision reads
// is recorded, or is read for something else.
func TestWhatRunsIsJudgedByWhatItWasStartedWith(t *testing.T) {
	all, err := declared.Options("key")
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]bool{}
	for _, room := range []string{"../plan", "../engine", "../host"} {
		if err := readsOptions(room, read); err != nil {
			t.Fatal(err)
		}
	}
	for name := range read {
		option, ok := all[name]
		if !ok || strings.HasPrefix(option.Key, "kubernetes.operator.") || strings.HasPrefix(option.Key, "job.autoscaler.") {
			continue
		}
		recorded := slices.ContainsFunc(started, func(o conf.Option) bool { return o.Key == option.Key })
		if recorded == (notOfWhatRuns[name] != "") {
			t.Errorf("%s (%s): recorded %t, read for something else: %q", name, option.Key, recorded, notOfWhatRuns[name])
		}
	}
	for name := range notOfWhatRuns {
		if !read[name] {
			t.Errorf("no decision reads %s any more: take it off the list", name)
		}
	}
	if len(read) < 50 {
		t.Errorf("only %d options found in the source of the decisions", len(read))
	}
}

// readsOptions adds to read the options that the Go files below a folder name.
func readsOptions(folder string, read map[string]bool) error {
	return filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if of, ok := s.X.(*ast.Ident); ok && of.Name == "key" {
					read[s.Sel.Name] = true
				}
			}
			return true
		})
		return nil
	})
}
