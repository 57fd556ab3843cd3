package podtemplate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const probe = `"startupProbe":{"failureThreshold":2147483647,"httpGet":{"path":"/config","port":"rest"},` +
	`"periodSeconds":1}`

// TestMake has a row for every case that the Java operator's tests cover, and the ones between.
func TestMake(t *testing.T) {
	storage := func(quantity string) Resources {
		one := map[string]string{"ephemeral-storage": quantity}
		return Resources{Requests: one, Limits: one}
	}
	const sized2G = `"resources":{"requests":{"ephemeral-storage":"2G"},"limits":{"ephemeral-storage":"2G"}}`
	tests := map[string]struct {
		common, component, want string
		extra                   Resources
		probe                   bool
		reason                  string
	}{
		"nothing": {
			reason: "no layer, no template: the key and the volume stay away",
		},
		"startup probe on an empty template": {
			component: `{}`, probe: true,
			want:   `{"spec":{"containers":[{"name":"flink-main-container",` + probe + `}]}}`,
			reason: "spec and container are made for the probe",
		},
		"startup probe without a template": {
			probe:  true,
			want:   `{"spec":{"containers":[{"name":"flink-main-container",` + probe + `}]}}`,
			reason: "so in practice a JobManager always has a template",
		},
		"custom probe": {
			component: `{"spec":{"containers":[{"name":"flink-main-container","startupProbe":{}}]}}`, probe: true,
			want:   `{"spec":{"containers":[{"name":"flink-main-container","startupProbe":{}}]}}`,
			reason: "the user's own probe is kept even when it is empty",
		},
		"unnamed container": {
			component: `{"spec":{"containers":[{"image":"i"}]}}`, probe: true,
			want:   `{"spec":{"containers":[{"image":"i"},{"name":"flink-main-container",` + probe + `}]}}`,
			reason: "a container without a name is a sidecar",
		},
		"common template only": {
			common: `{"spec":{"containers":[{"name":"c0"}]}}`,
			want:   `{"spec":{"containers":[{"name":"c0"}]}}`,
			reason: "without probe and storage no main container is needed",
		},
		"ephemeral storage": {
			common: `{"spec":{"containers":[{"name":"c0"}]}}`, extra: storage("2G"),
			want:   `{"spec":{"containers":[{"name":"c0"},{"name":"flink-main-container",` + sized2G + `}]}}`,
			reason: "a missing main container is appended at the end",
		},
		"ephemeral storage on an existing main container": {
			component: `{"spec":{"containers":[{"name":"flink-main-container"},{"name":"side"}]}}`, extra: storage("2G"),
			want:   `{"spec":{"containers":[{"name":"flink-main-container",` + sized2G + `},{"name":"side"}]}}`,
			reason: "the container keeps its place",
		},
		"storage and probe": {
			common: `{"spec":{"containers":[{"name":"c0"}]}}`, extra: storage("2G"), probe: true,
			want:   `{"spec":{"containers":[{"name":"c0"},{"name":"flink-main-container",` + sized2G + `,` + probe + `}]}}`,
			reason: "both go to the same container",
		},
		"component image": {
			component: `{"spec":{"containers":[{"name":"flink-main-container","image":"test"},{"name":"c0"}]}}`, probe: true,
			want:   `{"spec":{"containers":[{"name":"flink-main-container","image":"test",` + probe + `},{"name":"c0"}]}}`,
			reason: "the template's image is kept: Flink decides later whether it counts",
		},
		"common and component": {
			common: `{"spec":{"dnsPolicy":"None"}}`, component: `{"spec":{"containers":[{"name":"c1"}]}}`,
			want:   `{"spec":{"dnsPolicy":"None","containers":[{"name":"c1"}]}}`,
			reason: "fields of both layers count",
		},
		"different request and limit": {
			extra: Resources{
				Requests: map[string]string{"ephemeral-storage": "10Gi"},
				Limits:   map[string]string{"ephemeral-storage": "20Gi"},
			},
			want: `{"spec":{"containers":[{"name":"flink-main-container",
				"resources":{"requests":{"ephemeral-storage":"10Gi"},"limits":{"ephemeral-storage":"20Gi"}}}]}}`,
			reason: "requests and limits are laid over separately",
		},
		"no other resources": {
			component: `{"metadata":{"labels":{"a":"b"}}}`, extra: Resources{Requests: map[string]string{}},
			want:   `{"metadata":{"labels":{"a":"b"}}}`,
			reason: "cpu and memory alone leave the template as it is",
		},
		"metadata only": {
			component: `{"metadata":{"labels":{"a":"b"}}}`, extra: storage("2G"),
			want: `{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"flink-main-container",` + sized2G +
				`}]}}`,
			reason: "metadata is kept and the container is made",
		},
		"resources of the template": {
			component: `{"spec":{"containers":[{"name":"flink-main-container",
				"resources":{"requests":{"x/gpu":"1","ephemeral-storage":"1G"}}}]}}`,
			extra: Resources{Requests: map[string]string{"ephemeral-storage": "2G"}},
			want: `{"spec":{"containers":[{"name":"flink-main-container",
				"resources":{"requests":{"x/gpu":"1","ephemeral-storage":"2G"}}}]}}`,
			reason: "the spec's resources win by name, the template's others stay",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			layers := Layers{
				Common: tree(t, test.common), Component: tree(t, test.component),
				Extra: test.extra, StartupProbe: test.probe,
			}
			got := Make(layers)
			if diff := cmp.Diff(tree(t, test.want), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.reason, diff)
			}
			layers.Common, layers.Component = nil, got
			if diff := cmp.Diff(got, Make(layers)); diff != "" {
				t.Errorf("made twice is made once (-once +twice):\n%s", diff)
			}
		})
	}
}

// TestDocumentedExample is the example of the Java operator's documentation for the two ways to merge.
func TestDocumentedExample(t *testing.T) {
	base := tree(
		t,
		`{"spec":{"containers":[{"name":"flink-main-container","volumeMounts":[{"name":"a","mountPath":"/a"}]},`+
			`{"name":"first"}]}}`,
	)
	over := tree(t, `{"spec":{"containers":[{"name":"second","image":"i"}]}}`)
	byPosition := tree(
		t,
		`{"spec":{"containers":[{"name":"second","image":"i","volumeMounts":[{"name":"a","mountPath":"/a"}]},`+
			`{"name":"first"}]}}`,
	)
	byName := tree(
		t,
		`{"spec":{"containers":[{"name":"flink-main-container","volumeMounts":[{"name":"a","mountPath":"/a"}]},`+
			`{"name":"first"},{"name":"second","image":"i"}]}}`,
	)
	if diff := cmp.Diff(byPosition, Make(Layers{Common: base, Component: over, Lists: ByPosition})); diff != "" {
		t.Errorf("by position (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(byName, Make(Layers{Common: base, Component: over, Lists: ByName})); diff != "" {
		t.Errorf("by name (-want +got):\n%s", diff)
	}
}
