//go:build !linux

package zookeeper

import "syscall"

// endsWithUs has no way here: a server outlives a test that is killed.
func endsWithUs() *syscall.SysProcAttr { return nil }
