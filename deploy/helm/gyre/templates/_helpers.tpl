{{- define "gyre.fullname" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 43 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 43 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- /* Takes (dict "root" $ "component" name). */ -}}
{{- define "gyre.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "gyre.labels" -}}
{{ include "gyre.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "gyre.image" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{- define "gyre.secret" -}}
{{ .Values.tokens.existingSecret | default (printf "%s-tokens" (include "gyre.fullname" .)) }}
{{- end }}

{{- define "gyre.front" -}}
{{ include "gyre.fullname" . }}-front
{{- end }}

{{- /* As the chart of NATS names its service. */ -}}
{{- define "gyre.nats" -}}
{{- if .Values.nats.enabled -}}
{{- $name := .Values.nats.nameOverride | default "nats" -}}
{{- $full := .Values.nats.fullnameOverride | default (ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name)) -}}
nats://{{ $full | trunc 63 | trimSuffix "-" }}:4222
{{- else -}}
{{- required "externalNats.servers is empty: list NATS servers, or set nats.enabled=true" (join "," .Values.externalNats.servers) -}}
{{- end -}}
{{- end }}

{{- define "gyre.joinArgs" -}}
- --join
- {{ include "gyre.nats" . | quote }}
- --fleet
- {{ .Values.fleet | quote }}
{{- if and (not .Values.nats.enabled) .Values.externalNats.credentialsSecret }}
- --nats-creds
- /etc/gyre/nats/{{ .Values.externalNats.credentialsKey }}
{{- end }}
{{- end }}

{{- define "gyre.listenArgs" -}}
- --host
- 0.0.0.0
- --port
- '8700'
- --tokens
- /etc/gyre/tokens/tokens.json
{{- end }}

{{- /* Takes (dict "root" $ "component" name). */ -}}
{{- define "gyre.env" -}}
- name: POD_NAME
  valueFrom:
    fieldRef:
      fieldPath: metadata.name
- name: POD_IP
  valueFrom:
    fieldRef:
      fieldPath: status.podIP
- name: GYRE_TOKEN
  valueFrom:
    secretKeyRef:
      name: {{ include "gyre.secret" .root }}
      key: token
{{- with .root.Values.tracing }}
{{- if .endpoint }}
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ .endpoint | quote }}
- name: OTEL_SERVICE_NAME
  value: gyre-{{ $.component }}
- name: OTEL_RESOURCE_ATTRIBUTES
  value: k8s.namespace.name={{ $.root.Release.Namespace }},k8s.pod.name=$(POD_NAME)
- name: OTEL_TRACES_SAMPLER
  value: parentbased_traceidratio
- name: OTEL_TRACES_SAMPLER_ARG
  value: {{ .ratio | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- define "gyre.mounts" -}}
- name: tokens
  mountPath: /etc/gyre/tokens
  readOnly: true
{{- if and (not .Values.nats.enabled) .Values.externalNats.credentialsSecret }}
- name: nats
  mountPath: /etc/gyre/nats
  readOnly: true
{{- end }}
{{- end }}

{{- define "gyre.volumes" -}}
- name: tokens
  secret:
    secretName: {{ include "gyre.secret" . }}
    items:
      - key: tokens.json
        path: tokens.json
{{- if and (not .Values.nats.enabled) .Values.externalNats.credentialsSecret }}
- name: nats
  secret:
    secretName: {{ .Values.externalNats.credentialsSecret }}
{{- end }}
{{- end }}

{{- define "gyre.probes" -}}
startupProbe:
  httpGet:
    path: /health
    port: http
  periodSeconds: 2
  failureThreshold: 60
readinessProbe:
  httpGet:
    path: /health
    port: http
  periodSeconds: 5
  timeoutSeconds: 3
# Slow to act: a restart ends sessions.
livenessProbe:
  httpGet:
    path: /health
    port: http
  periodSeconds: 15
  timeoutSeconds: 10
  failureThreshold: 8
{{- end }}

{{- define "gyre.placement" -}}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* Of programs that start no sessions. */ -}}
{{- define "gyre.unprivileged" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
seccompProfile:
  type: RuntimeDefault
{{- end }}
