/** `deploy/chart`: its values by its schema, and what it renders beside what kustomize makes. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Ajv } from "ajv"
import type { Deployment } from "kubernetes-types/apps/v1.js"
import type { Job } from "kubernetes-types/batch/v1.js"
import type { ConfigMap } from "kubernetes-types/core/v1.js"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Chart from "./ChartFiles.ts"
import { environmentOf, known, optionsFrom, root, secretsOf, userOf } from "./EnvironmentFiles.ts"
import { named, podOf, rendered, type Resource, roles, whyNot, wrongIn } from "./KubernetesFiles.ts"

const values = Chart.yamlOf("values.yaml")
const example = Chart.yamlOf("example.yaml")
const schema = JSON.parse(readFileSync(join(Chart.chart, "values.schema.json"), "utf8")) as Chart.Values
// What a rule says of a text or a map it need not say again of what it refers to.
const judge = new Ajv({ strict: true, strictTypes: false, allErrors: true }).compile(schema)

/** What the schema says of values that are given; nothing when it takes them. */
const refusals = (given: Chart.Values): ReadonlyArray<string> =>
  judge(Chart.over(values, given))
    ? []
    : (judge.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)

/** The value at a path of names, or undefined. */
const at = (from: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((value, name) => (Chart.isMap(value) ? value[name] : undefined), from)

/** What has to be given: nothing stands for it in values.yaml. */
const required = [
  ["image", "repository"],
  ["environment", "PAWL_BASE_URL"],
  ["environment", "PAWL_APPS_DOMAIN"],
  ["environment", "PAWL_OBJECTS"]
] as const

describe("The chart", () => {
  it("is of the version that the packages have", () => {
    const { version } = JSON.parse(readFileSync(join(root, "packages/server/package.json"), "utf8")) as Chart.Values
    expect(Chart.yamlOf("Chart.yaml")).toMatchObject({ apiVersion: "v2", name: "pawl", version, appVersion: version })
  })

  it("knows each of its values by its schema and no other, on every level", () => {
    const unknown = (rule: unknown, value: unknown, path: string): ReadonlyArray<string> => {
      const ref = at(rule, ["$ref"])
      if (typeof ref === "string") return unknown(at(schema, ref.slice(2).split("/")), value, path)
      const properties = at(rule, ["properties"])
      if (!Chart.isMap(properties) || !Chart.isMap(value) || at(rule, ["additionalProperties"]) !== false) return []
      const names = Object.keys(properties).filter((name) => name !== "global")
      expect([path, Object.keys(value).toSorted()]).toEqual([path, names.toSorted()])
      return [path, ...names.flatMap((name) => unknown(properties[name], value[name], `${path}.${name}`))]
    }
    expect(unknown(schema, values, "").length).toBeGreaterThan(12)
  })

  it("accepts its own values, and those of the example", () => {
    expect(refusals({})).toEqual([])
    expect(refusals(example)).toEqual([])
  })

  it.each<readonly [string, Chart.Values]>([
    ["a name that there is not", { replicas: 2 }],
    ["such a name of a role", { api: { replica: 2 } }],
    ["such a name further below", { worker: { autoscaling: { max: 3 } } }],
    ["a Service of workers", { worker: { service: { type: "NodePort" } } }],
    ["a text where a number belongs", { router: { replicas: "2" } }],
    ["a half of a process", { router: { replicas: 1.5 } }],
    ["a text where yes or no belongs", { ingress: { enabled: "false" } }],
    ["a number in the environment", { environment: { PAWL_DRAIN_DELAY: 5000 } }],
    ["a drain that is no number", { worker: { environment: { PAWL_DRAIN_DELAY: "5s" } } }],
    ["a name that no variable has", { environment: { "PAWL-HOST": "::" } }],
    ["a role by the environment", { environment: { PAWL_ROLES: "api" } }],
    ["a port of a role by the environment", { api: { environment: { PAWL_PORT: "80" } } }],
    ["a token where everybody reads it", { environment: { PAWL_OWNER_TOKEN: "pawl_1" } }],
    ["the database's password there", { router: { environment: { PAWL_DATABASE_URL: "postgres://a:b@c/d" } } }],
    ["a digest that is none", { image: { digest: "sha256:1" } }],
    ["no Secret at all", { secrets: { all: "" } }],
    ["objects in a folder, which no two pods share", { environment: { PAWL_OBJECTS: "folder" } }]
  ])("refuses %s", (_, given) => {
    expect(refusals(given)).not.toEqual([])
  })

  it("names no variable that is no option, and refuses every secret that the examples hold", () => {
    const refused = at(schema, ["definitions", "environment", "propertyNames", "not", "enum"]) as ReadonlyArray<string>
    const names = [...Object.keys(values["environment"] as Chart.Values), ...refused]
    expect(names.filter((name) => name.startsWith("PAWL_") && !known.has(name))).toEqual([])
    const secret = roles.flatMap((role) => Object.keys(environmentOf(join(root, "deploy/env", secretsOf(role)))))
    expect(secret.filter((name) => !refused.includes(name))).toEqual([])
  })

  it("begins with the environment that units and containers have, but for what has to be given", () => {
    const given = Object.fromEntries(required.map(([, name]) => [name, ""]))
    const { repository: _, ...addresses } = given
    expect(values["environment"]).toEqual({ ...environmentOf(join(root, "deploy/env/pawl.env")), ...addresses })
    for (const path of required) expect(at(values, path)).toBe("")
  })

  it("asks in its templates for values that there are, and says before each what it is", () => {
    const asked = Chart.templates.flatMap(([, text]) => [
      ...[...text.matchAll(/\.Values((?:\.[A-Za-z_]+)+)/g)].map(([, path = ""]) => path.slice(1)),
      ...[...text.matchAll(/\$of((?:\.[A-Za-z]+)+)\b(?!_)/g)].flatMap(([, path = ""]) =>
        roles.map((role) => role + path)
      )
    ])
    expect(asked.length).toBeGreaterThan(50)
    expect(asked.filter((path) => at(values, path.split(".")) === undefined)).toEqual([])
    const lines = readFileSync(join(Chart.chart, "values.yaml"), "utf8").split("\n")
    const untold = lines.filter((line, place) => /^[a-z]/i.test(line) && !/^#|^$/.test(lines[place - 1] ?? ""))
    expect(untold).toEqual([])
  })
})

/** Labels are helm's own in the chart, and a pod's annotation is there for helm's way of rolling pods. */
const compared = (all: ReadonlyArray<Resource>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    all.map((each) => {
      const copy = structuredClone(each) as unknown as {
        metadata: { labels?: unknown }
        spec?: { template?: { metadata?: { annotations?: Readonly<Record<string, string>> } } }
      }
      delete copy.metadata.labels
      const template = copy.spec?.template?.metadata
      if (Object.keys(template?.annotations ?? {}).join(",") === "checksum/environment") delete template?.annotations
      return [`${each.kind} ${each.metadata.name}`, copy]
    })
  )

describe.skipIf(Chart.whyNoGo !== null)(
  `The chart, ${Chart.whyNoGo ?? "as Go's templates and Sprig render it"}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), "pawl-chart-"))
    beforeAll(() => void Chart.compiled(folder))
    afterAll(() => rmSync(folder, { recursive: true }))

    const installed = (given: Chart.Values, name = "pawl", namespace = "pawl") => {
      expect(refusals(given)).toEqual([])
      return Chart.installed(folder, { name, namespace, values: given })
    }
    const least = Chart.over(example, { worker: null, ingress: null })

    /** As many values as there are, each another one. */
    const odd: Chart.Values = Chart.over(least, {
      image: { digest: `sha256:${"0".repeat(64)}`, pullPolicy: "Always" },
      imagePullSecrets: [{ name: "registry" }],
      environment: { PAWL_DRAIN_DELAY: "60000", PAWL_BASE_URL: "https://pawl.example.org:8443" },
      secrets: { all: "ours", router: "theirs", keys: "" },
      accounts: { create: false, name: "cloud-pawl", routerName: "cloud-router" },
      walls: false,
      migration: { routerUser: "", backoffLimit: 3 },
      api: {
        replicas: 1,
        service: { type: "LoadBalancer", annotations: { a: "1" } },
        environment: { PAWL_HOST: "::" }
      },
      router: { autoscaling: { enabled: true, minReplicas: 3, maxReplicas: 30, cpu: 50, scaleDownAfterSeconds: 0 } },
      worker: {
        replicas: 5,
        resources: { requests: null, limits: { cpu: "2" } },
        podAnnotations: { "example.org/a": "yes" },
        nodeSelector: { disk: "fast" },
        tolerations: [{ key: "strangers", operator: "Exists" }],
        affinity: { nodeAffinity: {} }
      },
      ingress: { enabled: true, className: "nginx", annotations: { b: "2" } },
      network: { routerEgress: [{ to: [{ ipBlock: { cidr: "10.0.0.0/8" } }], ports: [{ port: 5433 }] }] }
    })

    it.skipIf(whyNot !== null)("is, with the values of the example, what kustomize makes of its example", () => {
      const config = named<Resource>(rendered(), "ConfigMap", "pawl").metadata.name
      const theirs = JSON.parse(JSON.stringify(rendered()).replaceAll(config, "pawl")) as ReadonlyArray<Resource>
      const job = named<Job>(theirs, "Job", "pawl-migrate")
      const { container, pod } = podOf(job)
      const { data = {} } = named<ConfigMap>(theirs, "ConfigMap", "pawl")
      // Before anything else is there: a hook, with the environment by itself and no account of the release.
      const own = (container.env ?? []).map(({ name }) => name)
      const all = Object.entries(data).filter(([name]) => !own.includes(name))
      container.env = [...all.map(([name, value]) => ({ name, value })), ...(container.env ?? [])]
      container.envFrom = (container.envFrom ?? []).filter(({ configMapRef }) => configMapRef === undefined)
      delete (pod as { serviceAccountName?: string }).serviceAccountName
      const hook = {
        "helm.sh/hook": "pre-install,pre-upgrade",
        "helm.sh/hook-delete-policy": "before-hook-creation"
      }
      Object.assign(job.metadata ?? {}, { annotations: hook })
      const ours = installed(example)
      expect(ours.length).toBe(theirs.length - 1)
      expect(compared(ours)).toEqual(compared(theirs.filter(({ kind }) => kind !== "Namespace")))
    })

    it("is right by the types of Kubernetes, lies in the release's namespace, and has the chart's labels", () => {
      const all = [
        ...installed(example),
        ...installed(least),
        ...installed(odd, "shop", "123"),
        ...installed(Chart.over(least, { network: { enabled: false }, fullnameOverride: "p" }))
      ]
      expect(all.length).toBeGreaterThan(50)
      expect(wrongIn(all)).toEqual([])
      for (const { metadata } of all) {
        expect(["pawl", "123"]).toContain(metadata.namespace)
        expect(metadata).toMatchObject({
          labels: {
            "helm.sh/chart": "pawl-0.1.0",
            "app.kubernetes.io/managed-by": "Helm",
            "app.kubernetes.io/part-of": "pawl",
            "app.kubernetes.io/version": "0.1.0"
          }
        })
      }
    })

    it.each(roles)("has what makes a process of the role %s, and names nothing that is no option", async (role) => {
      const all = installed(example)
      const { container } = podOf(named<Deployment>(all, "Deployment", `pawl-${role}`))
      const { data = {} } = named<ConfigMap>(all, "ConfigMap", container.envFrom?.[0]?.configMapRef?.name ?? "none")
      const own = Object.fromEntries((container.env ?? []).map(({ name, value = "" }) => [name, value]))
      const secrets = environmentOf(join(root, "deploy/env", secretsOf(role)))
      const { given, options } = await optionsFrom({ ...data, ...secrets, ...own })
      expect(options).toMatchObject({
        roles: [role],
        repositories: "packs",
        data: "/var/lib/pawl/data",
        host: "0.0.0.0"
      })
      expect(options).toMatchObject({ objects: { bucket: "pawl-example-org" }, appsDomain: "apps.example.org" })
      expect(userOf(options)).toBe(role === "router" ? "pawl_router" : "pawl")
      expect(Object.keys(given).filter((name) => name.startsWith("PAWL_") && !known.has(name))).toEqual([])
    })

    it("migrates with the environment of the others, before them", async () => {
      const job = named<Job>(installed(example), "Job", "pawl-migrate")
      const { container } = podOf(job)
      expect(container.args).toEqual(["migrate", "--grant-router", "pawl_router"])
      const own = Object.fromEntries((container.env ?? []).map(({ name, value = "" }) => [name, value]))
      const { options } = await optionsFrom({
        ...environmentOf(join(root, "deploy/env", secretsOf("worker"))),
        ...own
      })
      expect(options).toMatchObject({ environment: "production", data: "/var/lib/pawl/data", repositories: "packs" })
      expect(userOf(options)).toBe("pawl")
    })

    it("leaves out what is not asked for: no Ingress, no autoscaler, no Job, no account, no policy of the network", () => {
      const kinds = (given: Chart.Values) => new Set(installed(Chart.over(least, given)).map(({ kind }) => kind))
      const all = [
        "ConfigMap",
        "Deployment",
        "Job",
        "NetworkPolicy",
        "PodDisruptionBudget",
        "Service",
        "ServiceAccount"
      ]
      expect([...kinds({})].toSorted()).toEqual(all)
      expect(
        [
          ...kinds({
            migration: { enabled: false },
            accounts: { create: false },
            network: { enabled: false },
            api: { replicas: 1 },
            router: { replicas: 0 },
            worker: { autoscaling: { enabled: true, minReplicas: 1 } }
          })
        ].toSorted()
      ).toEqual(["ConfigMap", "Deployment", "HorizontalPodAutoscaler", "Service"])
    })

    it("renders every other value where it belongs", () => {
      const all = installed(odd, "shop", "123")
      const of = (role: string) => named<Deployment>(all, "Deployment", `shop-pawl-${role}`)
      expect(roles.map((role) => of(role).spec?.replicas)).toEqual([1, undefined, 5])
      expect(all.filter(({ kind }) => kind === "PodDisruptionBudget").map(({ metadata }) => metadata.name)).toEqual([
        "shop-pawl-router",
        "shop-pawl-worker"
      ])
      expect(named(all, "HorizontalPodAutoscaler", "shop-pawl-router")).toMatchObject({
        spec: { minReplicas: 3, maxReplicas: 30, behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } }
      })
      for (const role of roles) {
        const { container, pod } = podOf(of(role))
        expect(pod).toMatchObject({ terminationGracePeriodSeconds: 85, imagePullSecrets: [{ name: "registry" }] })
        expect(pod.serviceAccountName).toBe(role === "router" ? "cloud-router" : "cloud-pawl")
        expect([pod.hostUsers, pod.initContainers, container.securityContext?.procMount]).toEqual([
          undefined,
          undefined,
          undefined
        ])
        expect(pod.securityContext?.seccompProfile).toEqual({ type: "RuntimeDefault" })
        expect(container).toMatchObject({
          image: `registry.example.org/pawl@sha256:${"0".repeat(64)}`,
          imagePullPolicy: "Always",
          envFrom: [
            { configMapRef: { name: "shop-pawl" } },
            { secretRef: { name: role === "router" ? "theirs" : "ours" } }
          ]
        })
      }
      expect(podOf(of("api")).container.env).toContainEqual({ name: "PAWL_HOST", value: "::" })
      const worker = of("worker")
      expect(worker.spec?.template?.metadata?.annotations).toMatchObject({ "example.org/a": "yes" })
      expect(podOf(worker).container.resources).toEqual({ limits: { cpu: "2" } })
      expect(podOf(worker).pod).toMatchObject({
        nodeSelector: { disk: "fast" },
        tolerations: [{ key: "strangers", operator: "Exists" }],
        affinity: { nodeAffinity: {} }
      })
      expect(named(all, "Service", "shop-pawl-api")).toMatchObject({
        metadata: { annotations: { a: "1" } },
        spec: { type: "LoadBalancer", selector: { "app.kubernetes.io/name": "shop-pawl-api" } }
      })
      const job = named<Job>(all, "Job", "shop-pawl-migrate")
      expect([podOf(job).container.args, job.spec?.backoffLimit]).toEqual([["migrate"], 3])
      const ingress = named<Resource & { spec: { tls?: unknown } }>(all, "Ingress", "shop-pawl")
      expect(ingress.spec.tls).toBeUndefined()
      // A port is no part of a host.
      const hosts = [{ host: "pawl.example.org" }, { host: "*.apps.example.org" }]
      expect(ingress).toMatchObject({ spec: { ingressClassName: "nginx", rules: hosts } })
      expect(named(all, "NetworkPolicy", "shop-pawl-router")).toMatchObject({
        spec: { egress: [{ to: [{ ipBlock: { cidr: "10.0.0.0/8" } }], ports: [{ port: 5433 }] }] }
      })
    })

    it("hands every text on as it is, and rolls the pods when the environment of all changes, and only then", () => {
      const texts = [
        "yes",
        "0777",
        "1e3",
        "~",
        "",
        "a: b # c",
        `"'\\`,
        "{{ .Values }}",
        "{a}",
        "ä\n\tb",
        "<no value",
        "%s"
      ]
      const given = Object.fromEntries(texts.map((text, place) => [`ODD_${place}`, text]))
      const all = installed(Chart.over(least, { environment: given, worker: { environment: given } }))
      expect(named<ConfigMap>(all, "ConfigMap", "pawl").data).toMatchObject(given)
      const listed = Object.entries(given).map(([name, value]) => ({ name, value }))
      const containers = [named<Deployment>(all, "Deployment", "pawl-worker"), named<Job>(all, "Job", "pawl-migrate")]
      for (const each of containers) expect(podOf(each).container.env).toEqual(expect.arrayContaining(listed))
      const sum = (resources: ReadonlyArray<Resource>) =>
        named<Deployment>(resources, "Deployment", "pawl-api").spec?.template?.metadata?.annotations?.[
          "checksum/environment"
        ]
      expect(sum(installed(least))).toMatch(/^[0-9a-f]{64}$/)
      expect(sum(all)).not.toBe(sum(installed(least)))
      expect(sum(installed(Chart.over(least, { api: { replicas: 7 } })))).toBe(sum(installed(least)))
    })

    it("takes its release's name for all names, with its own behind it where that is not in it", () => {
      const names = (name: string, given: Chart.Values = {}) =>
        named<ConfigMap>(installed(Chart.over(least, given), name), "ConfigMap", "").metadata?.name
      expect([names("pawl"), names("my-pawl"), names("shop"), names("shop", { fullnameOverride: "other" })]).toEqual([
        "pawl",
        "my-pawl",
        "shop-pawl",
        "other"
      ])
    })

    it.each(required.map((path) => path.join(".")))("says that %s has to be given, and how it looks", (path) => {
      const [first = "", second = ""] = path.split(".")
      for (const value of ["", null]) {
        const release = { name: "pawl", namespace: "pawl", values: Chart.over(least, { [first]: { [second]: "" } }) }
        const missing = {
          ...release,
          values: { ...release.values, [first]: { ...(release.values[first] as {}), [second]: value } }
        }
        const { status, stderr, stdout } = Chart.template(folder, missing)
        expect([status, stdout]).toEqual([1, ""])
        expect(stderr).toContain(`${path}: `)
        expect(stderr).toContain("as in ")
      }
    })

    it("ends with notes that say what is left to do", () => {
      const notes = (given: Chart.Values) =>
        Chart.template(folder, { name: "shop", namespace: "far", values: given }).stdout.split("---\n")[0] ?? ""
      expect(notes(example)).toContain("the API at https://pawl.example.org, apps below apps.example.org.")
      expect(notes(example)).not.toContain("Nothing leads in yet")
      expect(notes(least)).toContain("Nothing leads in yet: send the host of the API to the Service shop-pawl-api")
      expect(notes(least)).toContain("kubectl -n far exec deploy/shop-pawl-worker")
      expect(notes(odd)).toContain("Without walls checks are gaps")
    })
  }
)
