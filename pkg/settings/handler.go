package settings

import (
	"context"
	"net/http"
	"sync"

	"go.uber.org/zap"
)

// Handler answers with a function that is made anew for each change of the settings: a request that has begun is
// finished with the settings that it began with, the next one has the new ones. Safe for concurrent use.
type Handler struct {
	// Source has the settings.
	Source *Source
	// Make makes the function.
	Make func(Settings) (http.Handler, error)
	// Tell is told the settings before the function is asked; nil is not.
	Tell func(context.Context, Now)
	// Log gets what cannot be told otherwise.
	Log *zap.SugaredLogger

	mu      sync.Mutex
	made    http.Handler
	version int
	problem string
}

// ServeHTTP answers 503 while there are no settings, so that the event comes again.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now, err := h.Source.Current(r.Context())
	if err == nil {
		var function http.Handler
		if function, err = h.function(now); err == nil {
			if h.Tell != nil {
				h.Tell(r.Context(), now)
			}
			function.ServeHTTP(w, r)
			return
		}
	}
	h.Log.Errorw("the settings cannot be used", "error", err.Error())
	http.Error(w, "the settings cannot be used; see the log", http.StatusServiceUnavailable)
}

// function is that of the settings. One that cannot be made leaves the last one in its place.
func (h *Handler) function(now Now) (http.Handler, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now.Problem != h.problem {
		if h.problem = now.Problem; now.Problem != "" {
			h.Log.Errorw("the settings cannot be read: the last good ones count", "error", now.Problem)
		}
	}
	if h.made != nil && now.Version <= h.version {
		return h.made, nil
	}
	made, err := h.Make(now.Settings)
	if err != nil {
		if h.made != nil {
			h.Log.Errorw("the new settings cannot be used: the last ones count", "error", err.Error())
			return h.made, nil
		}
		return nil, err
	}
	if h.made != nil {
		h.Log.Infow("new settings count", "namespaces", now.Settings.Namespaces)
	}
	h.made, h.version = made, now.Version
	return made, nil
}
