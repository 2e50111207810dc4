{{- define "gyre.name" -}}
{{- contains "gyre" .Release.Name | ternary .Release.Name (printf "%s-gyre" .Release.Name) | trunc 40 | trimSuffix "-" }}
{{- end }}

{{/* Labels that select the pods of a part: (list $ "front") */}}
{{- define "gyre.selector" -}}
app.kubernetes.io/name: gyre
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "gyre.labels" -}}
{{ include "gyre.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ (index . 0).Chart.Name }}-{{ (index . 0).Chart.Version }}
{{- end }}

{{- define "gyre.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "gyre.nats" -}}
{{- if .Values.nats.enabled }}nats://{{ .Release.Name }}-nats:4222{{ else }}{{ required "natsUrl: name the NATS servers, or set nats.enabled=true" .Values.natsUrl }}{{ end }}
{{- end }}

{{/* What all pods share: (list $ settings) */}}
{{- define "gyre.pod" -}}
{{- $root := index . 0 }}{{ $part := index . 1 -}}
serviceAccountName: {{ include "gyre.name" $root }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with $root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with $part.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $part.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "gyre.container" -}}
image: {{ include "gyre.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{/* Environment of traces: (list $ "node") */}}
{{- define "gyre.traces" -}}
{{- $root := index . 0 -}}
{{- with $root.Values.monitoring.traces }}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ . | quote }} }
- { name: OTEL_SERVICE_NAME, value: gyre-{{ index $ 1 }} }
{{- end }}
{{- end }}

{{- define "gyre.probes" -}}
startupProbe:
  httpGet: { path: /health, port: http }
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /health, port: http }
  periodSeconds: 10
  failureThreshold: 6
{{- end }}

{{/* Secrets: (list $ "fronts.json") */}}
{{- define "gyre.secrets" -}}
{{- $root := index . 0 -}}
- name: tokens
  secret:
    secretName: {{ required "tokensSecret: name the Secret with the tokens" $root.Values.tokensSecret }}
    items:
      - { key: {{ index . 1 }}, path: tokens.json }
{{- with $root.Values.natsCredsSecret }}
- name: nats-creds
  secret:
    secretName: {{ . }}
    items:
      - { key: nats.creds, path: nats.creds }
{{- end }}
{{- end }}

{{- define "gyre.secretMounts" -}}
- { name: tokens, mountPath: /etc/gyre/tokens, readOnly: true }
{{- if .Values.natsCredsSecret }}
- { name: nats-creds, mountPath: /etc/gyre/nats, readOnly: true }
{{- end }}
{{- end }}

{{/* Egress that every part needs */}}
{{- define "gyre.egress" -}}
- to:
    - namespaceSelector: {}
  ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
- to:
    {{- if .Values.nats.enabled }}
    - podSelector:
        matchLabels:
          app.kubernetes.io/name: nats
          app.kubernetes.io/instance: {{ .Release.Name }}
    {{- else }}
    {{- toYaml .Values.networkPolicy.nats | nindent 4 }}
    {{- end }}
  ports:
    - { port: {{ .Values.nats.enabled | ternary 4222 .Values.networkPolicy.natsPort }}, protocol: TCP }
{{- if .Values.monitoring.traces }}
- ports:
    - { port: {{ .Values.monitoring.tracesPort }}, protocol: TCP }
{{- end }}
{{- with .Values.networkPolicy.egress }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* What a node may do, by node.privileges */}}
{{- define "gyre.nodeSecurity" -}}
{{- $node := .Values.node -}}
{{- $unconfined := dict "type" "Unconfined" -}}
{{- $seccomp := ternary (dict "type" "Localhost" "localhostProfile" $node.seccompProfile) $unconfined (ne $node.seccompProfile "") -}}
{{- if eq $node.privileges "privileged" }}
privileged: true
runAsUser: 0
{{- else }}
{{- if eq $node.privileges "root" }}
runAsUser: 0
runAsGroup: 0
capabilities:
  drop: [ALL]
  add: [CHOWN, DAC_OVERRIDE, FOWNER, KILL, SETGID, SETUID, SYS_ADMIN]
{{- else }}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
allowPrivilegeEscalation: false
capabilities:
  drop: [ALL]
{{- end }}
{{- if $node.userNamespace }}
procMount: Unmasked
{{- end }}
seccompProfile: {{- toYaml $seccomp | nindent 2 }}
appArmorProfile: {{- toYaml $unconfined | nindent 2 }}
{{- end }}
{{- end }}
