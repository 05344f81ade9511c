/** `deploy/kubernetes`, as the types of Kubernetes, kustomize and the server itself read it. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { ConfigMap } from "kubernetes-types/core/v1.js"
import type { Deployment } from "kubernetes-types/apps/v1.js"
import type { Job } from "kubernetes-types/batch/v1.js"
import { describe, expect, it } from "vitest"
import { environmentOf, known, optionsFrom, root, secretsOf, userOf } from "./EnvironmentFiles.ts"
import { documentsOf, folder, named, podOf, rendered, roles, whyNot, written, wrongIn } from "./KubernetesFiles.ts"

const deploymentOf = (role: string) => named<Deployment>(written, "Deployment", `pawl-${role}`)

describe("The files for Kubernetes", () => {
  it("hold nothing that Kubernetes's types do not know, and nothing of another type", () => {
    expect(written.length).toBeGreaterThan(14)
    expect(wrongIn(written)).toEqual([])
  })

  it("would be found out: a field that there is not, and a text where a number belongs", () => {
    const { spec, ...rest } = deploymentOf("api")
    const misspelt = { ...rest, spec: { ...spec, replica: 2 } }
    const text = { ...rest, spec: { ...spec, replicas: "2" } }
    expect(wrongIn([misspelt, text] as never)).toHaveLength(2)
    expect(() => documentsOf("kind: A\nkind: B\n")).toThrow(/unique/)
  })

  it.each(roles)(
    "have %s on the port that is probed, by the name of the machine itself, and ended after its drain",
    (role) => {
      const deployment = deploymentOf(role)
      const { container, pod } = podOf(deployment)
      const [port] = container.ports ?? []
      expect(container.env).toContainEqual({ name: "PAWL_ROLES", value: role })
      expect(container.env).toContainEqual({ name: "PAWL_PORT", value: String(port?.containerPort) })
      expect(environmentOf(join(root, `deploy/env/${role}.env`))["PAWL_PORT"]).toBe(String(port?.containerPort))
      const Host = [{ name: "Host", value: "localhost" }]
      expect(container.livenessProbe).toMatchObject({ httpGet: { path: "/health", port: "http", httpHeaders: Host } })
      expect(container.readinessProbe).toMatchObject({
        httpGet: { path: "/health/ready", port: "http", httpHeaders: Host }
      })
      // An answer may take 5 seconds.
      for (const probe of [container.livenessProbe, container.readinessProbe])
        expect(probe?.timeoutSeconds).toBeGreaterThan(5)
      const drainMs = Number(environmentOf(join(folder, "base/pawl.env"))["PAWL_DRAIN_DELAY"])
      expect((pod.terminationGracePeriodSeconds ?? 0) * 1000).toBeGreaterThan(drainMs + 15_000)
      expect([deployment.spec?.replicas, deployment.spec?.strategy]).toEqual([
        2,
        { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
      ])
      const labels = { "app.kubernetes.io/name": `pawl-${role}` }
      expect(deployment.spec).toMatchObject({ selector: { matchLabels: labels }, template: { metadata: { labels } } })
      expect(named(written, "PodDisruptionBudget", `pawl-${role}`)).toMatchObject({
        spec: { minAvailable: 1, selector: { matchLabels: labels } }
      })
    }
  )

  it("gain nobody rights, and let those build walls who run strangers' code", () => {
    const all = [...roles.map(deploymentOf), named<Job>(written, "Job", "pawl-migrate")].map(podOf)
    for (const { pod } of all) {
      expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false })
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 })
      for (const { securityContext } of [...pod.containers, ...(pod.initContainers ?? [])])
        expect(securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] }
        })
    }
    const walled = all.map(({ container, pod }) => [pod.hostUsers, container.securityContext?.procMount])
    expect(walled).toEqual([
      [undefined, undefined],
      [false, "Unmasked"],
      [false, "Unmasked"],
      [undefined, undefined]
    ])
  })

  it("give routers a user, an account and secrets of their own, and no key", () => {
    const { container, pod } = podOf(deploymentOf("router"))
    expect(pod.serviceAccountName).toBe("pawl-router")
    expect(pod.initContainers).toBeUndefined()
    expect(container.envFrom).toEqual([
      { configMapRef: { name: "pawl" } },
      { secretRef: { name: "pawl-router-secrets" } }
    ])
    expect((pod.volumes ?? []).map(({ emptyDir, name }) => [name, emptyDir])).toEqual([
      ["data", {}],
      ["tmp", {}]
    ])
    const others = roles.filter((role) => role !== "router").map((role) => JSON.stringify(deploymentOf(role)))
    for (const other of others) expect(other).not.toContain("pawl-router")
    const keys = podOf(deploymentOf("worker")).pod.volumes?.find(({ name }) => name === "keys")
    expect(keys?.secret).toEqual({ secretName: "pawl-keys", defaultMode: 0o440 })
    expect(podOf(named<Job>(written, "Job", "pawl-migrate")).container.args).toEqual([
      "migrate",
      "--grant-router",
      "pawl_router"
    ])
  })

  it("begin with the environment that units and containers have", () => {
    expect(readFileSync(join(folder, "base/pawl.env"), "utf8")).toBe(
      readFileSync(join(root, "deploy/env/pawl.env"), "utf8")
    )
  })
})

describe.skipIf(whyNot !== null)(`The example, ${whyNot ?? "made by kustomize"}`, () => {
  it.each(roles)("has what makes a process of the role %s, and names nothing that is no option", async (role) => {
    const all = rendered()
    const { container } = podOf(named<Deployment>(all, "Deployment", `pawl-${role}`))
    const [config, secret] = container.envFrom ?? []
    const { data = {} } = named<ConfigMap>(all, "ConfigMap", config?.configMapRef?.name ?? "")
    expect(secret?.secretRef?.name).toBe(role === "router" ? "pawl-router-secrets" : "pawl-secrets")
    const own = Object.fromEntries((container.env ?? []).map(({ name, value = "" }) => [name, value]))
    const secrets = environmentOf(join(root, "deploy/env", secretsOf(role)))
    const { given, options } = await optionsFrom({ ...data, ...secrets, ...own })
    expect(options).toMatchObject({ roles: [role], repositories: "packs", data: "/var/lib/pawl/data", host: "0.0.0.0" })
    expect(options).toMatchObject({ objects: { bucket: "pawl-example-org" }, appsDomain: "apps.example.org" })
    expect(userOf(options)).toBe(role === "router" ? "pawl_router" : "pawl")
    expect(Object.keys(given).filter((name) => name.startsWith("PAWL_") && !known.has(name))).toEqual([])
  })

  it("is right by the types of Kubernetes, lies in one namespace, and runs the image that it names", () => {
    const all = rendered()
    expect(wrongIn(all)).toEqual([])
    expect(all.filter(({ kind, metadata }) => kind !== "Namespace" && metadata.namespace !== "pawl")).toEqual([])
    const images = JSON.stringify(all).match(/"image":"[^"]*"/g) ?? []
    expect([images.length, ...new Set(images)]).toEqual([5, '"image":"registry.example.org/pawl:0.1.0"'])
  })

  it("sends the API's host to the API and all below the apps' domain to routers, and counts workers alone by their load", () => {
    const all = rendered()
    const { data = {} } = named<ConfigMap>(all, "ConfigMap", "pawl")
    const backend = (name: string) => ({ paths: [{ backend: { service: { name, port: { name: "http" } } } }] })
    expect(named(all, "Ingress", "pawl")).toMatchObject({
      spec: {
        rules: [
          { host: new URL(data["PAWL_BASE_URL"] ?? "").host, http: backend("pawl-api") },
          { host: `*.${data["PAWL_APPS_DOMAIN"]}`, http: backend("pawl-router") }
        ]
      }
    })
    for (const role of ["api", "router"])
      expect(named(all, "Service", `pawl-${role}`)).toMatchObject({
        spec: { selector: { "app.kubernetes.io/name": `pawl-${role}` }, ports: [{ name: "http", targetPort: "http" }] }
      })
    const replicas = roles.map((role) => named<Deployment>(all, "Deployment", `pawl-${role}`).spec?.replicas)
    expect(replicas).toEqual([2, 2, undefined])
    expect(named(all, "HorizontalPodAutoscaler", "pawl-worker")).toMatchObject({
      spec: { scaleTargetRef: { kind: "Deployment", name: "pawl-worker" }, minReplicas: 2 }
    })
  })
})
