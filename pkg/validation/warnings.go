package validation

import (
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/conf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
)

// maxWarnings bounds how many keys of a configuration are warned of one by one.
const maxWarnings = 20

// configuration warns of what a configuration says in vain:
//
//	a null value                                      Flink gets the text null
//	a key without effect in a resource, or unknown    told as the event OptionWithoutEffect tells it
//	two spellings of one option with two values       the newer one counts
func (r *report) configuration(written v1beta1.FlinkConfiguration) {
	told := 0
	warn := func(name, message, advice string) {
		if told++; told > maxWarnings {
			return
		}
		r.warnAt(r.conf(name), message, advice)
	}
	for _, name := range flinkconf.Nulls(written) {
		warn(name, cut(name, maxQuoted)+" is null, of which Flink gets the text null", "write a value, or remove the key")
	}
	own, err := flinkconf.Flatten(written)
	if err != nil {
		return
	}
	for _, why := range flinkconf.WithoutEffectInResource(own) {
		name, _, _ := strings.Cut(strings.TrimPrefix(why, "option "), " ")
		warn(name, why, "remove it")
	}
	for _, name := range own.Keys() {
		for _, o := range key.Spelled(name) {
			if text, both := own[o.Key]; both && o.Key != name && text != own[name] && onlyOlder(name, o) {
				warn(name, name+" has no effect, because "+o.Key+" is set, too", "remove one of them")
			}
		}
	}
}

// onlyOlder reports whether a key is nothing but an older spelling of an option.
func onlyOlder(name string, o conf.Option) bool {
	all := key.Spelled(name)
	return len(all) == 1 && all[0].Key == o.Key
}
