package settings

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// dataLink is the name of the link by which a mounted ConfigMap is replaced.
const dataLink = "..data"

const (
	// namespacesFor is how long the namespaces that a selector found count.
	namespacesFor = 30 * time.Second
	// namespacesWithin bounds one look for them.
	namespacesWithin = 5 * time.Second
)

// Source gives the settings that count now. Safe for concurrent use. The zero value is of no use; Open makes it.
type Source struct {
	namespaces func(ctx context.Context, selector string) ([]string, error)
	now        func() time.Time
	env        environment

	mu       sync.Mutex
	good     Settings // the last ones that were read well
	problem  string   // why the newest files do not count; empty: they do
	accepted map[string]string
	stamp    string
	looked   time.Time
	version  int
	fixed    watched // what the first settings watch
	selected map[string]found
}

// watched is what settings say of namespaces.
type watched struct {
	names    []string
	selector string
}

// found are the namespaces of a selector.
type found struct {
	names []string
	at    time.Time
}

// Open reads the settings for the first time. namespaces finds the namespaces of a label selector.
//
//	the mounted settings                the accepted ones         then
//	are good                            any                       they count
//	cannot be read, or an option of     are good                  those count, and Current says why
//	  them cannot
//	an option of them cannot be read    none, or broken as well   they count, and no pass acts by that option: the specs
//	                                                              that it is a default of are refused
//	cannot be read                      none, or broken as well   an error
func Open(
	namespaces func(ctx context.Context, selector string) ([]string, error), now func() time.Time,
) (*Source, error) {
	env, err := environ()
	if err != nil {
		return nil, err
	}
	s := &Source{namespaces: namespaces, now: now, env: env, stamp: env.stamp(), looked: now()}
	first, err := env.read(env.ConfDir)
	problem := problemOf(first, err)
	if problem != "" {
		if last, lastErr := env.read(env.AcceptedDir); problemOf(last, lastErr) == "" && len(last.settings.Files) > 0 {
			first, err, s.problem = last, nil, problem
		}
	}
	if err != nil {
		return nil, err
	}
	s.good, s.fixed = first.settings, watched{first.settings.Namespaces, first.settings.NamespaceSelector}
	if s.accepted, err = loadDir(env.AcceptedDir); err != nil {
		s.accepted = nil // it is compared with the object before anything is told
	}
	return s, nil
}

// First are the settings that Open read. Their namespaces are those that are named.
func (s *Source) First() Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.good
}

// Now is what a Source answers.
type Now struct {
	// Settings count now.
	Settings Settings
	// Version is another one whenever Settings are.
	Version int
	// Problem says why the newest files do not count; empty: they do.
	Problem string
	// Accepted are the files that were accepted last as far as this pod knows.
	Accepted map[string]string
}

// Current reads what has changed. Files are looked at in each call, and no more often than
// kubernetes.operator.dynamic.config.check.interval where that is set; namespaces of a selector twice a minute. It
// fails while those have never been found.
func (s *Source) Current(ctx context.Context) (Now, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reread()
	current := s.good
	if dynamic, _ := current.Operator.Base().Bool(key.DynamicNamespacesEnabled); !dynamic {
		current.Namespaces, current.NamespaceSelector = s.fixed.names, s.fixed.selector
	}
	if current.NamespaceSelector != "" {
		names, err := s.selectedBy(ctx, current.NamespaceSelector)
		if err != nil {
			return Now{}, err
		}
		current.Namespaces = union(current.Namespaces, names)
	}
	return Now{Settings: current, Version: s.version, Problem: s.problem, Accepted: s.accepted}, nil
}

// reread reads the files again if they changed. What cannot be read leaves the last good ones.
func (s *Source) reread() {
	base := s.good.Operator.Base()
	if dynamic, err := base.Bool(key.DynamicConfigEnabled); err == nil && !dynamic {
		return
	}
	if base.Has(key.DynamicConfigCheckInterval) {
		if every, err := base.Duration(key.DynamicConfigCheckInterval); err == nil && s.now().Sub(s.looked) < every {
			return
		}
	}
	s.looked = s.now()
	stamp := s.env.stamp()
	if stamp == s.stamp {
		return
	}
	read, err := s.env.read(s.env.ConfDir)
	if s.env.stamp() != stamp {
		return // they are being replaced: the next call looks again
	}
	s.stamp = stamp
	if accepted, err := loadDir(s.env.AcceptedDir); err == nil {
		s.accepted = accepted
	}
	s.problem = problemOf(read, err)
	if last := s.good; s.problem == "" && (!maps.Equal(last.Files, read.settings.Files) ||
		!maps.Equal(last.Logging, read.settings.Logging)) {
		s.good, s.version = read.settings, s.version+1
	}
}

// selectedBy are the namespaces of a selector. While they cannot be found the last ones count.
func (s *Source) selectedBy(ctx context.Context, selector string) ([]string, error) {
	last, known := s.selected[selector]
	if known && s.now().Sub(last.at) < namespacesFor {
		return last.names, nil
	}
	ctx, cancel := context.WithTimeout(ctx, namespacesWithin)
	defer cancel()
	names, err := s.namespaces(ctx, selector)
	if err != nil {
		if known {
			return last.names, nil
		}
		return nil, fmt.Errorf("find the watched namespaces %q: %w", selector, err)
	}
	slices.Sort(names)
	if !slices.Equal(names, last.names) {
		s.version++
	}
	s.selected = map[string]found{selector: {names, s.now()}}
	return names, nil
}

// stamp is another text after each change of the mounted directories.
func (env environment) stamp() string {
	var out strings.Builder
	for _, dir := range []string{env.ConfDir, env.LoggingDir, env.AcceptedDir} {
		link, _ := os.Readlink(filepath.Join(dir, dataLink))
		fmt.Fprintf(&out, "%s %s\n", dir, link)
		entries, _ := os.ReadDir(dir) // one that is missing is empty
		for _, e := range entries {
			if info, err := e.Info(); err == nil {
				fmt.Fprintf(&out, "%s %d %d\n", e.Name(), info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return out.String()
}

// problemOf says why settings do not count; empty: they do.
func problemOf(r reading, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case len(r.wrong) > 0:
		return strings.Join(r.wrong, "; ")
	}
	return ""
}

// selectorOf is the label selector that an option holds, or another thing that is wrong.
func selectorOf(c flinkconf.Config, o flinkconf.Option, wrong []string) (string, []string) {
	text, err := parsed(c.Get(o))
	if err != nil {
		return "", append(wrong, fmt.Sprintf("option %s is no label selector: %v", o.Key, err))
	}
	return text, wrong
}

// parsed is a label selector without blanks around it.
func parsed(selector string) (string, error) {
	text := strings.TrimSpace(selector)
	if _, err := labels.Parse(text); err != nil {
		return "", err
	}
	return text, nil
}

func union(a, b []string) []string {
	set := map[string]bool{}
	for _, name := range slices.Concat(a, b) {
		set[name] = true
	}
	return slices.Sorted(maps.Keys(set))
}
