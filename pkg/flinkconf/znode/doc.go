// Package znode says where Flink's high availability keeps the data of a cluster in ZooKeeper, and what that data
// means.
//
// PURE. It must not know how ZooKeeper is reached; package zookeeper does.
//
// # What Flink really keeps
//
// Seen in Flink 1.20.5 and 2.2.1 (testdata has what they left; ZooKeeperUtils and ZooKeeperStateHandleStore say the
// same):
//
//	<chroot of the quorum>/<high-availability.zookeeper.path.root>/<high-availability.cluster-id>
//	  leader/latch/<uuid>-latch-<number>                    ephemeral; one for each JobManager that lives
//	  leader/<component>/connection_info                    ephemeral; dispatcher, resource_manager, rest_server,
//	                                                        job-<id>
//	  jobs/<job id>/checkpoints/<19 digits>                 a completed checkpoint
//	  jobs/<job id>/checkpoints/<19 digits>/locks/<uuid>    ephemeral
//	  jobs/<job id>/checkpoint_id_counter
//	  jobgraphs/<job id>, from 2.0 on execution-plans/<job id>, with locks below
//
// The ephemeral nodes go with the session of their JobManager: at once when it ends in good order, else after its
// session timeout (at most high-availability.zookeeper.client.session-timeout, 1 min). When a job has ended for good
// its nodes below jobs and jobgraphs go.
//
// Start reading at At for the place and Tree for the meaning.
package znode
