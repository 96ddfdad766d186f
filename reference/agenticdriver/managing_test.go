package agenticdriver

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	protocol "github.com/hallmark-kit/hallmark/gen/protocol/agenticdriver"
)

func snapshot(h *host) protocol.ManagementSnapshot {
	h.t.Helper()
	r := h.do("GET", "/v1/management", admin, "")
	s, err := protocol.DecodeManagementSnapshot(r.body)
	if err != nil {
		h.t.Fatalf("got %d %s", r.status, r.body)
	}
	return s
}

// configure is the body of a save.
func configure(revision, provider string, more ...string) string {
	return fmt.Sprintf(`{"revision":%q,"provider":%s%s}`, revision, provider, strings.Join(append([]string{""}, more...), ","))
}

// modelServer is a provider; more are further members.
func modelServer(id string, more ...string) string {
	return fmt.Sprintf(`{"id":%q,"kind":"openai-compatible","baseUrl":"http://127.0.0.1:9/v1","apiKeyRef":{"env":"HALLMARK_TEST_KEY"}%s}`, id, strings.Join(append([]string{""}, more...), ","))
}

func names(s protocol.ManagementSnapshot) string {
	text := string(s.AppendJSON(nil))
	text = text[strings.Index(text, `"providers":`):]
	var list []string
	for _, m := range regexp.MustCompile(`\{"id":"([a-z-]+)"`).FindAllStringSubmatch(text, -1) {
		list = append(list, m[1])
	}
	return strings.Join(list, " ")
}

func TestSavingProviders(t *testing.T) {
	path := configured(t, "{}")
	h := start(t, Options{Config: path})
	first := snapshot(h)
	if again := snapshot(h); again.Revision != first.Revision || len(first.Revision) != 64 || strings.Join(first.ExecutionProviders, " ") != "mock" {
		t.Errorf("got %s", first.AppendJSON(nil))
	}
	added := post(h, protocol.DecodeManagementSnapshot, "/v1/management/providers", admin, configure(first.Revision, modelServer("added", `"enabled":false`)))
	if added.Revision == first.Revision || !strings.Contains(names(added), "added") || strings.Join(added.ExecutionProviders, " ") != "mock" {
		t.Errorf("got %s", added.AppendJSON(nil))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h.refused("CONFIG_CONFLICT", "/v1/management/providers", admin, configure(first.Revision, modelServer("stale")))
	for name, tt := range map[string]struct{ body, code string }{
		"remove what is not there":  {configure(added.Revision, modelServer("nope"), `"remove":true`), "INVALID_CONFIG"},
		"remove with a key":         {configure(added.Revision, modelServer("added"), `"remove":true`, `"apiKey":"CANARY"`), "INVALID_CONFIG"},
		"remove what a token names": {configure(added.Revision, `{"id":"mock","kind":"extension","extensionId":"scripted","extensionVersion":"1","models":["demo"],"accountId":"account-1","settings":{}}`, `"remove":true`), "PROVIDER_IN_USE"},
		"another kind":              {configure(added.Revision, modelServer("mock")), "PROVIDER_IDENTITY_CHANGED"},
		"another account":           {configure(added.Revision, modelServer("added", `"accountId":"other"`)), "PROVIDER_IDENTITY_CHANGED"},
		"an extension":              {configure(added.Revision, `{"id":"more","kind":"extension","extensionId":"scripted","extensionVersion":"1","models":["demo"],"settings":{}}`), "UNSUPPORTED_CONFIGURATION"},
		"http to elsewhere":         {configure(added.Revision, strings.Replace(modelServer("more"), "127.0.0.1:9", "model.example", 1)), "INVALID_CONFIG"},
		"user information":          {configure(added.Revision, strings.Replace(modelServer("more"), "http://", "http://u:p@", 1)), "INVALID_CONFIG"},
		"no such member":            {configure(added.Revision, modelServer("more", `"extra":1`)), "INVALID_CONFIG"},
	} {
		t.Run(name, func(t *testing.T) {
			h.t = t
			h.refused(tt.code, "/v1/management/providers", admin, tt.body)
		})
	}
	h.t = t
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, text) || snapshot(h).Revision != added.Revision {
		t.Error("a save that was refused changed something")
	}
	// Equal content has an equal revision: A, B, A.
	removed := post(h, protocol.DecodeManagementSnapshot, "/v1/management/providers", admin, configure(added.Revision, modelServer("added"), `"remove":true`))
	if removed.Revision != first.Revision || strings.Contains(names(removed), "added") {
		t.Errorf("got %s", removed.AppendJSON(nil))
	}
	// The file is what the next host reads.
	post(h, protocol.DecodeManagementSnapshot, "/v1/management/providers", admin, configure(removed.Revision, modelServer("again")))
	revision := snapshot(h).Revision
	h.stop()
	h = start(t, Options{Config: path})
	if s := snapshot(h); s.Revision != revision || !strings.Contains(names(s), "again") {
		t.Errorf("after a restart: got %s", s.AppendJSON(nil))
	}
	// Somebody else's change of the file makes every save a conflict.
	if err := os.WriteFile(path, append(text, "\n# edited\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	h.refused("CONFIG_CONFLICT", "/v1/management/providers", admin, configure(revision, modelServer("more")))
}

func TestAKeyNeverComesBack(t *testing.T) {
	path := configured(t, "{}")
	h := start(t, Options{Config: path})
	saved := post(h, protocol.DecodeManagementSnapshot, "/v1/management/providers", admin, configure(snapshot(h).Revision, modelServer("added"), `"apiKey":"CANARY-key"`))
	m := regexp.MustCompile(`"id":"added".*?"apiKeyRef":\{"file":"([^"]*)"\}`).FindSubmatch(saved.AppendJSON(nil))
	if m == nil {
		t.Fatalf("got %s", saved.AppendJSON(nil))
	}
	info, err := os.Stat(string(m[1]))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", info, err)
	}
	if key, err := os.ReadFile(string(m[1])); err != nil || string(key) != "CANARY-key" {
		t.Errorf("got %q, %v", key, err)
	}
	if text, err := os.ReadFile(path); err != nil || bytes.Contains(text, []byte("CANARY")) {
		t.Errorf("the configuration holds the key: %v", err)
	}
	// A key whose settings cannot be saved is not kept.
	keys := filepath.Dir(string(m[1]))
	h.refused("INVALID_CONFIG", "/v1/management/providers", admin, configure(saved.Revision, strings.Replace(modelServer("more"), "http:", "ftp:", 1), `"apiKey":"CANARY-key"`))
	if files, err := os.ReadDir(keys); err != nil || len(files) != 1 {
		t.Errorf("got %v, %v", files, err)
	}
}

func TestAProviderThatIsSwitchedOffRunsNothing(t *testing.T) {
	model := newStandIn(t)
	h := start(t, Options{Config: withModelServer(t, "{}", model.url)})
	local := `{"provider":"local","model":"m","input":"hello"}`
	if r := post(h, protocol.DecodeRunResult, "/v1/runs", alice, local); r.Text != "did hello" {
		t.Errorf("got %s", r.AppendJSON(nil))
	}
	held := h.stream(alice, strings.Replace(local, "hello", "hold it", 1))
	until[*protocol.StepStarted](held)
	off := fmt.Sprintf(`{"id":"local","kind":"openai-compatible","baseUrl":%q,"accountId":"account-9","apiKeyRef":{"env":"HALLMARK_TEST_KEY"},"enabled":false}`, model.url)
	post(h, protocol.DecodeManagementSnapshot, "/v1/management/providers", admin, configure(snapshot(h).Revision, off))
	h.refused("UNSUPPORTED_MODEL", "/v1/runs", alice, local)
	held.cancel() // what ran went on until its caller left
	model.wait(func(calls map[string]int) bool { return calls["hold it"] == 1 && calls["hello"] == 1 })
}

func TestOneOfManySavesWins(t *testing.T) {
	h := start(t, Options{Config: configured(t, "{}")})
	revision := snapshot(h).Revision
	codes := make(chan string, 16)
	for i := range 16 {
		go func() {
			codes <- h.do("POST", "/v1/management/providers", admin, configure(revision, modelServer("p-"+string(rune('a'+i))))).code()
		}()
	}
	won := 0
	for range 16 {
		switch code := <-codes; code {
		case "":
			won++
		case "CONFIG_CONFLICT", "CONFIG_BUSY":
		default:
			t.Errorf("got %s", code)
		}
	}
	if got := names(snapshot(h)); won != 1 || strings.Count(got, "p-") != 1 {
		t.Errorf("%d saves won; the providers are %s", won, got)
	}
}

// setup is one step of a sign-in.
func setup(h *host, token, body string) protocol.SetupAttempt {
	h.t.Helper()
	s := post(h, protocol.DecodeProviderSetupSnapshot, "/v1/management/setup", token, body)
	if len(s.Attempts) != 1 {
		h.t.Fatalf("got %s", s.AppendJSON(nil))
	}
	return s.Attempts[0]
}

func startSetup(revision, id, binary string) string {
	return fmt.Sprintf(`{"action":"start","revision":%q,"method":"codex-device","provider":{"id":%q,"kind":"codex","accountId":"account-7","binary":%q}}`, revision, id, binary)
}

func step(action, id string) string { return fmt.Sprintf(`{"action":%q,"id":%q}`, action, id) }

// reach reads an attempt until it has the phase.
func reach(h *host, id string, phase protocol.SetupPhase) protocol.SetupAttempt {
	h.t.Helper()
	for end := time.Now().Add(bounded); ; {
		a := setup(h, admin, step("status", id))
		if a.Phase == phase {
			return a
		}
		if time.Now().After(end) {
			h.t.Fatalf("got %s", a.AppendJSON(nil))
		}
	}
}

func TestSigningIn(t *testing.T) {
	h := start(t, Options{Config: configured(t, "{}")})
	revision := snapshot(h).Revision
	a := setup(h, admin, startSetup(revision, "mine", "scripted:hold=signed"))
	if a.Phase != protocol.SetupPhaseStarting && a.Phase != protocol.SetupPhaseWaiting || a.Name != "mine" || a.Revision != revision {
		t.Errorf("got %s", a.AppendJSON(nil))
	}
	waiting := reach(h, a.ID, protocol.SetupPhaseWaiting)
	if waiting.Interaction == nil || waiting.Account != nil {
		t.Errorf("got %s", waiting.AppendJSON(nil))
	}
	h.refused("SETUP_NOT_READY", "/v1/management/setup", admin, step("accept", a.ID))
	h.refused("SETUP_NOT_FOUND", "/v1/management/setup", admin2, step("status", a.ID))
	h.refused("SETUP_NEW_INSTANCE_REQUIRED", "/v1/management/setup", admin, startSetup(revision, "mine", "scripted:approve"))
	h.refused("SETUP_NEW_INSTANCE_REQUIRED", "/v1/management/setup", admin, startSetup(revision, "mock", "scripted:approve"))
	h.refused("CONFIG_CONFLICT", "/v1/management/setup", admin, startSetup(strings.Repeat("0", 64), "yours", "scripted:approve"))
	second := setup(h, admin, startSetup(revision, "second", "scripted:hold=never"))
	r := h.do("POST", "/v1/management/setup", admin, startSetup(revision, "third", "scripted:approve"))
	if r.status != http.StatusTooManyRequests || r.code() != "SETUP_CAPACITY" {
		t.Errorf("got %d %s", r.status, r.body)
	}
	post(h, protocol.DecodeRunResult, "/v1/runs", bob, runBody(script("", `[[{"release":"signed"}]]`)))
	ready := reach(h, a.ID, protocol.SetupPhaseReady)
	if ready.Account == nil || ready.Interaction != nil {
		t.Errorf("got %s", ready.AppendJSON(nil))
	}
	if done := setup(h, admin, step("accept", a.ID)); done.Phase != protocol.SetupPhaseSucceeded || done.Account == nil || !strings.Contains(names(snapshot(h)), "mine") {
		t.Errorf("got %s", done.AppendJSON(nil))
	}
	h.refused("SETUP_FINISHED", "/v1/management/setup", admin, step("accept", a.ID))
	// The settings are others now: what was begun for the old ones has failed.
	if failed := setup(h, admin, step("status", second.ID)); failed.Phase != protocol.SetupPhaseFailed || failed.Error == nil || failed.Error.Code != "CONFIG_CONFLICT" {
		t.Errorf("got %s", failed.AppendJSON(nil))
	}
	third := setup(h, admin, startSetup(snapshot(h).Revision, "third", "scripted:hold=never"))
	if gone := setup(h, admin, step("cancel", third.ID)); gone.Phase != protocol.SetupPhaseCancelled || gone.Error != nil || gone.Interaction != nil {
		t.Errorf("got %s", gone.AppendJSON(nil))
	}
	h.refused("SETUP_FINISHED", "/v1/management/setup", admin, step("cancel", third.ID))
	refused := setup(h, admin, startSetup(snapshot(h).Revision, "fourth", "scripted:fail"))
	if failed := reach(h, refused.ID, protocol.SetupPhaseFailed); failed.Error == nil || failed.Account != nil {
		t.Errorf("got %s", failed.AppendJSON(nil))
	}
	all := post(h, protocol.DecodeProviderSetupSnapshot, "/v1/management/setup", admin, `{"action":"list"}`)
	none := post(h, protocol.DecodeProviderSetupSnapshot, "/v1/management/setup", admin2, `{"action":"list"}`)
	if len(all.Attempts) != 4 || len(none.Attempts) != 0 {
		t.Errorf("got %s and %s", all.AppendJSON(nil), none.AppendJSON(nil))
	}
}

func TestASignInExpires(t *testing.T) {
	inBubble(t, "{ jobPollMs: 1000000 }", func(t *testing.T, h *host) {
		a := setup(h, admin, startSetup(snapshot(h).Revision, "mine", "scripted:hold=never"))
		pass(15*time.Minute - time.Second)
		reach(h, a.ID, protocol.SetupPhaseWaiting)
		pass(time.Second)
		if late := setup(h, admin, step("status", a.ID)); late.Phase != protocol.SetupPhaseExpired || late.Error == nil || late.Error.Code != "SETUP_EXPIRED" || late.Interaction != nil {
			t.Errorf("got %s", late.AppendJSON(nil))
		}
	})
}

func TestProvidersAreLookedAtNoMoreThanOnceASecond(t *testing.T) {
	inBubble(t, "{ jobPollMs: 1000000 }", func(t *testing.T, h *host) {
		checked := func(target string) string {
			list, err := protocol.DecodeProviderList(h.do("GET", target, alice, "").body)
			if err != nil || len(list.Providers) != 3 {
				t.Fatalf("got %s, %v", list.AppendJSON(nil), err)
			}
			return list.Providers[0].Health.CheckedAt
		}
		const plain, fresh = "/v1/providers", "/v1/providers?refresh=true"
		first := checked(plain)
		pass(999 * time.Millisecond)
		if got := checked(fresh); got != first {
			t.Errorf("it was looked at again: %s, %s", first, got)
		}
		pass(time.Millisecond)
		second := checked(fresh)
		if second == first {
			t.Error("it was not looked at again")
		}
		pass(29 * time.Second)
		if got := checked(plain); got != second {
			t.Errorf("it was looked at again: %s, %s", second, got)
		}
		pass(time.Second)
		if got := checked(plain); got == second {
			t.Error("what is known is too old")
		}
	})
}

// certificate writes a certificate for 127.0.0.1 and its key.
func certificate(t *testing.T) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "host"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	text, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	pool = x509.NewCertPool()
	encoded := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	pool.AppendCertsFromPEM(encoded)
	for path, b := range map[string][]byte{cert: encoded, key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text})} {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key, pool
}

func TestTLS(t *testing.T) {
	cert, key, pool := certificate(t)
	h := start(t, Options{TLSCert: cert, TLSKey: key})
	if !strings.HasPrefix(h.url, "https://") {
		t.Fatalf("it listens at %s", h.url)
	}
	h.http = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	defer h.http.CloseIdleConnections()
	if r := h.do("GET", "/health", "", ""); r.header.Get("Strict-Transport-Security") != "max-age=31536000" {
		t.Errorf("got %v", r.header)
	}
	if got := h.stream(alice, runBody(`"x"`)).types(); got != "run.started step.started text.delta run.completed" {
		t.Errorf("got %s", got)
	}
	for version, good := range map[uint16]bool{tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		c, err := tls.Dial("tcp", strings.TrimPrefix(h.url, "https://"), &tls.Config{RootCAs: pool, MinVersion: version, MaxVersion: version})
		if (err == nil) != good {
			t.Errorf("%s: got %v", tls.VersionName(version), err)
		}
		if c != nil {
			_ = c.Close()
		}
	}
	for _, o := range []Options{{TLSCert: cert}, {TLSKey: key}, {TLSCert: key, TLSKey: cert}, {TLSCert: cert, TLSKey: filepath.Join(t.TempDir(), "none")}} {
		o.Listen, o.Stdout, o.Stderr = "127.0.0.1:0", io.Discard, io.Discard
		if code := Main(t.Context(), o); code != exitUsage {
			t.Errorf("%+v: got the code %d", o, code)
		}
	}
}
