{{- /* As whom a pod runs. Where it builds no walls it keeps the runtime's profile. */ -}}
{{- define "pawl.user" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  {{- if .profile }}
  seccompProfile:
    type: RuntimeDefault
  {{- end }}
{{- end -}}

{{- define "pawl.container" -}}
image: {{ include "pawl.image" . }}
{{- with .Values.image.pullPolicy }}
imagePullPolicy: {{ . }}
{{- end }}
{{- end -}}

{{- define "pawl.rights" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: ["ALL"]
{{- end -}}

{{- define "pawl.mounts" -}}
volumeMounts:
  - name: data
    mountPath: /var/lib/pawl
  - name: tmp
    mountPath: /tmp
{{- end -}}

{{- define "pawl.volumes" -}}
volumes:
  - name: data
    emptyDir: {}
  - name: tmp
    emptyDir: {}
{{- end -}}
