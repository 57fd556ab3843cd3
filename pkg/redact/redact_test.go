package redact

import (
	"slices"
	"strings"
	"testing"
)

func TestTextHidesWhatLooksLikeASecret(t *testing.T) {
	for text, want := range map[string]string{
		"fetch https://alice:s3cr3t@repo.example/job.jar": "fetch https://alice:******@repo.example/job.jar",
		"fetch https://ghp_abc123@github.com/a/b":         "fetch https://******@github.com/a/b",
		"jar at https://b.example/j.jar?X-Amz-Signature=ab12&" +
			"X-Amz-Date=1": "jar at https://b.example/j.jar?X-Amz-Signature=******&X-Amz-Date=1",
		"https://a.blob.example/j.jar?sv=2024&sig=x%2Fy%3D": "https://a.blob.example/j.jar?sv=2024&sig=******",
		"https://x.example/d?access_token=abc":              "https://x.example/d?access_token=******",
		"jdbc:postgresql://db:5432/app?user=a&password=hunter2 " +
			"failed": "jdbc:postgresql://db:5432/app?user=a&password=****** failed",
		"jdbc:sqlserver://db:1433;user=a;password=hunter2;" +
			"ssl=true": "jdbc:sqlserver://db:1433;user=a;password=******;ssl=true",
		"redis://:hunter2@cache:6379": "redis://:******@cache:6379",
		`sasl.jaas.config=org.a.PlainLoginModule required ` +
			`password="p q";`: `sasl.jaas.config=****** password="******";`,
		`{"password":"hunter two","user":"a"}`:      `{"password":"******","user":"a"}`,
		`message {\"token\":\"abc def\"}`:           `message {\"token\":\"******\"}`,
		"s3.secret-key: abc, s3.endpoint: http://m": "s3.secret-key: ******, s3.endpoint: http://m",
		"DB_PASSWORD=hunter2":                       "DB_PASSWORD=******",
		"fs.s3a.access.key = AKIA123":               "fs.s3a.access.key = ******",
		"java -Djavax.net.ssl.keyStorePassword=changeit " +
			"-Xmx1g": "java -Djavax.net.ssl.keyStorePassword=****** -Xmx1g",
		"run [--db-password, hunter2, --port, 1]":                             "run [--db-password, ******, --port, 1]",
		`run ["--db-password","hunter2","--port"]`:                            `run ["--db-password","******","--port"]`,
		"run --api-key abc --port 1":                                          "run --api-key ****** --port 1",
		"Authorization: Bearer abc123def":                                     "Authorization: Bearer ******",
		"Authorization: Basic dXNlcjpwYXNz":                                   "Authorization: Basic ******",
		"got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln from x":                "got ****** from x",
		"-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----": "******",
		"cut -----BEGIN PRIVATE KEY-----\nMII":                                "cut ******",
		`password="cut off here`:                                              `password="****** off here`,
	} {
		if got := Text(text); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
}

func TestTextLeavesOtherTextsAsTheyAre(t *testing.T) {
	for _, text := range []string{
		"",
		"org.apache.kafka.common.errors.InvalidTokenException: Connection refused",
		"at org.a.TokenService.get(TokenService.java:33)",
		"Failed to obtain delegation token: java.io.IOException: refused",
		"cannot obtain token: connection refused",
		`secrets "flink-tls" is forbidden: User "system:serviceaccount:flink:flink" cannot get resource "secrets"`,
		"get Secret flink/tls-token: not found",
		"wasbs://container@account.blob.core.windows.net/checkpoints/1",
		"s3://bucket/savepoints/savepoint-1",
		"basic authentication failed",
		"the partition key=user_id",
		"run --input a --output b --parallelism 4",
		"a TaskManager did not answer within 10 s",
		"fs.s3a.aws.credentials.provider: com.amazonaws.Provider",
		"--password --verbose",
	} {
		if got := Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestArguments(t *testing.T) {
	for _, row := range []struct {
		reason     string
		args, want []string
	}{
		{
			"a value follows its option", []string{"--password", "hunter2", "--in", "a"},
			[]string{"--password", "******", "--in", "a"},
		},
		{"one dash is an option, too", []string{"-db.password", "hunter2"}, []string{"-db.password", "******"}},
		{"an assigned value", []string{"--password=hunter2=x", "b"}, []string{"--password=******", "b"}},
		{"a system property", []string{"-Ds3.secret-key=abc"}, []string{"-Ds3.secret-key=******"}},
		{"without dashes", []string{"password=hunter2"}, []string{"password=******"}},
		{"an option without a value", []string{"--with-token", "--in", "a"}, []string{"--with-token", "--in", "a"}},
		{"nobody knows what key it is", []string{"--key", "abc", "--key=abc"}, []string{"--key", "******", "--key=******"}},
		{"a key to partition by", []string{"--partition-key", "user"}, []string{"--partition-key", "user"}},
		{"a URL", []string{"--jdbc", "jdbc:mysql://u:hunter2@db/x"}, []string{"--jdbc", "jdbc:mysql://u:******@db/x"}},
		{"a query keeps its names", []string{"https://h/p?sig=abc&v=1"}, []string{"https://h/p?sig=******&v=1"}},
		{"the last is an option", []string{"--password"}, []string{"--password"}},
		{"no list", nil, nil},
	} {
		if got := Arguments(row.args); !slices.Equal(got, row.want) || (got == nil) != (row.want == nil) {
			t.Errorf("%s: %q, want %q", row.reason, got, row.want)
		}
	}
}

func TestKnownSecretsAreHidden(t *testing.T) {
	s := Known([]map[string]string{{
		"s3.secret-key": "kW9/x+z", "env.java.opts.all": "-Dpass.token=opts77 -Xmx1g", "some.token.enabled": "true",
		"rest.port":                    "8081",
		"user.artifacts.http.header":   "X-Key:first7,Authorization:Bearer second7",
		"sasl.jaas.config":             `org.a.Plain required username="me" password="third7";`,
		"high-availability.storageDir": "s3://bucket/ha", "mail.password": "Ab1!",
	}}, []string{"--db-password", "hunter2hunter2", "--url", "https://u:urlpass@h/x"})
	for text, want := range map[string]string{
		"the request kW9/x+z failed":       "the request ****** failed",
		"GET /a?b=kW9%2Fx%2Bz":             "GET /a?b=******",
		"Unknown argument hunter2hunter2.": "Unknown argument ******.",
		"xxhunter2hunter2yy":               "xx******yy",
		"login with opts77 and urlpass":    "login with ****** and ******",
		"Ab1! is not XAb1!Y":               "****** is not XAb1!Y",
		"first7, second7 and third7":       "******, ****** and ******",
		"is true at s3://bucket/ha:8081":   "is true at s3://bucket/ha:8081",
	} {
		if got := s.Text(text); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
	if got := (Secrets{}).Text("--token abcdef"); got != "--token ******" {
		t.Errorf("no known secrets: %q", got)
	}
}

// A text that was cut may end within a secret. What is left of it is hidden, too.
func TestWhatIsLeftOfAKnownSecretIsHidden(t *testing.T) {
	s := Known([]map[string]string{{"s3.secret-key": "kQx7Zw", "a.password": "two\n  lines \"of\" it"}}, []string{
		"--db-password", "hunter2hunter2",
	})
	for text, want := range map[string]string{
		"cannot log in with hunter2hu…":        "cannot log in with ******…",
		"cannot log in with kQx7Z...":          "cannot log in with ******...",
		"says hunter… <- Caused by: kQx7Zw":    "says ******… <- Caused by: ******",
		"says hunter2h... and no more":         "says ******... and no more",
		"xxhunter2h…":                          "xx******…",
		"xxhu… and kQ…":                        "xxhu… and ******…",
		"says k…":                              "says k…",
		"it says hunter2h":                     "it says ******",
		"it says kQx7":                         "it says kQx7",
		"two lines \"of\" it":                  "******",
		`job.args: "two\n  lines \"of\" it" -`: `job.args: "******" -`,
		"wait…":                                "wait…",
	} {
		got := s.Text(text)
		if got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
		if again := s.Text(got); again != got {
			t.Errorf("%q, redacted again: %q", got, again)
		}
	}
}

func TestSensitiveNames(t *testing.T) {
	for name, want := range map[string]bool{
		"security.ssl.rest.keystore-password": true, "fs.s3a.access.key": true, "AWS_SECRET_ACCESS_KEY": true,
		"apiKey": true, "PGPASSWD": true,
		"fs.azure.account.key.x.net": true, "db.pwd": true, "http-headers": true,
		"kubernetes.operator.user.artifacts.http.header": true, "http.header.size": false,
		"PWD": false, "rest.port": false, "partition-key": false, "fs.s3a.aws.credentials.provider": false,
		"pipeline.name": false, "": false,
	} {
		if got := Sensitive(name); got != want {
			t.Errorf("Sensitive(%q) = %v", name, got)
		}
	}
}

// FuzzText: what was redacted stays as it is, and a long known secret is in no text.
func FuzzText(f *testing.F) {
	for _, text := range []string{
		"https://a:b@c/?sig=d", `--password "x" token=y`, `\"secret\": 'a\'b'`, "Bearer A1b2c3d4",
		"-----BEGIN PRIVATE KEY-----", "http://@/?key==;;key=",
		"token:token=token: x", "--token[--token a", "a.key\\\\\" =>b", "pa\u017f\u017fword=x token", "(-basic-auth\"\n x",
	} {
		f.Add(text, "hunter2-hunter2")
	}
	f.Fuzz(func(t *testing.T, text, secret string) {
		if !mayAssign(text) && assignment.MatchString(text) {
			t.Errorf("%q assigns something", text)
		}
		if !mayGiveOption(text) && option.MatchString(text) {
			t.Errorf("%q gives an option", text)
		}
		s := Known([]map[string]string{{"password": secret}}, strings.Fields(text))
		shown := s.Text(text)
		if again := s.Text(shown); again != shown {
			t.Errorf("%q is %q and then %q", text, shown, again)
		}
		secret = strings.TrimSpace(secret)
		if isTelling(secret) && len(secret) >= certain && !strings.Contains(secret, "*") &&
			strings.Contains(shown, secret) {
			t.Errorf("%q still shows %q: %q", text, secret, shown)
		}
		args := strings.Split(text, " ")
		if got := Arguments(args); len(got) != len(args) {
			t.Errorf("%d arguments became %d", len(args), len(got))
		}
	})
}
