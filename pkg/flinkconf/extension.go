package flinkconf

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
	"github.com/kn-flink/kn-flink/pkg/kinds"
)

// Extension is a validator or mutator of the user: any address that answers an AdmissionReview.
type Extension struct {
	// Name is that in the keys of its settings.
	Name string
	// URL is where it is asked.
	URL string
	// Kinds are those that it is asked about.
	Kinds []string
	// Namespaces are those that it is asked about; empty means all.
	Namespaces []string
	// Timeout bounds one question.
	Timeout time.Duration
	// Ignore goes on without it where it does not answer; else what it would judge waits for it.
	Ignore bool
	// Revision is another text for another rule at the same address.
	Revision string
}

// Extensions are those of an installation, by their names.
type Extensions struct {
	// Validators say whether a spec may be accepted.
	Validators []Extension
	// Mutators change a resource before it is stored.
	Mutators []Extension
	// Gates are asked whether a new side of a FlinkBlueGreenDeployment may serve.
	Gates []Extension
}

const (
	// defaultTimeout and maxTimeout are those of a question. A pass has 20 s.
	defaultTimeout = 5 * time.Second
	maxTimeout     = 10 * time.Second
)

// Extensions are those that the base configuration names, and what is wrong with their settings, one sentence each.
//
//	<prefix><name>.url              where it is asked, http or https; required
//	<prefix><name>.kinds            separated by commas; all
//	<prefix><name>.namespaces       separated by commas; all
//	<prefix><name>.timeout          5 s, of 10 s at the most
//	<prefix><name>.failure-policy   Fail, or Ignore
//	<prefix><name>.revision         any text: another one has the specs that are refused judged again
func (o Operator) Extensions() (Extensions, []string) {
	validators, wrong := o.extensions(key.ValidatorPrefix)
	mutators, more := o.extensions(key.MutatorPrefix)
	gates, yetMore := o.extensions(key.GatePrefix)
	return Extensions{validators, mutators, gates}, slices.Concat(wrong, more, yetMore)
}

func (o Operator) extensions(prefix string) (all []Extension, wrong []string) {
	wrong = o.addressed(prefix, func(name string) setter {
		all = append(all, Extension{Name: name, Kinds: kinds.Names(), Timeout: defaultTimeout})
		return &all[len(all)-1]
	})
	return all, wrong
}

// setter is what parameters of the settings are given to.
type setter interface {
	set(parameter, text string) error
}

// addressed gives the parameters of each name below a prefix to what is made for it, in the order of the names, and
// tells what is wrong with them, one sentence each. Each has to have a URL.
func (o Operator) addressed(prefix string, make func(name string) setter) (wrong []string) {
	byName := map[string]map[string]string{}
	for name, text := range o.base.WithPrefix(prefix) {
		name, parameter, _ := strings.Cut(name, ".")
		if byName[name] == nil {
			byName[name] = map[string]string{}
		}
		byName[name][parameter] = strings.TrimSpace(text)
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		made := make(name)
		for _, parameter := range slices.Sorted(maps.Keys(byName[name])) {
			if err := made.set(parameter, byName[name][parameter]); err != nil {
				wrong = append(wrong, fmt.Sprintf("option %s%s.%s: %v", prefix, name, parameter, err))
			}
		}
		if byName[name]["url"] == "" {
			wrong = append(wrong, fmt.Sprintf("option %s%s.url is not set: it says where to ask", prefix, name))
		}
	}
	return wrong
}

// address is the URL of an address that is asked.
func address(text string) (string, error) {
	at, err := url.Parse(text)
	if err != nil || at.Host == "" || (at.Scheme != "http" && at.Scheme != "https") {
		return "", fmt.Errorf("it is no URL of scheme http or https")
	}
	return text, nil
}

// questionTime is the time that a question may take; beside an error, the default.
func questionTime(text string) (time.Duration, error) {
	timeout, err := syntax.ParseDuration(text)
	if err != nil || timeout <= 0 || timeout > maxTimeout {
		return defaultTimeout, fmt.Errorf("%q is no time of %s at the most", text, maxTimeout)
	}
	return timeout, nil
}

func (e *Extension) set(parameter, text string) (err error) {
	switch parameter {
	case "url":
		e.URL, err = address(text)
	case "kinds":
		e.Kinds = words(text)
		for _, kind := range e.Kinds {
			if _, known := kinds.Of(kind); !known {
				return fmt.Errorf("%q is no kind; there are %s", kind, strings.Join(kinds.Names(), ", "))
			}
		}
	case "namespaces":
		e.Namespaces = words(text)
	case "timeout":
		e.Timeout, err = questionTime(text)
	case "failure-policy":
		e.Ignore = strings.EqualFold(text, "Ignore")
		if !e.Ignore && !strings.EqualFold(text, "Fail") {
			return fmt.Errorf("%q is neither Fail nor Ignore", text)
		}
	case "revision":
		e.Revision = text
	default:
		return fmt.Errorf("there is no such parameter")
	}
	return err
}

func words(text string) []string {
	all := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' || r == ' ' })
	slices.Sort(all)
	return slices.Compact(all)
}

// For are those that are asked about a kind in a namespace.
func For(all []Extension, kind, namespace string) []Extension {
	var asked []Extension
	for _, e := range all {
		if slices.Contains(e.Kinds, kind) && (len(e.Namespaces) == 0 || slices.Contains(e.Namespaces, namespace)) {
			asked = append(asked, e)
		}
	}
	return asked
}

// VerdictOf stands for a spec and the validators that are asked about it, as they are configured.
func VerdictOf(validators []Extension, spec any) (string, error) {
	text, err := json.Marshal(struct {
		Validators []Extension
		Spec       any
	}{validators, spec})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16]), nil
}
