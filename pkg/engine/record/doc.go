// Package record writes into status what a decision says and what the steps of an operation leave. Reconciliation
// fields move only here, and only as the reference moves them:
//
//	step        state      lastReconciledSpec                                  the generation deployed
//	stopping    UPGRADING  the old one, upgradeMode as restored, not first;    -
//	                       after a rollback the stable one, which runs
//	starting    UPGRADING  the new one, job suspended, upgradeMode as restored its own
//	released    DEPLOYED   the new one, job running; of a redeploy also        its own
//	                       lastStableSpec: a person chose it
//	rolled back ROLLING_BACK, then ROLLED_BACK: the failed one stays, but for its upgradeMode
//	scaled      DEPLOYED   the new one, upgradeMode as before                  its own
//	suspended   DEPLOYED   the new one, job suspended; also lastStableSpec     its own
//
// A recovery starts the recorded spec again and moves none of them.
//
// PURE: it writes the status that is stored later, see package plan. Start reading at Decided.
package record
