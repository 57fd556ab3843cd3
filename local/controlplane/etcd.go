package controlplane

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/embed"
)

// etcdURL is the Unix socket that only this user can open: etcd has no users of its own here.
func (c *ControlPlane) etcdURL(name string) url.URL {
	return url.URL{Scheme: "unix", Path: filepath.Join(c.options.Network.Sockets(), name)}
}

// startEtcd runs etcd without fsync: a process that is killed loses nothing, a machine that loses power may.
func (c *ControlPlane) startEtcd(ctx context.Context) error {
	config := embed.NewConfig()
	config.Name = "local"
	config.Dir = filepath.Join(c.options.Dir, "etcd")
	config.UnsafeNoFsync = true
	config.LogLevel = "warn"
	config.WarningUnaryRequestDuration = embed.DefaultWarningUnaryRequestDuration // its zero is every request
	config.LogOutputs = []string{filepath.Join(c.options.Dir, "log", "etcd.log")}
	config.ListenClientUrls, config.ListenPeerUrls = []url.URL{c.etcdURL("etcd")}, []url.URL{c.etcdURL("peer")}
	// A member has to say where others find it. There are no others, and nobody listens there.
	nowhere := url.URL{Scheme: "http", Host: "127.0.0.1:2380"}
	config.AdvertiseClientUrls, config.AdvertisePeerUrls = []url.URL{nowhere}, []url.URL{nowhere}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	if err := os.MkdirAll(config.Dir, 0o700); err != nil {
		return err
	}
	server, err := embed.StartEtcd(config)
	if err != nil {
		return err
	}
	c.run("etcd", func(ctx context.Context) error {
		defer server.Close()
		select {
		case <-ctx.Done():
			return nil
		case err := <-server.Err():
			return err
		case <-server.Server.StopNotify():
			return errors.New("stopped")
		}
	})
	select {
	case <-server.Server.ReadyNotify():
		return nil
	case err := <-c.failed:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
