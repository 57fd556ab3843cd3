package validation

import (
	"errors"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
)

// settings reads the effective configuration for the rules. A value that cannot be read becomes a finding, once.
type settings struct {
	// report takes the findings.
	report *report
	// effective is the operator's defaults under the resource's own configuration.
	effective conf.Config
	// own is the resource's own configuration, to tell who has to correct a value.
	own conf.Config
	// told are the keys, and the processes whose memory is missing, that have a finding already.
	told map[string]bool
}

func makeSettings(r *report, effective, own conf.Config) *settings {
	return &settings{report: r, effective: effective, own: own, told: map[string]bool{}}
}

// where says who set a key, as advice.
func (s *settings) where(key string) string {
	if _, ok := s.own[key]; ok {
		return "in " + s.report.at("flinkConfiguration")
	}
	return "where it is set: the operator's default configuration or the session cluster"
}

// unreadable records the finding for a value that does not parse.
func (s *settings) unreadable(message string, err error) {
	var bad *conf.ValueError
	if !errors.As(err, &bad) {
		s.report.addAt(s.report.at("flinkConfiguration"), message, err.Error())
		return
	}
	if s.told[bad.Key] {
		return
	}
	s.told[bad.Key] = true
	if message == "" {
		message = "Invalid value for Flink config key: " + bad.Key
	}
	s.report.addConf(
		bad.Key, message,
		quote(bad.Value)+" is no "+string(bad.Kind)+" ("+bad.Err.Error()+"), correct it "+s.where(bad.Key),
	)
}

// unreadables finds every value that cannot be read as the option that it is: those of the resource itself, also where
// another spelling or layer hides them, and then those of the defaults and the session cluster.
func (s *settings) unreadables(version v1beta1.FlinkVersion) {
	for _, c := range []conf.Config{s.own, s.effective} {
		for _, bad := range flinkconf.Unreadable(c, version) {
			s.unreadable("", bad)
		}
	}
}

// highlyAvailable tells whether the cluster survives the loss of its JobManager.
func (s *settings) highlyAvailable() bool { return flinkconf.HighAvailabilityOf(s.effective).Active() }

// enabled reads a switch; one that cannot be read is a finding and off.
func (s *settings) enabled(o conf.Option) bool {
	on, err := s.effective.Bool(o)
	if err != nil {
		s.unreadable("", err)
	}
	return on && err == nil
}
