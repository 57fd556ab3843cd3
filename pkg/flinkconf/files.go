package flinkconf

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/confyaml"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/syntax"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/yamltext"
)

// Files prints a configuration as the file that Flink of that version reads, and names the file. The entries are
// sorted.
//
//	Flink  | file            | form                              | cannot hold
//	-------+-----------------+-----------------------------------+-----------------------------------------
//	< 2.0  | flink-conf.yaml | lines "key: value", nothing       | '#', blanks at the ends, line breaks; see
//	       |                 | quoted                            | UnfitArgument
//	>= 2.0 | config.yaml     | nested YAML, every value a string,| a key that begins another one: error
//	       |                 | but for program arguments (a list)|
//
// In config.yaml the options that Flink's shell scripts read stay unquoted: the scripts would take the quotes for a
// part of the value.
func Files(c Config, v v1beta1.FlinkVersion) (name, text string, err error) {
	b := BehaviourOf(v)
	if !b.StandardYAML {
		return b.ConfigFile, confyaml.PrintLegacy(c), nil
	}
	entries := make(map[string]any, len(c))
	for k, value := range c {
		entries[k] = value
		if readByShell(k, value) {
			entries[k] = yamltext.Plain(value)
		}
	}
	if c.Has(key.ApplicationArgs) {
		args, err := c.List(key.ApplicationArgs)
		if err != nil {
			return "", "", err
		}
		entries[key.ApplicationArgs.Key] = args
	}
	text, err = confyaml.Print(entries)
	return b.ConfigFile, text, err
}

// readByShell tells whether a value is a number or boolean of an option that bin/config.sh of the Flink images reads.
func readByShell(name, value string) bool {
	switch name {
	case key.RedirectStdoutErr.Key:
		return value == "true" || value == "false"
	case key.LogMax.Key:
		return value != "" && strings.Trim(value, "0123456789") == ""
	}
	return false
}

// Loaded is a base configuration read from files.
type Loaded struct {
	// Config are the entries.
	Config Config
	// File is the name of the file that was read; empty when there was none.
	File string
	// Notes names the lines that Flink ignores, one sentence each.
	Notes []string
}

// LoadDir reads the base configuration from the files of a configuration directory, given by name and content:
// flink-conf.yaml if it is there, else config.yaml, each laid over defaults.yaml. No files at all are an empty
// configuration; other files without one of these are an error.
func LoadDir(files map[string]string) (Config, error) {
	loaded, err := Load(files)
	return loaded.Config, err
}

// Load is LoadDir with notes about what was ignored.
func Load(files map[string]string) (Loaded, error) {
	defaults, shipped := files[DefaultsFile]
	under, err := confyaml.Parse(defaults)
	if err != nil {
		return Loaded{}, fmt.Errorf("%s: %w", DefaultsFile, err)
	}
	loaded, err := loadOver(files, shipped)
	if err != nil || !shipped {
		return loaded, err
	}
	maps.Copy(under, loaded.Config)
	loaded.Config = under
	return loaded, nil
}

// besideDefaults reports whether a file may stand beside the defaults where there is no configuration: log
// configurations do. Any other is a configuration of a wrong name.
func besideDefaults(name string) bool {
	return name == DefaultsFile || strings.HasSuffix(name, ".properties") || strings.HasSuffix(name, ".xml")
}

// loadOver reads what is laid over the defaults. Where there are some, nothing need be.
func loadOver(files map[string]string, shipped bool) (Loaded, error) {
	if text, ok := files[LegacyFile]; ok {
		flat, skipped := confyaml.ParseLegacy(text)
		loaded := Loaded{Config: flat, File: LegacyFile}
		for _, s := range skipped {
			loaded.Notes = append(loaded.Notes, fmt.Sprintf("%s line %d is ignored: %s", LegacyFile, s.Line, s.Why))
		}
		return loaded, nil
	}
	if text, ok := files[StandardFile]; ok {
		flat, err := confyaml.Parse(text)
		return Loaded{Config: flat, File: StandardFile}, err
	}
	names := make([]string, 0, len(files))
	for name := range files {
		if !shipped || !besideDefaults(name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return Loaded{Config: Config{}}, nil
	}
	slices.Sort(names)
	return Loaded{}, fmt.Errorf(
		"no configuration file among %s: name it %s or %s", syntax.JoinList(names), LegacyFile, StandardFile,
	)
}
