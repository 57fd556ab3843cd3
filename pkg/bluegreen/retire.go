package bluegreen

import (
	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// retire deletes the old side. From here on the target serves, ready or not.
func retire(v view, t v1beta1.BlueGreenTransition) Decision {
	side := v.Side(t.From)
	old, there := side.Get()
	switch {
	case side.IsUnknown():
		return v.at(t, Retiring, unobservable("FlinkDeployment "+v.name(t.From), side.Why()).Wait)
	case there && old.UID == t.RetiredUID && old.DeletionTimestamp == nil:
		return v.retiring(t)
	case there && old.UID == t.RetiredUID:
		return v.serves(t, old)
	}
	return v.serves(t, nil)
}

// retired waits until the old side is gone.
func retired(v view, t v1beta1.BlueGreenTransition) Decision {
	side := v.Side(t.From)
	old, there := side.Get()
	d := Decision{Situation: Retiring, Status: v.next(), Wait: v.terminating(t.From)}
	switch {
	case side.IsUnknown():
		d.Wait = unobservable("FlinkDeployment "+v.name(t.From), side.Why()).Wait
		return d
	case there && old.UID == t.RetiredUID && old.DeletionTimestamp == nil: // its deletion was not accepted after all
		d.Actions = v.deletion(t.From)
	case there && old.UID == t.RetiredUID:
		v.goes(&d, old)
	default:
		d.Status.Transition = nil
		d.Again, d.Ahead = true, true
		return d
	}
	if serving := v.ours(t.Target); serving != nil {
		v.maintain(serving, &d)
	}
	return d
}
