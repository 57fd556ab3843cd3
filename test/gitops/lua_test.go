package gitops

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/argoproj/argo-cd/v3/resource_customizations"
	"github.com/argoproj/gitops-engine/pkg/health"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	luajson "layeh.com/gopher-json"
)

const healthScripts = "../../config/gitops/argocd/health"

// argoCD is what Argo CD has for the health of resources: scripts by "<group>/<kind>", of ConfigMap argocd-cm first and
// then its own ones. Its method is what gitops-engine asks.
type argoCD struct {
	configured map[string]string
	builtIn    fs.ReadFileFS
}

// withOurs is Argo CD with the scripts of config/gitops.
func withOurs(t *testing.T) argoCD {
	t.Helper()
	a := argoCD{configured: map[string]string{}, builtIn: resource_customizations.Embedded}
	for file, keys := range map[string][]string{
		"flink.lua": {
			"flink.apache.org/FlinkDeployment", "flink.apache.org/FlinkSessionJob",
			"flink.apache.org/FlinkStateSnapshot", "flink.apache.org/FlinkBlueGreenDeployment",
		},
		"application.lua": {"argoproj.io/Application"},
	} {
		text, err := os.ReadFile(filepath.Join(healthScripts, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			a.configured[key] = string(text)
		}
	}
	return a
}

// GetResourceHealth runs the script of a kind; nil means that there is none.
func (a argoCD) GetResourceHealth(u *unstructured.Unstructured) (*health.HealthStatus, error) {
	key := u.GroupVersionKind().Group + "/" + u.GetKind()
	script, is := a.configured[key]
	if !is {
		text, err := a.builtIn.ReadFile(key + "/health.lua")
		if err != nil {
			return nil, nil
		}
		script = string(text)
	}
	return run(u, script, !is)
}

// run is ExecuteHealthLua of Argo CD's util/lua: without the libraries of Lua but package, base and table, for a second
// at the most. Its own scripts have all libraries.
func run(u *unstructured.Unstructured, script string, libraries bool) (*health.HealthStatus, error) {
	l := lua.NewState(lua.Options{SkipOpenLibs: !libraries})
	defer l.Close()
	for name, open := range map[string]lua.LGFunction{
		lua.LoadLibName: lua.OpenPackage, lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable,
	} {
		if err := l.CallByParam(lua.P{Fn: l.NewFunction(open), Protect: true}, lua.LString(name)); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	l.SetContext(ctx)
	l.SetGlobal("obj", valueOf(l, u.Object))
	if err := l.DoString(script); err != nil {
		return nil, err
	}
	text, err := luajson.Encode(l.Get(-1))
	if err != nil {
		return nil, err
	}
	var answer health.HealthStatus
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, fmt.Errorf("the script returned %s: %w", text, err)
	}
	return &answer, nil
}

func valueOf(l *lua.LState, value any) lua.LValue {
	switch v := value.(type) {
	case bool:
		return lua.LBool(v)
	case float64:
		return lua.LNumber(v)
	case int64:
		return lua.LNumber(v)
	case string:
		return lua.LString(v)
	case []any:
		list := l.CreateTable(len(v), 0)
		for _, item := range v {
			list.Append(valueOf(l, item))
		}
		return list
	case map[string]any:
		table := l.CreateTable(0, len(v))
		for key, item := range v {
			table.RawSetString(key, valueOf(l, item))
		}
		return table
	}
	return lua.LNil
}
