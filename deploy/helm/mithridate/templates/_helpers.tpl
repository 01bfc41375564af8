{{- define "mithridate.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "mithridate.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "mithridate.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{/* What every pod of ours is. Given: root, component, part (its values). */}}
{{- define "mithridate.pod" -}}
metadata:
  labels:
    {{- include "mithridate.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
  annotations:
    # A change of settings is a new pod.
    checksum/settings: {{ .root.Values.settings | toJson | sha256sum }}
spec:
  automountServiceAccountToken: false
  serviceAccountName: {{ include "mithridate.name" .root }}
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ .grace }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: {type: RuntimeDefault}
  {{- with .root.Values.image.pullSecrets }}
  imagePullSecrets: {{ toJson . }}
  {{- end }}
  {{- with .part.nodeSelector }}
  nodeSelector: {{ toJson . }}
  {{- end }}
  {{- with .part.tolerations }}
  tolerations: {{ toJson . }}
  {{- end }}
  {{- with .part.affinity }}
  affinity: {{ toJson . }}
  {{- end }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          app.kubernetes.io/instance: {{ .root.Release.Name }}
          app.kubernetes.io/component: {{ .component }}
  volumes:
    - name: data
      {{- if .root.Values.data.existingClaim }}
      persistentVolumeClaim: {claimName: {{ .root.Values.data.existingClaim }}}
      {{- else }}
      emptyDir: {sizeLimit: 2Gi}
      {{- end }}
    - name: tmp
      emptyDir: {sizeLimit: 1Gi}
    - name: secrets
      secret: {secretName: {{ .root.Values.secretName }}, defaultMode: 0440}
{{- end }}

{{/* What every container of ours is. Given: root, part. */}}
{{- define "mithridate.container" -}}
image: {{ include "mithridate.image" .root }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
resources: {{ toJson .part.resources }}
volumeMounts:
  - {name: data, mountPath: /var/lib/mithridate}
  - {name: tmp, mountPath: /tmp}
  - {name: secrets, mountPath: /run/secrets/mithridate, readOnly: true}
envFrom:
  - configMapRef: {name: {{ include "mithridate.name" .root }}}
{{- end }}
