package lookout

import (
	"context"
	"errors"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kube"
	"github.com/kn-flink/kn-flink/pkg/look"
	"github.com/kn-flink/kn-flink/pkg/reachflink"
	"github.com/kn-flink/kn-flink/pkg/settings"
	"github.com/kn-flink/kn-flink/pkg/view"
)

// Options are what a look is made with.
type Options struct {
	// Config is the user's way to the API server, as that of Reader.
	Config *rest.Config
	// Reader reads as the user.
	Reader *look.Reader
	// System is the namespace of the installation, whose settings count.
	System string
	// ProxyOnly asks Flink by services/proxy alone, and never by a port-forward.
	ProxyOnly bool
	// Now is the time.
	Now view.Clock
}

// Lookout looks as a pass does. Close ends it.
type Lookout struct {
	reader   *look.Reader
	gatherer *gather.Gatherer
	way      *reachflink.Way
	settings settings.Settings
	said     string
}

// Open reads the settings of the installation. It fails for a configuration that makes no client.
func Open(ctx context.Context, o Options) (*Lookout, error) {
	var pods reachflink.Pods = Pods{o.Reader}
	if o.ProxyOnly {
		pods = noPods{}
	}
	way, err := reachflink.New(o.Config, pods)
	if err != nil {
		return nil, err
	}
	l := &Lookout{reader: o.Reader, way: way}
	l.settings, l.said = l.installation(ctx, o.System)
	l.gatherer = &gather.Gatherer{
		Kube: noting{o.Reader}, Flink: way.Connect, ZooKeeper: noNodes{o.Reader}, Operator: l.settings.Operator,
		LogFiles: l.settings.LogFiles, Now: o.Now,
	}
	return l, nil
}

// Close ends the ways to Flink.
func (l *Lookout) Close() { l.way.Close() }

// Unreadable says what could not be read so far, and which right is missing.
func (l *Lookout) Unreadable() []string { return slices.Concat(l.reader.Unreadable(), l.way.Missing()) }

// The ConfigMaps with the settings of an installation. What stands in a later one counts before an earlier one.
const (
	configDefaults = "flink-operator-defaults"
	configOwn      = "flink-operator-config"
	configAccepted = "flink-operator-config-accepted"
)

// installation are the settings that the functions have, and where they are from. Where they may not be read the
// defaults count.
func (l *Lookout) installation(ctx context.Context, system string) (settings.Settings, string) {
	defaults, _ := settings.Of(nil) // no file cannot be wrong
	files, found := map[string]string{}, false
	for _, name := range []string{configDefaults, configOwn} {
		data, there, err := l.data(ctx, system, name)
		if err != nil {
			return defaults, "the defaults: " + err.Error()
		}
		maps.Copy(files, data)
		found = found || there
	}
	if !found {
		return defaults, "the defaults: namespace " + system + " has no " + configOwn
	}
	read, err := settings.Of(files)
	if err == nil {
		return read, "ConfigMap " + configOwn + " in " + system
	}
	data, _, failed := l.data(ctx, system, configAccepted)
	if read, wrong := settings.Of(data); failed == nil && len(data) > 0 && wrong == nil {
		return read, "those that were accepted last: " + configOwn + " cannot be read"
	}
	return defaults, "the defaults: " + configOwn + " cannot be read"
}

// data is that of a ConfigMap.
func (l *Lookout) data(ctx context.Context, namespace, name string) (map[string]string, bool, error) {
	u, there, err := l.reader.Get(ctx, kube.Object{Resource: kube.ConfigMaps, Namespace: namespace, Name: name})
	switch {
	case apierrors.IsForbidden(err):
		return nil, false, errors.New(l.reader.Missing("get", kube.Query{Resource: kube.ConfigMaps, Namespace: namespace}))
	case err != nil, !there:
		return nil, false, err
	}
	data, _, err := unstructured.NestedStringMap(u.Object, "data")
	return data, true, err
}
