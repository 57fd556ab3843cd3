package flinkrest

import (
	"context"
	"errors"
	"net/http"

	"github.com/kn-flink/kn-flink/pkg/flinkrest/wire"
)

// Overview is the cluster in numbers (GET /overview).
type Overview struct {
	// TaskManagers is the number of registered TaskManagers.
	TaskManagers int `json:"taskmanagers"`
	// SlotsTotal is the number of task slots of all TaskManagers.
	SlotsTotal int `json:"slots-total"`
	// SlotsAvailable is the number of slots that no task has.
	SlotsAvailable int `json:"slots-available"`
	// JobsRunning counts the jobs that have not ended, whatever they do.
	JobsRunning int `json:"jobs-running"`
	// JobsFinished counts ended jobs in FINISHED that the JobManager still remembers (jobstore.expiration-time).
	JobsFinished int `json:"jobs-finished"`
	// JobsCancelled counts those in CANCELED.
	JobsCancelled int `json:"jobs-cancelled"`
	// JobsFailed counts those in FAILED.
	JobsFailed int `json:"jobs-failed"`
	// FlinkVersion is the version, such as "1.20.5".
	FlinkVersion string `json:"flink-version"`
	// FlinkCommit is the abbreviated commit of the build.
	FlinkCommit string `json:"flink-commit"`
}

func (o *Overview) Check() error { return required("flink-version", o.FlinkVersion) }

// ClusterConfig is what the web page is configured with (GET /config). It needs no leader: an answer only shows that
// the JobManager process listens.
type ClusterConfig struct {
	// FlinkVersion is the version, such as "2.2.1".
	FlinkVersion string `json:"flink-version"`
	// FlinkRevision is the commit and its date, such as "b1fe7b4 @ 2024-07-25T06:55:55+02:00".
	FlinkRevision string `json:"flink-revision"`
	// Features are the switches of the page.
	Features struct {
		// WebSubmit is web.submit.enable: without it the /jars paths do not exist.
		WebSubmit bool `json:"web-submit"`
		// WebCancel is web.cancel.enable; it governs the page only, not PATCH /jobs/:jobid.
		WebCancel bool `json:"web-cancel"`
	} `json:"features"`
}

func (c *ClusterConfig) Check() error { return required("flink-version", c.FlinkVersion) }

// TaskManager is one entry of GET /taskmanagers.
type TaskManager struct {
	// ID is the resource ID; in native mode the pod's name.
	ID string `json:"id"`
	// Path is the RPC address, with host and port.
	Path string `json:"path"`
	// DataPort is the port of the network stack; 0 or less: not known.
	DataPort int `json:"dataPort"`
	// LastHeartbeat is the time of the last heartbeat, in spite of its key timeSinceLastHeartbeat.
	LastHeartbeat Millis `json:"timeSinceLastHeartbeat"`
	// Slots is the number of task slots.
	Slots int `json:"slotsNumber"`
	// FreeSlots is the number of slots that no task has.
	FreeSlots int `json:"freeSlots"`
	// Hardware is what the TaskManager's JVM sees.
	Hardware struct {
		// CPUCores is the number of processors of the JVM.
		CPUCores int `json:"cpuCores"`
		// PhysicalMemory, in bytes, is the machine's.
		PhysicalMemory int64 `json:"physicalMemory"`
		// FreeMemory, in bytes, is the JVM's maximum heap.
		FreeMemory int64 `json:"freeMemory"`
		// ManagedMemory, in bytes, is Flink's own.
		ManagedMemory int64 `json:"managedMemory"`
	} `json:"hardware"`
	// Memory is the memory model (TaskExecutorProcessSpec), in bytes; fields are null before the JVM options are known.
	Memory struct {
		// TotalFlinkMemory is taskmanager.memory.flink.size, in bytes.
		TotalFlinkMemory int64 `json:"totalFlinkMemory"`
		// TotalProcessMemory is taskmanager.memory.process.size, in bytes.
		TotalProcessMemory int64 `json:"totalProcessMemory"`
		// TaskHeap is taskmanager.memory.task.heap.size, in bytes.
		TaskHeap int64 `json:"taskHeap"`
		// ManagedMemory is taskmanager.memory.managed.size, in bytes.
		ManagedMemory int64 `json:"managedMemory"`
		// NetworkMemory is taskmanager.memory.network.*, in bytes.
		NetworkMemory int64 `json:"networkMemory"`
		// JVMMetaspace is taskmanager.memory.jvm-metaspace.size, in bytes.
		JVMMetaspace int64 `json:"jvmMetaspace"`
		// JVMOverhead is taskmanager.memory.jvm-overhead.*, in bytes.
		JVMOverhead int64 `json:"jvmOverhead"`
	} `json:"memoryConfiguration"`
	// Blocked is true while the TaskManager gets no new tasks (Flink 1.17 and later).
	Blocked bool `json:"blocked"`
}

type taskManagers struct {
	List *[]TaskManager `json:"taskmanagers"`
}

// Items reads the TaskManagers one by one.
func (t *taskManagers) Items() map[string]func([]byte) error {
	return map[string]func([]byte) error{"taskmanagers": func(text []byte) error {
		if t.List == nil {
			t.List = &[]TaskManager{}
		}
		var one taskManagers
		return appended(text, t.List, &one, func() []TaskManager { return *one.List })
	}}
}

func (t *taskManagers) Check() error { return present("taskmanagers", t.List) }

// Overview reads GET /overview.
func (c *Client) Overview(ctx context.Context) (Overview, error) {
	var out Overview
	err := c.conn.Do(
		ctx, wire.Call{Op: "read cluster overview", Method: http.MethodGet, Path: []string{"overview"}, Out: &out},
	)
	return out, err
}

// ClusterConfig reads GET /config.
func (c *Client) ClusterConfig(ctx context.Context) (ClusterConfig, error) {
	var out ClusterConfig
	err := c.conn.Do(
		ctx, wire.Call{Op: "read cluster config", Method: http.MethodGet, Path: []string{"config"}, Out: &out},
	)
	return out, err
}

// JobManagerConfig reads GET /jobmanager/config: the effective Flink configuration of the running JobManager. Flink
// masks values whose keys look secret.
func (c *Client) JobManagerConfig(ctx context.Context) (map[string]string, error) {
	var out configEntries
	err := c.conn.Do(
		ctx,
		wire.Call{Op: "read JobManager config", Method: http.MethodGet, Path: []string{"jobmanager", "config"}, Out: &out},
	)
	if err != nil {
		return nil, err
	}
	config := make(map[string]string, len(out))
	for _, entry := range out {
		config[entry.Key] = entry.Value
	}
	return config, nil
}

type configEntries []struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

func (c *configEntries) Check() error {
	if *c == nil {
		return errors.New("a list of keys and values is missing")
	}
	return nil
}

// TaskManagers reads GET /taskmanagers.
func (c *Client) TaskManagers(ctx context.Context) ([]TaskManager, error) {
	var out taskManagers
	err := c.conn.Do(
		ctx, wire.Call{Op: "list TaskManagers", Method: http.MethodGet, Path: []string{"taskmanagers"}, Out: &out},
	)
	if err != nil {
		return nil, err
	}
	return *out.List, nil
}

// ShutdownCluster asks the JobManager to end itself (DELETE /cluster). In native mode it deregisters the application:
// the JobManager Deployment and the HA data are deleted by Flink.
func (c *Client) ShutdownCluster(ctx context.Context) error {
	return c.conn.Do(ctx, wire.Call{Op: "shut the cluster down", Method: http.MethodDelete, Path: []string{"cluster"}})
}

func required(field, value string) error {
	if value == "" {
		return errors.New("field " + field + " is missing")
	}
	return nil
}

func present[T any](field string, value *T) error {
	if value == nil {
		return errors.New("field " + field + " is missing")
	}
	return nil
}
