package lookout

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
	"github.com/kn-flink/kn-flink/pkg/flinkconf"
	"github.com/kn-flink/kn-flink/pkg/gather"
	"github.com/kn-flink/kn-flink/pkg/kinds"
	"github.com/kn-flink/kn-flink/pkg/preview"
)

// Edited is a resource before and after an edit.
type Edited struct {
	// Before is as it is stored; nil where it is not there.
	Before *unstructured.Unstructured
	// After is as the API server would leave it.
	After *unstructured.Unstructured
}

// mode is the upgrade mode before the edit.
func (e Edited) mode() string {
	if e.Before == nil {
		return ""
	}
	mode, _, _ := unstructured.NestedString(e.Before.Object, "spec", "job", "upgradeMode")
	return mode
}

// Preview says what would come of a resource as it was edited.
func (l *Lookout) Preview(ctx context.Context, e Edited) (preview.View, error) {
	object := held(e.After)
	kind, _ := kinds.Of(object.GetKind())
	switch {
	case kind.Pods && !kind.Counted:
		s, err := l.gatherer.BlueGreenOf(ctx, object)
		if err != nil {
			return preview.View{}, err
		}
		return preview.Pair(l.asked(e), s), nil
	case kind.Name == v1beta1.KindFlinkSessionJob:
		i, err := l.gatherer.SessionJob(ctx, object)
		if err != nil {
			return preview.View{}, err
		}
		return preview.SessionJob(l.asked(e), i), nil
	case kind.Counted:
		i, err := l.gatherer.Deployment(ctx, gather.Read{Resource: object})
		if err != nil {
			return preview.View{}, err
		}
		return preview.Deployment(l.asked(e), i), nil
	}
	return preview.View{}, fmt.Errorf("%s %s: there is no plan of this kind", object.GetKind(), object.GetName())
}

// asked is what is known of a preview beside the look.
func (l *Lookout) asked(e Edited) preview.Asked {
	a := preview.Asked{Settings: l.said, UpgradeMode: e.mode(), Unreadable: l.Unreadable()}
	for _, v := range flinkconf.For(l.settings.Extensions.Validators, e.After.GetKind(), e.After.GetNamespace()) {
		a.Validators = append(a.Validators, v.Name)
	}
	return a
}

// held is a resource with the finalizer that a pass would set first.
func held(edited *unstructured.Unstructured) *unstructured.Unstructured {
	kind, known := kinds.Of(edited.GetKind())
	if !known || !kind.Counted || slices.Contains(edited.GetFinalizers(), kind.Finalizer()) ||
		edited.GetDeletionTimestamp() != nil {
		return edited
	}
	object := edited.DeepCopy()
	object.SetFinalizers(append(object.GetFinalizers(), kind.Finalizer()))
	return object
}
