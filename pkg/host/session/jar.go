package session

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// JarName is what the jar of the open start is uploaded as.
func JarName(v *Job) string { return v.Look.Intent().OperationID + ".jar" }

// UploadedJar is the one of the open start, as Flink lists it.
func UploadedJar(v *Job) (Jar, bool) {
	jars, _ := v.Seen.Jars.Get()
	i := slices.IndexFunc(jars, func(j Jar) bool { return j.Name == JarName(v) })
	if i < 0 {
		return Jar{}, false
	}
	return jars[i], true
}

// ReplacedSince reports whether the JobManager became available after a time, as far as two clocks can tell.
func ReplacedSince(v *Job, at metav1.Time) bool { return at.Time.Before(v.AvailableAt().Time) }
