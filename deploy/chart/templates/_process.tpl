{{- /* The processes of a role: root, role, port, and of what has secrets, an account, walls and keys. */ -}}
{{- define "pawl.process" -}}
{{- $root := .root -}}
{{- $role := .role -}}
{{- $of := index $root.Values $role -}}
{{- $name := printf "%s-%s" (include "pawl.name" $root) $role -}}
{{- $keys := and .keys $root.Values.secrets.keys -}}
{{- $walls := and .walls $root.Values.walls -}}
{{- $drain := $of.environment.PAWL_DRAIN_DELAY | default $root.Values.environment.PAWL_DRAIN_DELAY | default "0" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  {{- include "pawl.metadata" $root | nindent 2 }}
spec:
  {{- if not $of.autoscaling.enabled }}
  replicas: {{ int $of.replicas }}
  {{- end }}
  selector:
    matchLabels:
      app.kubernetes.io/name: {{ $name }}
  strategy:
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: 0
  template:
    metadata:
      labels:
        app.kubernetes.io/name: {{ $name }}
      annotations:
        # Another environment rolls the pods.
        checksum/environment: {{ include "pawl.environment" $root | sha256sum | quote }}
        {{- with $of.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ .account }}
      automountServiceAccountToken: false
      # Else names of services become options of Pawl's: PAWL_API_PORT.
      enableServiceLinks: false
      {{- if $walls }}
      # The walls of what strangers wrote are user namespaces, with a /proc of their own.
      hostUsers: false
      {{- end }}
      # Longer than PAWL_DRAIN_DELAY and what a stop takes. The drain is the program's own: no preStop is needed.
      terminationGracePeriodSeconds: {{ add (div (atoi $drain) 1000) 25 }}
      {{- with $root.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- include "pawl.user" (dict "profile" (not $walls)) | nindent 6 }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              app.kubernetes.io/name: {{ $name }}
      {{- with $of.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $of.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $of.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- if $keys }}
      initContainers:
        # The keys that sign, for the process's own eyes. A Secret that is mounted is its group's too.
        - name: keys
          {{- include "pawl.container" $root | nindent 10 }}
          command: ["sh", "-c"]
          args:
            - install -d -m 700 /var/lib/pawl/data && install -m 600 /keys/* /var/lib/pawl/data
          securityContext:
            {{- include "pawl.rights" . | nindent 12 }}
          volumeMounts:
            - name: data
              mountPath: /var/lib/pawl
            - name: keys
              mountPath: /keys
              readOnly: true
      {{- end }}
      containers:
        - name: pawl
          {{- include "pawl.container" $root | nindent 10 }}
          envFrom:
            - configMapRef:
                name: {{ include "pawl.name" $root | quote }}
            - secretRef:
                name: {{ .secrets | quote }}
          env:
            - name: PAWL_ROLES
              value: {{ $role }}
            - name: PAWL_PORT
              value: {{ .port | quote }}
            # Below the mount: the process makes it, for its own eyes.
            - name: PAWL_DATA
              value: /var/lib/pawl/data
            {{- range $each, $value := $of.environment }}
            - name: {{ $each }}
              value: {{ $value | quote }}
            {{- end }}
          ports:
            - name: http
              containerPort: {{ .port }}
          # By the name of the machine itself: what is asked for by another host is an app's, or nobody's.
          livenessProbe:
            httpGet:
              path: /health
              port: http
              httpHeaders:
                - name: Host
                  value: localhost
            initialDelaySeconds: 30
            periodSeconds: 10
            timeoutSeconds: 6
            failureThreshold: 6
          readinessProbe:
            httpGet:
              path: /health/ready
              port: http
              httpHeaders:
                - name: Host
                  value: localhost
            periodSeconds: 2
            timeoutSeconds: 6
            failureThreshold: 2
          {{- with $of.resources }}
          resources:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          securityContext:
            {{- include "pawl.rights" . | nindent 12 }}
            {{- if $walls }}
            seccompProfile:
              type: Unconfined
            appArmorProfile:
              type: Unconfined
            procMount: Unmasked
            {{- end }}
          {{- include "pawl.mounts" . | nindent 10 }}
      {{- include "pawl.volumes" . | nindent 6 }}
        {{- if $keys }}
        - name: keys
          secret:
            secretName: {{ $keys | quote }}
            # 0440, as decimals: what reads YAML takes a 0 in front in two ways.
            defaultMode: 288
        {{- end }}
{{- $least := ternary $of.autoscaling.minReplicas $of.replicas $of.autoscaling.enabled | int }}
{{- if gt $least 1 }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ $name }}
  {{- include "pawl.metadata" $root | nindent 2 }}
spec:
  minAvailable: 1
  selector:
    matchLabels:
      app.kubernetes.io/name: {{ $name }}
{{- end }}
{{- if $of.autoscaling.enabled }}
---
# By what they use. A process that is stopped gives its work back.
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ $name }}
  {{- include "pawl.metadata" $root | nindent 2 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ $name }}
  minReplicas: {{ int $of.autoscaling.minReplicas }}
  maxReplicas: {{ int $of.autoscaling.maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {{ int $of.autoscaling.cpu }}
  behavior:
    scaleDown:
      stabilizationWindowSeconds: {{ int $of.autoscaling.scaleDownAfterSeconds }}
{{- end }}
{{- end -}}

{{- /* Who reaches a role from within the cluster. */ -}}
{{- define "pawl.service" -}}
{{- $root := .root -}}
{{- $name := printf "%s-%s" (include "pawl.name" $root) .role -}}
{{- $service := (index $root.Values .role).service -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ $name }}
  {{- include "pawl.metadata" $root | nindent 2 }}
  {{- with $service.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with $service.type }}
  type: {{ . }}
  {{- end }}
  selector:
    app.kubernetes.io/name: {{ $name }}
  ports:
    - name: http
      port: 80
      targetPort: http
{{- end -}}
