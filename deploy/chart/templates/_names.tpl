{{- /* What all names begin with: the release's name, with the chart's behind it where it is not in it. */ -}}
{{- define "pawl.name" -}}
{{- if .Values.fullnameOverride -}}
{{ .Values.fullnameOverride }}
{{- else if contains .Chart.Name .Release.Name -}}
{{ .Release.Name | trunc 53 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 53 | trimSuffix "-" }}
{{- end -}}
{{- end -}}

{{- define "pawl.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
app.kubernetes.io/part-of: pawl
app.kubernetes.io/version: {{ .Chart.AppVersion | replace "+" "_" | quote }}
{{- end -}}

{{- define "pawl.metadata" -}}
namespace: {{ .Release.Namespace | quote }}
labels:
  {{- include "pawl.labels" . | nindent 2 }}
{{- end -}}

{{- define "pawl.image" -}}
{{- with .Values.image -}}
{{- $repository := required "image.repository: where the image was pushed, as in registry.example.org/pawl" .repository -}}
{{- if .digest -}}
{{ printf "%s@%s" $repository .digest | quote }}
{{- else -}}
{{ printf "%s:%s" $repository (.tag | default $.Chart.AppVersion) | quote }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "pawl.account" -}}
{{ .Values.accounts.name | default (include "pawl.name" .) | quote }}
{{- end -}}

{{- define "pawl.routerAccount" -}}
{{ .Values.accounts.routerName | default (printf "%s-router" (include "pawl.name" .)) | quote }}
{{- end -}}

{{- /* The environment of all processes. What has to be given is asked for by its name. */ -}}
{{- define "pawl.environment" -}}
{{- with .Values.environment -}}
{{- $url := required "environment.PAWL_BASE_URL: the address of the API, as in https://pawl.example.org" .PAWL_BASE_URL -}}
{{- $domain := required "environment.PAWL_APPS_DOMAIN: what the hosts of apps are below, as in apps.example.org" .PAWL_APPS_DOMAIN -}}
{{- $objects := required "environment.PAWL_OBJECTS: the bucket, as in s3://my-bucket/objects" .PAWL_OBJECTS -}}
{{- range $name, $value := . }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end -}}
{{- end -}}
