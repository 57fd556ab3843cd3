package settings

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kelseyhightower/envconfig"
	"k8s.io/apimachinery/pkg/labels"
	"knative.dev/pkg/configmap"

	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/flinkconf/key"
	"github.com/kn-flink/kn-flink/pkg/redact"
)

// environment is what a function takes from its environment variables. The manifests in config/knative set them.
type environment struct {
	Namespace     string `envconfig:"SYSTEM_NAMESPACE" default:"flink-system"`
	ConfDir       string `envconfig:"FLINK_CONF_DIR" default:"/etc/flink-operator"`
	LoggingDir    string `envconfig:"CONFIG_LOGGING_DIR" default:"/etc/config-logging"`
	TelemetryDir  string `envconfig:"CONFIG_OBSERVABILITY_DIR" default:"/etc/config-observability"`
	Host          string `envconfig:"LISTEN_HOST"`
	Port          int    `envconfig:"PORT" default:"8080"`
	FlinkProxy    string `envconfig:"FLINK_PROXY"`
	ControlBroker string `envconfig:"CONTROL_BROKER_URL" default:"http://broker-ingress.knative-eventing.svc.cluster.local/flink-system/flink-control"`
	EventsBroker  string `envconfig:"EVENTS_BROKER_URL" default:"http://broker-ingress.knative-eventing.svc.cluster.local/flink-system/flink-events"`
	NextFunction  string `envconfig:"NEXT_FUNCTION_URL"`
	JarsFunction  string `envconfig:"JARS_FUNCTION_URL"`
	Clock         string `envconfig:"CLOCK_NAME" default:"flink-clock"`
	Watched       string `envconfig:"WATCH_NAMESPACES"`
	Selected      string `envconfig:"WATCH_NAMESPACE_SELECTOR"`
	WorkDir       string `envconfig:"WORK_DIR"`
	TLSDir        string `envconfig:"FLINK_TLS_DIR" default:"/etc/flink-tls"`
	TLSPassword   string `envconfig:"FLINK_TLS_PASSWORD"`
	TLSAnyName    bool   `envconfig:"FLINK_TLS_ANY_NAME"`
	UploadsJars   bool   `envconfig:"UPLOADS_JARS"`
	AcceptedDir   string `envconfig:"FLINK_CONF_ACCEPTED_DIR" default:"/etc/flink-operator-accepted"`
	EventKeyDir   string `envconfig:"EVENT_KEY_DIR" default:"/etc/flink-event-key"`
	BrokerTokens  string `envconfig:"BROKER_TOKEN_DIR"`
}

// FlinkTLS is how JobManagers with security.ssl.rest.enabled are trusted, and trust us. The zero value: by the system's
// roots, and without a certificate of ours.
type FlinkTLS struct {
	// Dir is the mounted Secret with the CA and, for security.ssl.rest.authentication-enabled, our certificate;
	// FLINK_TLS_DIR. It is read when it is needed, so that a renewed certificate counts at once. It may be missing or
	// empty.
	Dir string
	// Password opens what is PKCS12 there; FLINK_TLS_PASSWORD. It is never printed.
	Password string
	// AnyName accepts what the CA signed whatever host it names, as Flink's own client does; FLINK_TLS_ANY_NAME.
	AnyName bool
}

// String leaves the password out.
func (t FlinkTLS) String() string {
	return fmt.Sprintf("certificates of %q, any name %t", t.Dir, t.AnyName)
}

// GoString is String.
func (t FlinkTLS) GoString() string { return t.String() }

// Settings is one function's view of its installation. The zero value is of no use; Load makes it.
type Settings struct {
	// Namespace is where the functions, Brokers and the clock live; SYSTEM_NAMESPACE.
	Namespace string
	// Host is the address to listen on; LISTEN_HOST. Empty means all, as it should in a pod with a network of its own.
	Host string
	// Port is the TCP port to listen on; PORT, which Knative sets.
	Port int
	// FlinkProxy is the proxy on the way to Flink; FLINK_PROXY, a URL. Nil where the names of Services resolve, as in a
	// cluster.
	FlinkProxy *url.URL
	// FlinkTLS is what TLS connections to Flink are made with.
	FlinkTLS FlinkTLS
	// ControlBroker is the URL that takes pass.requested and shard events; CONTROL_BROKER_URL.
	ControlBroker string
	// EventsBroker is the URL that takes the events for users' listeners; EVENTS_BROKER_URL. Empty publishes none.
	EventsBroker string
	// EventKeyDir is the mounted Secret with the key by which the functions sign their events; EVENT_KEY_DIR. It may be
	// missing or empty: nothing is signed then.
	EventKeyDir string
	// ControlToken and EventsToken are the files with the tokens of this pod's account for the two Brokers: control and
	// events in BROKER_TOKEN_DIR. Empty sends none, as a Broker without authentication wants it.
	ControlToken, EventsToken string
	// NextFunction is the URL of the function that a start of this one has started, too; NEXT_FUNCTION_URL. Empty is
	// none.
	NextFunction string
	// JarsFunction is the URL of the function that a change of a session job has started, too; JARS_FUNCTION_URL. Empty
	// is none.
	JarsFunction string
	// UploadsJars is true where this is the function that uploads jars of session jobs; UPLOADS_JARS. The others ask it.
	UploadsJars bool
	// WorkDir is a directory that a restarted container finds again; empty: there is none.
	WorkDir string
	// Clock is the name of the PingSource that drives the tick; CLOCK_NAME.
	Clock string
	// Namespaces are the watched namespaces, from WATCH_NAMESPACES or else kubernetes.operator.watched.namespaces, and
	// those that NamespaceSelector finds, which a Source looks up. Empty means all, unless there is a NamespaceSelector.
	Namespaces []string
	// NamespaceSelector adds the namespaces with such labels, from WATCH_NAMESPACE_SELECTOR or else
	// kubernetes.operator.watched.namespace-selector. Empty adds none.
	NamespaceSelector string
	// LabelSelector chooses among the resources of watched namespaces; kubernetes.operator.label.selector. Empty takes
	// all.
	LabelSelector string
	// Operator is the base configuration of the installation, with its namespace and version defaults.
	Operator flinkconf.Operator
	// Extensions are the validators, mutators and gates of the user.
	Extensions flinkconf.Extensions
	// Notes say which settings have no effect, and why, one sentence each. They are for the log of the start.
	Notes []string
	// LogFiles are the log configuration files shipped to clusters whose spec has no logConfiguration, by file name.
	LogFiles map[string]string
	// Logging is the content of ConfigMap config-logging; empty means the built-in logging configuration.
	Logging map[string]string
	// Files are the files of the settings, as they are mounted.
	Files map[string]string

	selector labels.Selector // of LabelSelector; nil takes all
}

// logFiles are the names that a Flink image reads its log configuration from.
var logFiles = []string{"log4j-console.properties", "logback-console.xml"}

// Load reads the environment and the mounted directories. A missing directory counts as empty, since every setting has
// a default; a file that cannot be read or parsed is an error that names it. Values of options that cannot be read are
// noted, and the defaults count.
func Load() (Settings, error) {
	env, err := environ()
	if err != nil {
		return Settings{}, err
	}
	read, err := env.read(env.ConfDir)
	return read.settings, err
}

func environ() (env environment, err error) {
	if err = envconfig.Process("", &env); err != nil {
		return env, fmt.Errorf("read the environment: %w", err)
	}
	return env, nil
}

// reading is what a directory of settings says.
type reading struct {
	settings Settings
	// wrong says which options cannot be read.
	wrong []string
}

// read reads the settings of a directory.
func (env environment) read(dir string) (reading, error) {
	files, err := loadDir(dir)
	if err != nil {
		return reading{}, err
	}
	logging, err := loadDir(env.LoggingDir)
	if err != nil {
		return reading{}, err
	}
	return env.of(dir, files, logging)
}

// Of are the settings that the files of ConfigMaps say, for who stands outside of the installation: what its
// environment says is not known.
func Of(files map[string]string) (Settings, error) {
	read, err := environment{Namespace: DefaultNamespace}.of("the ConfigMaps", files, nil)
	return read.settings, err
}

// of reads the settings of files that are in a place.
func (env environment) of(place string, files, logging map[string]string) (reading, error) {
	base, err := flinkconf.Load(files)
	if err != nil {
		return reading{}, fmt.Errorf("base Flink configuration in %s: %w", place, err)
	}
	var proxy *url.URL
	if env.FlinkProxy != "" {
		if proxy, err = url.Parse(env.FlinkProxy); err != nil {
			return reading{}, fmt.Errorf("FLINK_PROXY: %s", redact.Text(err.Error())) // it repeats the URL
		}
	}
	operator := flinkconf.NewOperator(base.Config)
	extensions, unfit := operator.Extensions()
	_, unfitToo := operator.ScalingPlugins()
	wrong := union(union(operator.Unreadable(), operator.JarRules().Broken), append(unfit, unfitToo...))
	s := Settings{
		Namespace: env.Namespace, Host: env.Host, Port: env.Port, FlinkProxy: proxy, Clock: env.Clock,
		FlinkTLS:      FlinkTLS{Dir: env.TLSDir, Password: env.TLSPassword, AnyName: env.TLSAnyName},
		ControlBroker: env.ControlBroker, EventsBroker: env.EventsBroker, NextFunction: env.NextFunction,
		JarsFunction: env.JarsFunction, UploadsJars: env.UploadsJars, EventKeyDir: env.EventKeyDir,
		WorkDir:  env.WorkDir,
		Operator: operator, Namespaces: operator.WatchedNamespaces(env.Watched), LogFiles: map[string]string{},
		Logging: logging, Files: files, Extensions: extensions,
	}
	if dir := env.BrokerTokens; dir != "" {
		s.ControlToken, s.EventsToken = filepath.Join(dir, "control"), filepath.Join(dir, "events")
	}
	switch {
	case strings.TrimSpace(env.Watched) != "":
	case strings.TrimSpace(env.Selected) != "":
		if s.NamespaceSelector, err = parsed(env.Selected); err != nil {
			return reading{}, fmt.Errorf("WATCH_NAMESPACE_SELECTOR is no label selector: %w", err)
		}
	default:
		s.NamespaceSelector, wrong = selectorOf(base.Config, key.WatchedNamespaceSelector, wrong)
	}
	s.LabelSelector, wrong = selectorOf(base.Config, key.LabelSelector, wrong)
	if s.LabelSelector != "" {
		s.selector, _ = labels.Parse(s.LabelSelector) // selectorOf has parsed it
	}
	told := slices.Concat(base.Notes, operator.Notes(), operator.JarRules().Notes(), flinkconf.WithoutEffect(base.Config))
	s.Notes = append(told, slices.DeleteFunc(slices.Clone(wrong), func(text string) bool {
		return slices.Contains(told, text)
	})...)
	for _, name := range logFiles {
		if text, ok := files[name]; ok {
			s.LogFiles[name] = text
		}
	}
	return reading{s, wrong}, nil
}

// Watches reports whether resources of the namespace are this installation's.
func (s Settings) Watches(namespace string) bool {
	if len(s.Namespaces) == 0 {
		return s.NamespaceSelector == ""
	}
	return slices.Contains(s.Namespaces, namespace)
}

// Selects reports whether a resource with these labels is this installation's, if its namespace is watched.
func (s Settings) Selects(have map[string]string) bool {
	return s.selector == nil || s.selector.Matches(labels.Set(have))
}

// SelectingLabels are the keys of the labels that LabelSelector looks at, sorted; nil without one.
func (s Settings) SelectingLabels() []string {
	if s.selector == nil {
		return nil
	}
	requirements, _ := s.selector.Requirements()
	var keys []string
	for _, r := range requirements {
		keys = append(keys, r.Key())
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func loadDir(dir string) (map[string]string, error) {
	if dir == "" {
		return nil, nil
	}
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		return nil, nil
	}
	// a mounted ConfigMap is replaced as a whole, by this link: what it leads to does not change
	at := filepath.Clean(dir)
	if whole, err := filepath.EvalSymlinks(filepath.Join(at, dataLink)); err == nil {
		at = whole
	}
	files, err := configmap.Load(at)
	if err != nil {
		return nil, fmt.Errorf("read the mounted directory %s: %w", dir, err)
	}
	return files, nil
}
