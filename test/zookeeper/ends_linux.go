package zookeeper

import "syscall"

// endsWithUs ends the server also when the test is killed.
func endsWithUs() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
