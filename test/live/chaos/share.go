package chaos

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/kn-flink/kn-flink/local/flink"
	"github.com/kn-flink/kn-flink/test/chaos"
)

// quick makes a JVM start fast, and be small.
const quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"

// Share has the JVMs of the runs share the classes that they load (class data sharing): that is most of a short life.
// What is shared is written at the end of one run for each version of Flink, unless it is there already: below the
// directory, for the very jars that it was written for.
//
// Jobs of other versions than 1.20 and 2.2 may be asked for, too; their JVMs share nothing.
func (a *Arena) Share(ctx context.Context, others ...string) error {
	shared := []string{"1.20", "2.2"}
	if err := a.serveJars(ctx, append(others, shared...)); err != nil {
		return err
	}
	release, err := flink.Resolve("1.20")
	if err != nil {
		return err
	}
	home, err := flink.Cache{Jobs: a.jobs}.Home(ctx, release)
	if err != nil {
		return err
	}
	dir := filepath.Join(a.Dir, "classes", filepath.Base(home))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	archive := filepath.Join(dir, "COMPONENT-VERSION.jsa")
	for n, version := range shared {
		if _, err := os.Stat(filepath.Join(dir, "jobmanager-"+version+".jsa")); !errors.Is(err, os.ErrNotExist) {
			continue
		}
		a.Java = quick + " -XX:ArchiveClassesAtExit=" + archive
		script := []chaos.Command{{Verb: "version", N: n}, {Verb: "apply"}, {Verb: "steady"}}
		result, err := a.Run(ctx, fmt.Sprintf("share-%d", n), script, false)
		if err != nil {
			return fmt.Errorf("a first run of Flink %s: %w\n%s", version, err, result.Log)
		}
	}
	a.Java = quick + " -XX:SharedArchiveFile=" + archive
	return nil
}
