package flinkconf

import (
	"fmt"
	"net/url"
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
	// Allowed may be reached although it is not public (kubernetes.operator.user.artifacts.allowed-hosts), but for what
	// is denied in any case (kubernetes.operator.user.artifacts.denied-networks).
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
//	denied-networks             nothing is uploaded: see Broken
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
	denied, err := o.base.List(key.ArtifactsDeniedNetworks)
	if !broken(err) {
		if rules.Allowed, err = rules.Allowed.Without(denied); err != nil {
			broken(fmt.Errorf("option %s: %w", key.ArtifactsDeniedNetworks.Key, err))
		}
	}
	size, err := o.base.Memory(key.ArtifactsMaxSize)
	if !broken(err) {
		rules.MaxBytes = size
	}
	return rules
}

// JarHeader are the headers of the download of a jar, by name. What a tenant set in one of the given configurations
// goes wherever the tenant sends it. What the administrator set goes to hosts that the administrator named alone, for
// a tenant chooses the URI. withheld reports that there is more.
//
//	the header                                  the URI's host               then
//	has its value of a tenant's configuration   -                            is sent
//	otherwise                                   is itself in allowed-hosts   is sent
//	otherwise                                   is not                       is withheld
func (r JarRules) JarHeader(effective Config, uri string, tenants ...Config) (
	header map[string]string, withheld bool, err error,
) {
	all, err := effective.Map(key.ArtifactsHTTPHeader)
	if err != nil {
		return nil, false, err
	}
	target, err := url.Parse(uri)
	trusted := err == nil && r.Allowed.Names(target.Hostname())
	header = map[string]string{}
	for name, value := range all {
		ofTenant := slices.ContainsFunc(tenants, func(c Config) bool {
			own, err := c.Map(key.ArtifactsHTTPHeader)
			set, has := own[name]
			return err == nil && has && set == value
		})
		if ofTenant || trusted {
			header[name] = value
		}
	}
	return header, len(header) < len(all), nil
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
