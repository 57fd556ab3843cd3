package flinkconf

import (
	"fmt"
	"slices"

	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/reach"
)

// JarRules say from where jars of session jobs may come. They are read from the operator's base configuration alone, so
// that no tenant can widen them. The zero value allows no jar.
type JarRules struct {
	// Schemes are the URI schemes that are allowed, in any case (kubernetes.operator.user.artifacts.allowed-schemes).
	Schemes []string
	// AnyAddress lets every address be reached (kubernetes.operator.user.artifacts.disallow-restricted-hosts: false).
	AnyAddress bool
	// Allowed may be reached although it is not public (kubernetes.operator.user.artifacts.allowed-hosts).
	Allowed reach.AllowList
	// MaxBytes is how large a jar may be; 0 is no bound (kubernetes.operator.user.artifacts.max-size).
	MaxBytes int64
	// Broken are the options that cannot be read: one text each, which names the option, its value and what is wrong.
	Broken []string
}

// JarRules reads them. An option that cannot be read allows nothing.
//
//	cannot be read              then
//	allowed-schemes             no scheme is allowed
//	disallow-restricted-hosts   it is on
//	allowed-hosts               it is empty
//	max-size                    nothing is uploaded: see Broken
func (o Operator) JarRules() JarRules {
	var rules JarRules
	broken := func(err error) bool {
		if err != nil {
			rules.Broken = append(rules.Broken, err.Error())
		}
		return err != nil
	}
	schemes, err := o.base.List(key.ArtifactsAllowedSchemes)
	if !broken(err) {
		rules.Schemes = schemes
	}
	restricted, err := o.base.Bool(key.ArtifactsDisallowRestrictedHosts)
	rules.AnyAddress = !broken(err) && !restricted
	hosts, err := o.base.List(key.ArtifactsAllowedHosts)
	if !broken(err) {
		rules.Allowed, err = reach.ParseAllowList(hosts)
		if err != nil {
			broken(fmt.Errorf("option %s: %w", key.ArtifactsAllowedHosts.Key, err))
		}
	}
	size, err := o.base.Memory(key.ArtifactsMaxSize)
	if !broken(err) {
		rules.MaxBytes = size
	}
	return rules
}

// Notes are one sentence for each option that cannot be read, sorted.
func (r JarRules) Notes() []string {
	notes := make([]string, 0, len(r.Broken))
	for _, text := range r.Broken {
		notes = append(notes, text+": no jar of a session job is uploaded until it is corrected")
	}
	slices.Sort(notes)
	return notes
}
