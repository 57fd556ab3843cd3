package doctor

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Row is one check.
type Row struct {
	// Name is that of its lines, as a rule.
	Name string
	// Reads are the sources that it judges. Where one could not be read, that is its only line.
	Reads []Source
	// About says what a failure of it means.
	About string

	judge func(f Found, a Asked) []Line
	// whole is whether it makes sense of an installation that is there.
	whole bool
}

// Before are the checks of a cluster before an installation or an update: what fails stops it.
var Before = []Row{
	{"Kubernetes", []Source{Server}, "the API server lacks what the kinds need", judgeKubernetes, false},
	{"Serving", []Source{Definitions}, "no function can run", judgeServing, false},
	{"Eventing", []Source{Definitions}, "no event can arrive", judgeEventing, false},
	{"Ingress", []Source{Network, Exposed}, "the admission webhook cannot be reached", judgeIngress, false},
	{"Kinds", []Source{Definitions}, "resources are stored in a version that goes away", judgeDefinitions, false},
	{
		"Java operator", []Source{Operators, Settings}, "two operators would act on one resource", judgeJavaOperator, false,
	},
	{
		"Installations", []Source{Bindings, Namespaces}, "two installations would refuse each other's writes",
		judgeOthers, false,
	},
	{"Certificate", []Source{Webhooks}, "the webhook will not be asked", judgeCertificate, false},
	{"Rights", []Source{Rights}, "the installation would stop half way", judgeRights, false},
	{
		"Resources", []Source{Jobs, Functions}, "a resource of the Java operator would not be run in full",
		judgeResources, false,
	},
}

// BeforeKinds are the checks of a cluster before the definitions of the kinds are applied.
var BeforeKinds = []Row{Before[0], Before[4]}

// Installed are the checks of an installation.
var Installed = []Row{
	Before[0], Before[1], Before[2],
	{
		"Installation", []Source{Functions, Brokers, Sources}, "nothing acts on any resource", judgeInstallation, false,
	},
	{"Kinds", []Source{Definitions}, "a kind is missing, or of an older version", judgeInstalledKinds, true},
	{"Functions", []Source{Functions}, "nothing is changed, or nothing is observed", judgeFunctions, true},
	{"Brokers", []Source{Brokers}, "no event arrives", judgeBrokers, true},
	{"Triggers", []Source{Triggers}, "a function gets no event", judgeTriggers, true},
	{"Source", []Source{Sources}, "changes arrive with the clock, minutes late", judgeSource, true},
	{"Clock", []Source{Clocks}, "nothing in progress continues", judgeClock, true},
	{"Pods", []Source{Pods}, "a part cannot start", judgePods, true},
	{
		"Roles", []Source{Accounts, Roles, RoleBindings, ClusterRoles, ClusterRoleBindings, Functions, Webhooks},
		"a function is denied what it needs", judgeRoles, true,
	},
	{"Policies", []Source{Policies, Bindings}, "what a function or a user may not do is not refused", judgePolicies, true},
	{
		"Webhook", []Source{Webhooks, Addresses, Functions, Exposed}, "a wrong spec is reported in its status only",
		judgeWebhook, true,
	},
	{"Webhook", []Source{Webhook}, "a wrong spec is reported in its status only", judgeAnswer, true},
	{"Certificate", []Source{Webhooks, Renewals}, "the webhook is not asked", judgeTrust, true},
	Before[5], Before[6],
	{"Settings", []Source{Told}, "the newest settings are not in force", judgeSettings, true},
	{"Tenants", []Source{Jobs, Accounts}, "pods of jobs cannot start", judgeTenants, true},
	{"Resources", []Source{Jobs}, "the installation does not live", judgeUnseen, true},
}

// TakeOver are the checks of what a Java operator leaves.
var TakeOver = []Row{Before[4], Before[9], {
	"Settings", []Source{Operators, Settings}, "an option of the Java operator has no effect here", judgeUnheard, false,
}}

// Back are the checks before the Java operator takes over again.
var Back = []Row{{
	"Operations", []Source{Jobs}, "the Java operator would not finish what is open", judgeBack, false,
}}

// Needs are the sources that rows judge.
func Needs(rows []Row) (all []Source) {
	for _, r := range rows {
		for _, s := range r.Reads {
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// Judge has rows judge what was found.
func Judge(rows []Row, f Found, a Asked) Report {
	r := Report{TypeMeta: metav1.TypeMeta{APIVersion: "kn-flink/v1alpha1", Kind: "Diagnosis"}, Verdict: OK}
	for _, row := range rows {
		if row.whole && !isInstalled(f) {
			continue
		}
		if i := slices.IndexFunc(row.Reads, func(s Source) bool { return f.Unread[s] != "" }); i >= 0 {
			r.Add(line(row.Name, Warn, "not judged: %s", f.Unread[row.Reads[i]]))
			continue
		}
		r.Add(row.judge(f, a)...)
	}
	return r
}
