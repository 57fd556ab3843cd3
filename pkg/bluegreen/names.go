package bluegreen

import (
	"strings"

	"github.com/kn-flink/kn-flink/pkg/apis/flink/v1beta1"
)

// ChildName is the name of the FlinkDeployment of a colour.
func ChildName(name string, colour v1beta1.BlueGreenType) string {
	return name + "-" + strings.ToLower(string(colour))
}

func activeState(colour v1beta1.BlueGreenType) v1beta1.BlueGreenState {
	return v1beta1.BlueGreenState("ACTIVE_" + string(colour))
}

func savepointingState(colour v1beta1.BlueGreenType) v1beta1.BlueGreenState {
	return v1beta1.BlueGreenState("SAVEPOINTING_" + string(colour))
}

func transitioningState(colour v1beta1.BlueGreenType) v1beta1.BlueGreenState {
	return v1beta1.BlueGreenState("TRANSITIONING_TO_" + string(colour))
}

// colourOf is the colour that a state names; empty for the first one, and for none.
func colourOf(state v1beta1.BlueGreenState) v1beta1.BlueGreenType {
	text := string(state)
	for _, colour := range []v1beta1.BlueGreenType{v1beta1.Blue, v1beta1.Green} {
		if state.Known() && state != v1beta1.BlueGreenInitializingBlue && strings.HasSuffix(text, "_"+string(colour)) {
			return colour
		}
	}
	return ""
}

// restState is the state while nothing is under way: that of the side that serves, or the first one.
func restState(active v1beta1.BlueGreenType) v1beta1.BlueGreenState {
	if active == "" {
		return v1beta1.BlueGreenInitializingBlue
	}
	return activeState(active)
}

// pathOf is the path of a savepoint as the FlinkDeployment gets it: the scheme file is left out, as the Java operator
// does. Elsewhere in a path it stays.
func pathOf(location string) string { return strings.TrimPrefix(location, "file:") }
