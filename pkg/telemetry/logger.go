package telemetry

import (
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"knative.dev/pkg/logging"
)

// defaultConfig is used when ConfigMap config-logging has no zap-logger-config.
const defaultConfig = `{"level":"info","encoding":"json","outputPaths":["stdout"],"errorOutputPaths":["stderr"],
"encoderConfig":{"timeKey":"ts","levelKey":"level","nameKey":"logger","messageKey":"msg","stacktraceKey":"stacktrace","lineEnding":"","levelEncoder":"lowercase","timeEncoder":"iso8601","durationEncoder":"millis","callerEncoder":""}}`

// NewLogger makes the logger of one function from the content of ConfigMap config-logging: key zap-logger-config is the
// zap configuration as JSON, key loglevel.<component> a level that beats the one in it. Wrong content falls back to the
// built-in configuration and says so in a log line. Its lines hold no text that looks like a secret. beside makes a
// core that takes the same lines, of the levels that are enabled; nil, or one that makes none, is left out.
func NewLogger(
	component string, config map[string]string, beside func(zapcore.LevelEnabler) zapcore.Core,
) *zap.SugaredLogger {
	merged := map[string]string{"zap-logger-config": defaultConfig}
	for k, v := range config {
		if v != "" {
			merged[k] = v
		}
	}
	parsed, err := logging.NewConfigFromMap(merged)
	if err != nil {
		parsed = &logging.Config{LoggingConfig: defaultConfig}
	}
	logger, _ := logging.NewLoggerFromConfig(parsed, component)
	if beside != nil {
		logger = logger.WithOptions(zap.WrapCore(func(core zapcore.Core) zapcore.Core {
			if also := beside(core); also != nil {
				return zapcore.NewTee(core, also)
			}
			return core
		}))
	}
	logger = logger.WithOptions(keepSecrets())
	if err != nil {
		logger.Warnw("config-logging is not usable, the built-in logging configuration is in use", Error, err.Error())
	}
	return logger
}
