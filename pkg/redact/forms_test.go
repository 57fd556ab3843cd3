package redact

import (
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// everyday are texts with a secret that holds "s3cr3t", as users and programs write them.
var everyday = []string{
	"run --api-key s3cr3t --port 1", "asked with bearer s3cr3t1 and failed",
	"fetch https://me:s3cr3t@repo.example/job.jar",
	"DB_PASS=s3cr3t", "export DB_PASS='s3cr3t'", "MYSQL_PASS: s3cr3t", "dbPass=s3cr3t", "pgpass=s3cr3t",
	"password = my s3cr3t phrase", "db.password: correct horse s3cr3t", "set PASSWORD=two s3cr3t words",
	"password: |\n  first s3cr3t\n  second s3cr3t\nuser: me", "  token: >-\n    s3cr3t\n  next: 1",
	"credentials:\n  user: me\n  word: s3cr3t\nother: 1", "api-key:\n- s3cr3t1\n", "secret: |2-\n    s3cr3t",
	`{"credentials":{"user":"me","word":"s3cr3t"}}`, `{"secret":{"value":"s3cr3t"},"a":1}`,
	`{"tokens":["s3cr3t","x"]}`, `{\"password\":{\"value\":\"s3cr3t\"}}`,
	`{"name":"DB_PASSWORD","value":"s3cr3t"}`, "- name: DB_PASSWORD\n  value: s3cr3t",
	`name: API_TOKEN, value: s3cr3t`, `{"key":"db.password","value":"s3cr3t"}`,
	"Cookie: sid=s3cr3t; theme=dark", "Set-Cookie: JSESSIONID=s3cr3t; Path=/; HttpOnly", "cookie=s3cr3t=1",
	`-H "Cookie: a=s3cr3t"`, "X-Api-Key: s3cr3t", "x-auth-token: s3cr3t", "X-Amz-Security-Token: s3cr3t",
	"Authorization: Digest username=\"me\", response=s3cr3t", "Authorization: Token s3cr3t1",
	"Authorization: ApiKey s3cr3t", "authorization=AWS4-HMAC-SHA256 Credential=AKIA/x, Signature=s3cr3t",
	"Proxy-Authorization: Basic s3cr3tAAA=", `{"Authorization":"Negotiate s3cr3t"}`,
	"jdbc:oracle:thin:scott/s3cr3t@db:1521/orcl", "sqlplus scott/s3cr3t@orcl", "scott/s3cr3t@//db:1521/orcl",
	"connect scott/s3cr3t@orcl", "scott/s3cr3t@db:1521/orcl", "url=scott/s3cr3t@(DESCRIPTION=(x))",
	"curl -u me:s3cr3t https://h/x", `curl --user "me:s3cr3t" https://h`, "mysql -h db -u me -ps3cr3t shop",
	"ghp_s3cr3tAAAABBBBCCCC", "github_pat_s3cr3t00AAAABBBBCC", "glpat-s3cr3tAAAABBBBCC",
	"xoxb-1234-s3cr3t", "sk-s3cr3tAAAABBBBCCCC", "sk_live_s3cr3tAAAA", "hvs.s3cr3tAAAABBBBCCCC",
	"npm_s3cr3tAAAABBBBCCCC", "hf_s3cr3tAAAABBBBCCCC", "ya29.s3cr3tAAAABBBBCCCC",
	"sid=s3cr3t", `"session":"s3cr3t"`, "auth=s3cr3t", "JSESSIONID=s3cr3t", "login failed; sessionid=s3cr3t",
	"jwt=s3cr3t", "jwt: s3cr3t", "user.passcode=s3cr3t", "SharedAccessKey=s3cr3t;EntityPath=x",
	"DefaultEndpointsProtocol=https;AccountName=a;AccountKey=s3cr3tAAAABBBBCCCC==;EndpointSuffix=x",
	"-----BEGIN OPENSSH PRIVATE KEY-----\ns3cr3t\n-----END OPENSSH PRIVATE KEY-----",
}

// TestEverydayFormsOfSecretsAreHidden: one, and many in one text.
func TestEverydayFormsOfSecretsAreHidden(t *testing.T) {
	for _, text := range everyday {
		got := Text(text)
		if strings.Contains(got, "s3cr3t") {
			t.Errorf("%q\n still shows %q", text, got)
		}
		if again := Text(got); again != got {
			t.Errorf("%q is %q and then %q", text, got, again)
		}
	}
	for _, text := range everyday {
		// more than there are turns
		if got := Text(strings.Repeat(text+"\n", mostTurns+1)); strings.Contains(got, "s3cr3t") {
			t.Errorf("%q, many times in one text,\n still shows %q", text, got)
		}
	}
	if got := Text("the key AKIAIOSFODNN7EXAMPLE of it"); got != "the key ****** of it" {
		t.Errorf("an access key of AWS: %q", got)
	}
}

func TestEverydayTextsStayAsTheyAre(t *testing.T) {
	for _, text := range []string{
		"the session cluster: demo", "session: session-cluster", "pass 3 of 10 failed", "passed: 12", "bypass=true",
		"image example.org/team/app@sha256:0123456789abcdef not found", "actions/checkout@v4", "java.lang.Object@1b2c3d4e",
		"s3://bucket/a/b@1", "mail to a@b.example", "author: somebody", "authenticate with Kerberos first",
		"key: value", "keys:\n- a\n- b", "basePath=/a", "cookies are not used here", "compass=north",
		"Authorization failed: the user has no right", "high-availability.zookeeper.client.session-timeout: 60000",
		"x-forwarded-for: 10.0.0.1",
		"set high-availability.zookeeper.client.authorization: then kubectl patch a/b --type merge",
		"name: demo, value: 3", "kubectl logs -p demo", "the token: of the lease ran out",
		"wasb://c@a.blob.core.windows.net/x", "SocketTimeoutException: sk-learn", "task hf_model of 3",
	} {
		if got := Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// TestRedactionGrowsWithTheText: 16 times the text may take 20 times the time, whatever a tenant writes into it and
// names as secret.
func TestRedactionGrowsWithTheText(t *testing.T) {
	secrets := []map[string]string{{"my.password": strings.Repeat("a", 60000) + "b"}}
	for i := range 300 {
		secrets[0]["k"+strings.Repeat("x", i)+".password"] = strings.Repeat("a", 40+i) + "b"
	}
	known := Known(secrets)
	for name, piece := range map[string]string{
		"the beginnings of secrets before marks": strings.Repeat("a", 500) + strings.Repeat("...", 200),
		"one letter":                             "a",
		"marks":                                  "...",
		"ellipses":                               "…",
		"open quotes":                            `password="`,
		"escaped quotes":                         `password=\\\"`,
		"nested":                                 `"secret":{`,
		"brackets":                               "secret={[{[",
		"blocks":                                 "token:\n  a\n",
		"deep blocks":                            " token:\n",
		"headers":                                "Cookie: ",
		"logins":                                 "a/a@",
		"addresses":                              "http://a:",
		"parameters":                             "http://a/?key=&",
		"private keys":                           "-----BEGIN PRIVATE KEY-----",
		"web tokens":                             "eyJaaaaaaaa.",
		"options":                                " --password",
		"names":                                  "token.",
		"signs":                                  "token = = :",
		"lists":                                  "name: token value: ",
		"mysql":                                  "mysql -p ",
		"spaces":                                 "token \t ",
		"weak":                                   "sid=",
		"lines":                                  "token=a b c\n",
	} {
		text := func(size int) string { return strings.Repeat(piece, size/len(piece)+1)[:size] }
		small, large := shortest(known, text(4<<10)), shortest(known, text(64<<10))
		// a thread's clock counts milliseconds
		if large > 20*max(small, 2*time.Millisecond) {
			t.Errorf("%s: 4 KiB take %s, 64 KiB %s: %.0f times, want 20 at most", name, small, large,
				float64(large)/float64(small))
		}
	}
}

// shortest is the least time of three that a thread worked on it.
func shortest(s Secrets, text string) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	worked := func() time.Duration {
		var usage syscall.Rusage
		_ = syscall.Getrusage(rusageThread, &usage)
		return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	least := time.Hour
	for range 3 {
		started := worked()
		s.Text(text)
		least = min(least, worked()-started)
	}
	return least
}

// rusageThread is RUSAGE_THREAD of Linux.
const rusageThread = 1
