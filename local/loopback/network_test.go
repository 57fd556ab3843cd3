package loopback

import (
	"net"
	"os"
	"testing"
)

func reserve(t *testing.T, dir string) *Network {
	t.Helper()
	n, err := Reserve(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Close() })
	return n
}

func TestTwoPlatformsNeverShareANetwork(t *testing.T) {
	one, two := reserve(t, t.TempDir()), reserve(t, t.TempDir())
	if one.Server() == two.Server() {
		t.Errorf("both have %s", one.Server())
	}
	if one.Contains(two.Pod(0)) || !one.Contains(one.Pod(Pods-1)) {
		t.Errorf("%s and %s are not told apart", one.Pod(Pods-1), two.Pod(0))
	}
}

func TestADirectoryGetsItsNetworkAgain(t *testing.T) {
	// Two others keep the lowest numbers taken or free as they like: the remembered one wins.
	low, dir := reserve(t, ""), t.TempDir()
	mine, err := Reserve(dir)
	if err != nil {
		t.Fatal(err)
	}
	address := mine.Server()
	if err := mine.Close(); err != nil {
		t.Fatal(err)
	}
	if err := low.Close(); err != nil {
		t.Fatal(err)
	}
	if again := reserve(t, dir); again.Server() != address {
		t.Errorf("had %s, now %s", address, again.Server())
	}
}

func TestATakenNetworkIsReplaced(t *testing.T) {
	dir := t.TempDir()
	holder := reserve(t, dir)
	if other := reserve(t, dir); other.Server() == holder.Server() {
		t.Errorf("both have %s", other.Server())
	}
}

func TestSocketsHaveAPlaceOfTheirOwn(t *testing.T) {
	n, err := Reserve("")
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(n.Sockets())
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 || len(n.Sockets()) > 60 {
		t.Errorf("%s is %s", n.Sockets(), info.Mode())
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(n.Sockets()); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
}

func TestPodAddressesAreDistinctAndValid(t *testing.T) {
	n, seen := &Network{number: 9}, map[string]bool{}
	for i := range Pods {
		address := n.Pod(i)
		ip := net.ParseIP(address)
		if ip == nil || !ip.IsLoopback() || seen[address] || address == n.Server() {
			t.Fatalf("pod %d has %s", i, address)
		}
		seen[address] = true
	}
}

func TestABusyPortIsNoObstacle(t *testing.T) {
	n := reserve(t, "")
	one, err := n.Listen(n.Server(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	port := one.Addr().(*net.TCPAddr).Port
	two, err := n.Listen(n.Server(), port)
	if err != nil {
		t.Fatal(err)
	}
	defer two.Close()
	if two.Addr().(*net.TCPAddr).Port == port {
		t.Errorf("both listen on port %d", port)
	}
}
