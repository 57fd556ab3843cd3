// Package autoscaler is being built. PURE.
package autoscaler
