// Package chart holds the Helm chart in deploy/helm against Helm's linter, the types of the Kubernetes API, and the
// program's settings.
package chart

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/yaml"
)

const folder = "../../deploy/helm/safelight"

// everything turns on what is off by default.
const everything = `
image: {digest: "sha256:0000000000000000000000000000000000000000000000000000000000000000", pullSecrets: [registry]}
settings: {base-url: "https://images.example.com", queue: 30000000, guest: true}
env: [{name: SAFELIGHT_ENCRYPTION_KEYS, valueFrom: {secretKeyRef: {name: other, key: keys}}}]
service: {annotations: {a: b}}
ingress: {enabled: true, className: nginx, tlsSecret: tls, annotations: {a: b}}
autoscaling: {enabled: true, min: 3, max: 9}
nodeSelector: {a: b}
tolerations: [{key: a, operator: Exists}]
affinity: {nodeAffinity: {}}
podAnnotations: {a: b}
podLabels: {c: d}
serviceAccount: {annotations: {a: b}}
networkPolicy: {from: [{namespaceSelector: {}}]}
monitoring: {serviceMonitor: true, rules: true, labels: {a: b}}
`

// rendered returns the manifests of the chart with these values, as helm template does.
func rendered(values string) (list []string, err error) {
	c, err := loader.Load(folder)
	if err != nil {
		return nil, err
	}
	given := map[string]any{}
	if err := yaml.Unmarshal([]byte(values), &given); err != nil {
		return nil, err
	}
	capabilities := chartutil.DefaultCapabilities.Copy()
	capabilities.KubeVersion = chartutil.KubeVersion{Version: "v1.31.0", Major: "1", Minor: "31"}
	all, err := chartutil.ToRenderValues(c, given, chartutil.ReleaseOptions{Name: "x", Namespace: "pictures",
		IsInstall: true}, capabilities)
	if err != nil {
		return nil, err
	}
	files, err := engine.Render(c, all)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for part := range strings.SplitSeq(files[name], "\n---\n") {
			if strings.HasSuffix(name, ".yaml") && strings.TrimSpace(strings.TrimPrefix(part, "---")) != "" {
				list = append(list, part)
			}
		}
	}
	return list, nil
}

// objects reads manifests as the Kubernetes API does, and refuses fields that it does not know. The types of the
// Prometheus operator are not Kubernetes', and come as maps.
func objects(t *testing.T, values string) map[string]any {
	t.Helper()
	list, err := rendered(values)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]any{}
	for _, text := range list {
		var kind struct {
			APIVersion, Kind string
			Metadata         struct{ Name string }
		}
		if err := yaml.Unmarshal([]byte(text), &kind); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		into := map[string]any{
			"v1 ConfigMap": &core.ConfigMap{}, "v1 Service": &core.Service{},
			"v1 ServiceAccount": &core.ServiceAccount{}, "v1 Pod": &core.Pod{},
			"apps/v1 Deployment": &apps.Deployment{}, "policy/v1 PodDisruptionBudget": &policy.PodDisruptionBudget{},
			"autoscaling/v2 HorizontalPodAutoscaler":  &autoscaling.HorizontalPodAutoscaler{},
			"networking.k8s.io/v1 Ingress":            &networking.Ingress{},
			"networking.k8s.io/v1 NetworkPolicy":      &networking.NetworkPolicy{},
			"monitoring.coreos.com/v1 ServiceMonitor": &map[string]any{},
			"monitoring.coreos.com/v1 PrometheusRule": &map[string]any{},
		}[kind.APIVersion+" "+kind.Kind]
		if into == nil {
			t.Fatalf("%s %s is no kind that is known here", kind.APIVersion, kind.Kind)
		}
		if err := yaml.UnmarshalStrict([]byte(text), into); err != nil {
			t.Errorf("%s: %v\n%s", kind.Kind, err, text)
		}
		if !strings.HasPrefix(kind.Metadata.Name, "x-safelight") {
			t.Errorf("%s is named %q", kind.Kind, kind.Metadata.Name)
		}
		all[kind.Kind] = into
	}
	return all
}

// TestLint lets Helm's linter read the chart.
func TestLint(t *testing.T) {
	for _, values := range []string{"{}", everything} {
		given := map[string]any{}
		if err := yaml.Unmarshal([]byte(values), &given); err != nil {
			t.Fatal(err)
		}
		result := lint.AllWithKubeVersion(folder, given, "pictures", &chartutil.KubeVersion{Version: "v1.31.0",
			Major: "1", Minor: "31"})
		for _, m := range result.Messages {
			if !strings.Contains(m.Error(), "icon is recommended") {
				t.Error(m)
			}
		}
	}
}

// TestKinds holds which objects there are.
func TestKinds(t *testing.T) {
	for values, want := range map[string]string{
		"{}": "ConfigMap Deployment NetworkPolicy Pod PodDisruptionBudget Service " +
			"ServiceAccount",
		"replicas: 1":                     "ConfigMap Deployment NetworkPolicy Pod Service ServiceAccount",
		"networkPolicy: {enabled: false}": "ConfigMap Deployment Pod PodDisruptionBudget Service ServiceAccount",
		everything: "ConfigMap Deployment HorizontalPodAutoscaler Ingress NetworkPolicy Pod " +
			"PodDisruptionBudget PrometheusRule Service ServiceAccount ServiceMonitor",
		"{replicas: 1, autoscaling: {enabled: true}}": "ConfigMap Deployment HorizontalPodAutoscaler NetworkPolicy " +
			"Pod PodDisruptionBudget Service ServiceAccount",
	} {
		if got := strings.Join(slices.Sorted(maps.Keys(objects(t, values))), " "); got != want {
			t.Errorf("%s:\n%s, expected\n%s", values, got, want)
		}
	}
}

// TestSandbox holds what the containers may not do, and how long they have to end.
func TestSandbox(t *testing.T) {
	for _, values := range []string{"{}", everything} {
		all := objects(t, values)
		pods := map[string]core.PodSpec{"Deployment": all["Deployment"].(*apps.Deployment).Spec.Template.Spec,
			"Pod": all["Pod"].(*core.Pod).Spec}
		for name, p := range pods {
			s := p.SecurityContext
			if s == nil || !*s.RunAsNonRoot || *s.RunAsUser != 10001 ||
				s.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault || *p.AutomountServiceAccountToken {
				t.Errorf("%s: the pod's context is %+v", name, s)
			}
			for _, c := range p.Containers {
				s := c.SecurityContext
				if s == nil || *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem ||
					len(s.Capabilities.Drop) != 1 || s.Capabilities.Drop[0] != "ALL" {
					t.Errorf("%s: the container's context is %+v", name, s)
				}
			}
		}
		c := pods["Deployment"].Containers[0]
		if c.ReadinessProbe.HTTPGet.Path != "/readyz" || c.LivenessProbe.HTTPGet.Path != "/healthz" ||
			c.StartupProbe == nil || c.Resources.Requests.Cpu().IsZero() || c.Resources.Limits.Memory().IsZero() {
			t.Errorf("probes and resources: %+v", c)
		}
		if len(c.EnvFrom) != 1 || c.EnvFrom[0].SecretRef.Name != "safelight" {
			t.Errorf("the secret: %+v", c.EnvFrom)
		}
		if n := len(pods["Deployment"].TopologySpreadConstraints); n != 2 {
			t.Errorf("%d constraints of spread", n)
		}
	}
}

// TestFleet holds what several servers need.
func TestFleet(t *testing.T) {
	all := objects(t, "replicas: 5")
	d := all["Deployment"].(*apps.Deployment)
	if *d.Spec.Replicas != 5 || d.Spec.Strategy.RollingUpdate.MaxUnavailable.IntValue() != 0 {
		t.Errorf("%+v", d.Spec)
	}
	labels := d.Spec.Template.Labels
	for name, selector := range map[string]map[string]string{"Deployment": d.Spec.Selector.MatchLabels,
		"Service":             all["Service"].(*core.Service).Spec.Selector,
		"PodDisruptionBudget": all["PodDisruptionBudget"].(*policy.PodDisruptionBudget).Spec.Selector.MatchLabels,
		"NetworkPolicy":       all["NetworkPolicy"].(*networking.NetworkPolicy).Spec.PodSelector.MatchLabels} {
		if len(selector) == 0 {
			t.Errorf("%s selects everything", name)
		}
		for k, v := range selector {
			if labels[k] != v {
				t.Errorf("%s selects %s=%s, the pods have %v", name, k, v, labels)
			}
		}
	}
	if objects(t, everything)["Deployment"].(*apps.Deployment).Spec.Replicas != nil {
		t.Error("the autoscaler and the deployment both set the number of servers")
	}
	// another setting is another pod: the servers read them at their start
	sum := func(values string) string {
		return objects(t, values)["Deployment"].(*apps.Deployment).Spec.Template.Annotations["checksum/settings"]
	}
	if a, b := sum("settings: {guest: true}"), sum("settings: {guest: false}"); a == b || a == "" {
		t.Errorf("checksums %q and %q", a, b)
	}
	if pod := objects(t, "{}")["Pod"].(*core.Pod); labels["app.kubernetes.io/name"] == pod.Labels["app.kubernetes.io/name"] {
		t.Error("the service sends requests to the pod of the test")
	}
}

// TestSettings checks that the settings file has the program's names, and numbers as they were written.
func TestSettings(t *testing.T) {
	known, err := os.ReadFile("../../docs/reference/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	text := objects(t, strings.Replace(everything, "guest: true", "guest: true, share: 0.5",
		1))["ConfigMap"].(*core.ConfigMap).Data["safelight.conf"]
	for _, want := range []string{"queue = 30000000\n", "guest = true\n", "share = 0.5\n",
		"base-url = https://images.example.com\n", "shutdown-delay = 5s\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s has no %q", text, want)
		}
	}
	text = objects(t, "settings: {shutdown-delay: 9s}")["ConfigMap"].(*core.ConfigMap).Data["safelight.conf"]
	if !strings.Contains(text, "shutdown-delay = 9s\n") || strings.Count(text, "shutdown-delay") != 1 {
		t.Errorf("a default wins over a value: %s", text)
	}
	for line := range strings.Lines(text) {
		if name, _, ok := strings.Cut(line, " = "); ok && !strings.Contains(string(known), "`--"+name+"`") {
			t.Errorf("%s is no setting", name)
		}
	}
}

// TestRefused checks that the schema refuses secrets among the values, and what is misspelled.
func TestRefused(t *testing.T) {
	known, err := os.ReadFile("../../docs/reference/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]string{
		"replicas: 0": "replicas", "replica: 2": "replica", "secret: {name: ''}": "name",
		"image: {digest: latest}": "digest", "settings: {Guest: true}": "Guest",
		"settings: {base-url: \"a\\nguest = true\"}": "base-url", "cache: {size: 4}": "size",
		"autoscaling: {enabled: true, min: 5, max: 2}": "autoscaling.min", "settings: {data: /x}": "data",
	}
	secrets := regexp.MustCompile("`--([a-z-]+)` 🔑").FindAllStringSubmatch(string(known), -1)
	if len(secrets) < 5 {
		t.Fatalf("%d secrets in docs/reference/settings.md", len(secrets))
	}
	for _, s := range secrets {
		cases["settings: {"+s[1]+": x}"] = s[1]
	}
	for values, want := range cases {
		if _, err := rendered(values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected an error that names %s", values, err, want)
		}
	}
}

// TestAlerts checks that the rules equal deploy/alerts.yaml.
func TestAlerts(t *testing.T) {
	text, err := os.ReadFile("../../deploy/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{}
	if err := yaml.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	rules := *objects(t, everything)["PrometheusRule"].(*map[string]any)
	if got := fmt.Sprint(rules["spec"]); got != fmt.Sprint(want) || len(got) < 1000 {
		t.Errorf("%s, expected %v", got, want)
	}
}

// TestZeroSettings: a setting of the values that is zero, false or empty replaces the chart's own.
func TestZeroSettings(t *testing.T) {
	list, err := rendered("settings: {shutdown-delay: 0, base-url: \"\", guest: false}")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(list, "\n")
	for _, line := range []string{"shutdown-delay = 0\n", "base-url = \n", "guest = false\n",
		"shutdown-timeout = 45s\n"} {
		if strings.Count(text, "    "+line) != 1 {
			t.Errorf("the settings do not have %q once", line)
		}
	}
}
