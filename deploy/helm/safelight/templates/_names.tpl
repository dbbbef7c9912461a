{{- define "safelight.name" -}}
{{- if contains "safelight" .Release.Name }}{{ .Release.Name | trunc 53 | trimSuffix "-" }}{{ else }}{{ printf "%s-safelight" (.Release.Name | trunc 43) }}{{ end -}}
{{- end }}

{{- define "safelight.selector" -}}
app.kubernetes.io/name: safelight
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "safelight.labels" -}}
{{ include "safelight.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "safelight.image" -}}
{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- /* What every container of the chart may do: nothing but run as the image's user */}}
{{- define "safelight.sandbox" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "safelight.podSandbox" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
{{- end }}
