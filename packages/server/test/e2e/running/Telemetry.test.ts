import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { attributesOf, type CollectedSpan, type Collector, startCollector } from "../../node/telemetry/Collector.ts"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"
import { ownAddress } from "../../../../adapters-local/test/OwnAddress.ts"

const secrets = {
  OTEL_EXPORTER_OTLP_HEADERS: "x-key=collector-secret-0123",
  PAWL_METRICS_TOKEN: "metrics-secret-0123456789"
}

/** Answers, throws or loops, by the path. */
const app = (message: string) => `export default {
  fetch(request) {
    const { pathname } = new URL(request.url)
    if (pathname === "/throw") throw new Error("on purpose")
    if (pathname === "/loop") for (;;);
    return new Response(${JSON.stringify(message)})
  }
}
`

/** An address at which nobody listens. */
const nowhere = (): string => {
  const { host, port } = ownAddress()
  return `http://${host}:${port}`
}

/** The log comes in pieces: the last line is there when its end is. */
const lines = (server: ServerProcess): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  server
    .log()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line))

const annotations = (line: Readonly<Record<string, unknown>>) =>
  line["annotations"] as Readonly<Record<string, unknown>>

const ask = (server: ServerProcess, path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
  fetch(`${server.origin}${path}`, { method, headers: { authorization: `Bearer ${token}`, ...headers } })

/** The samples of `/metrics` by name and labels. A line that Prometheus could not read fails. */
const scrape = async (server: ServerProcess, headers: Readonly<Record<string, string>> = {}) => {
  const answer = await fetch(`${server.origin}/metrics`, { headers })
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
  const text = await answer.text()
  const sample = /^([a-z_]+(?:\{[a-z_]+="[^"\\]*"(?:,[a-z_]+="[^"\\]*")*\})?) (-?[0-9.e+-]+)$/
  const samples = new Map<string, number>()
  for (const line of text.trimEnd().split("\n")) {
    if (/^# (HELP [a-z_]+ .+|TYPE [a-z_]+ (counter|gauge|histogram))$/.test(line)) continue
    const [, name = "", value] = sample.exec(line) ?? []
    expect([line, name]).not.toEqual([line, ""])
    samples.set(name, Number(value))
  }
  return samples
}

describe("A server that was told where its traces go", () => {
  const folder = temporaryFolder()
  const traceId = "0af7651916cd43dd8448eb211c80319c"
  let collector: Collector
  let server: ServerProcess

  beforeAll(async () => {
    collector = await startCollector()
    server = await startServer({
      data: folder.path,
      environment: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
        OTEL_EXPORTER_OTLP_HEADERS: secrets.OTEL_EXPORTER_OTLP_HEADERS,
        OTEL_SERVICE_NAME: "the shop's server",
        PAWL_METRICS: "true",
        PAWL_ACCESS_LOG: "true",
        PAWL_WEBHOOKS_ALLOW_PRIVATE: "true"
      }
    })
  })
  afterAll(async () => {
    await server.stop()
    await collector.close()
    folder.remove()
  })

  it("makes one trace of an edit: the call to the API, composition, check, build, promotion, release and the app's start", async () => {
    const { api } = server
    const files = Flow.source("one", { "src/index.js": app("one") })
    const project = await Flow.createProject(api, "traced", files)
    await Flow.liveApp(api, project.id, 0)
    await api.put(`/v1/projects/${project.id}/policy`, { autoPromoteRiskTiers: ["low", "medium", "high"] })
    const change = await Flow.openChange(api, project.id, "an edit")
    await Flow.edit(api, change, { "src/index.js": app("the body of the app"), "verdict.txt": "good" })
    const asked = await ask(
      server,
      `/v1/changes/${change.id}/candidates`,
      { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
      "POST"
    )
    expect(asked.status).toBe(202)
    await Flow.released(api, project.id, 1)

    const ofTrace = () => collector.spans.filter((span) => span.traceId === traceId)
    const named = (name: string) => ofTrace().filter((span) => span.name === name)
    const kindOf = (span: CollectedSpan) => attributesOf(span.attributes)["kind"]
    // A span is sent when it has ended: the app's start before the release that waited for it.
    await Flow.until(
      async () => [named("AppRuntime.start").length, named("Processes.execute").map(kindOf)] as const,
      ([started, kinds]) => started > 0 && kinds.includes("release.run")
    )
    const byId = new Map(ofTrace().map((span) => [span.spanId, span]))
    const above = (span: CollectedSpan): ReadonlyArray<string> => {
      const parent = byId.get(span.parentSpanId ?? "")
      return parent === undefined ? [] : [parent.name, ...above(parent)]
    }
    const [call] = named("API POST /v1/changes/:id/candidates")
    expect(call).toMatchObject({ parentSpanId: "b7ad6b7169203331", kind: 2, status: { code: 1 } })
    expect(attributesOf(call!.attributes)).toMatchObject({
      "http.route": "/v1/changes/:id/candidates",
      "http.response.status_code": 202,
      requestId: asked.headers.get("x-request-id")
    })
    expect(named("Processes.execute").map(kindOf)).toEqual(
      expect.arrayContaining(["candidate.create", "candidate.promote", "release.run"])
    )
    expect(
      named("Verification.check")
        .map((span) => String(attributesOf(span.attributes)["checkId"]))
        .sort((a, b) => a.localeCompare(b))
    ).toEqual(["build", "test"])
    expect(
      ["Composing.compose", "Sandbox.start", "Builds.bundleOf", "Smoke.test"].filter((name) => named(name).length === 0)
    ).toEqual([])
    const commits = named("Ledger.commit").map((span) => attributesOf(span.attributes)["commit"])
    expect(commits).toEqual(expect.arrayContaining(["Verification.gate", "Promotions.swap", "Releases.probesPassed"]))
    // The whole way up, from the process of the app to the call that somebody made.
    const way = above(named("AppRuntime.start")[0]!)
    expect(way.slice(0, 2)).toEqual(["AppRuntime.fetch", "Smoke.test"])
    expect(way.filter((name) => name === "Processes.execute")).toHaveLength(3)
    expect(way.at(-1)).toBe("API POST /v1/changes/:id/candidates")
    expect(collector.resources[0]).toMatchObject({ "service.name": "the shop's server" })
    expect(collector.headers[0]).toMatchObject({ "x-key": "collector-secret-0123" })
  })

  it("counts what was done, on a page that Prometheus reads", async () => {
    const { api } = server
    const { items } = await api.get<{ items: ReadonlyArray<{ id: string }> }>("/v1/projects")
    const { url } = await Flow.liveApp(api, items[0]!.id, 1)
    expect((await api.page(url)).text).toBe("the body of the app")
    expect((await api.page(`${url}throw`)).status).toBe(502)
    expect((await api.page(`${url}loop`)).status).toBe(503)
    expect((await api.page(url.replace("//", "//nobody-"))).status).toBe(404)
    await ask(server, "/v1/nothing-here")
    const metrics = await Flow.until(
      () => scrape(server),
      (samples) => samples.has('pawl_app_kills_total{reason="cpu"}')
    )
    const value = (name: string) => metrics.get(name)
    expect(value('pawl_http_requests_total{method="POST",route="/v1/changes/:id/candidates",status="2xx"}')).toBe(1)
    expect(value('pawl_http_requests_total{method="GET",route="unknown",status="4xx"}')).toBe(1)
    expect(value("pawl_http_request_duration_seconds_count")).toBeGreaterThan(5)
    expect(value('pawl_app_requests_total{outcome="ok"}')).toBe(1)
    expect(value('pawl_app_requests_total{outcome="threw"}')).toBe(1)
    expect(value('pawl_app_requests_total{outcome="cpu"}')).toBe(1)
    expect(value('pawl_app_requests_total{outcome="page"}')).toBe(1)
    expect(value("pawl_app_request_duration_seconds_count")).toBe(4)
    expect(value('pawl_app_kills_total{reason="cpu"}')).toBe(1)
    expect(value("pawl_app_cold_start_duration_seconds_count")).toBeGreaterThanOrEqual(1)
    expect(value('pawl_app_processes{state="warm"}')).toBeGreaterThanOrEqual(0)
    expect(value('pawl_builds_total{outcome="built"}')).toBe(2)
    expect(value('pawl_promotions_total{outcome="seeded",trigger="seed"}')).toBe(1)
    expect(value('pawl_promotions_total{outcome="promoted",trigger="auto"}')).toBe(1)
    expect(value('pawl_releases_total{outcome="deployed"}')).toBe(1)
    expect(value("pawl_pointer_reads_total")).toBeGreaterThanOrEqual(value("pawl_pointer_loads_total")!)
    expect(value("pawl_pointer_loads_total")).toBeGreaterThanOrEqual(1)
    expect(value("pawl_backlog_readable")).toBe(1)
    expect(value('pawl_trace_spans_total{outcome="sent"}')).toBeGreaterThan(10)
    expect(value("process_resident_memory_bytes")).toBeGreaterThan(10_000_000)
  })

  it("counts requests of git, and writes them in the access log", async () => {
    await ask(server, "/git/proj_00000000-0000-4000-8000-000000000000.git/info/refs?service=git-upload-pack")
    const name = 'pawl_http_requests_total{method="GET",route="/git/:id.git/info/refs",status="4xx"}'
    const metrics = await Flow.until(
      () => scrape(server),
      (samples) => samples.has(name)
    )
    expect(metrics.get(name)).toBe(1)
    const log = await Flow.until(
      () => Promise.resolve(server.log()),
      (text) => /\/git\/:id\.git\/info\/refs.*\n/.test(text)
    )
    const line = log.split("\n").find((one) => one.includes("/git/:id.git/info/refs"))!
    expect(JSON.parse(line)).toMatchObject({
      annotations: { method: "GET", requestId: expect.stringMatching(/^req_/) }
    })
  })

  it("counts commands that wait, and the consumers of events", async () => {
    const { api } = server
    const { items } = await api.get<{ items: ReadonlyArray<{ id: string }> }>("/v1/projects")
    // Nobody answers there, so what it is to be told waits for another try.
    await api.post(`/v1/projects/${items[0]!.id}/webhooks`, { url: nowhere() })
    await Flow.edit(api, await Flow.openChange(api, items[0]!.id, "more events"), { "public/more.txt": "more" })
    const metrics = await Flow.until(
      () => scrape(server),
      (samples) => (samples.get('pawl_queue_commands{kind="webhook.deliver",state="waiting"}') ?? 0) > 0
    )
    expect(metrics.get('pawl_event_consumers{consumer="webhook"}')).toBe(1)
    expect(metrics.get('pawl_event_lag_events{consumer="webhook"}')).toBeGreaterThanOrEqual(0)
  })

  it("shows metrics to nobody whom a proxy speaks for, when there is no token for them", async () => {
    expect((await fetch(`${server.origin}/metrics`)).status).toBe(200)
    for (const name of ["x-forwarded-for", "forwarded", "via"]) {
      const passedOn = await fetch(`${server.origin}/metrics`, { headers: { [name]: "203.0.113.9" } })
      expect([name, passedOn.status]).toEqual([name, 401])
    }
    expect((await fetch(`${server.origin}/metrics`, { method: "POST" })).status).toBe(405)
  })

  it("writes a line for each request to the API, with the id that the caller was given", async () => {
    const unnamed = await ask(server, "/v1/me")
    const named = await ask(server, "/v1/projects/proj_nobody", { "x-request-id": "callers-own-id-1" })
    expect(named.headers.get("x-request-id")).toBe("callers-own-id-1")
    expect(((await named.json()) as { requestId: string }).requestId).toBe("callers-own-id-1")
    const bad = await ask(server, "/v1/me", { "x-request-id": "not one, surely" })
    expect(bad.headers.get("x-request-id")).toMatch(/^req_/)
    const about = (id: string | null) => lines(server).find((line) => annotations(line)["requestId"] === id)
    const line = await Flow.until(
      async () => about(named.headers.get("x-request-id")),
      (found) => found !== undefined
    )
    expect(line).toMatchObject({
      message: "request",
      logLevel: "INFO",
      annotations: { method: "GET", route: "/v1/projects/:id", status: 404, requestId: "callers-own-id-1" },
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/)
    })
    expect(annotations(line!)["userId"]).toMatch(/^usr_/)
    expect(annotations(line!)["ms"]).toBeGreaterThan(0)
    expect(annotations(about(unnamed.headers.get("x-request-id"))!)).toMatchObject({ route: "/v1/me", status: 200 })
  })

  it("tells nothing of tokens, headers of the collector and what apps hold, in its log or in traces", async () => {
    await ask(server, "/v1/me?token=in-the-query", { authorization: "Bearer pawl_guessed-token-0123456789" })
    await server.stop()
    const told = [server.log(), ...collector.bodies].join("\n")
    expect(told.length).toBeGreaterThan(1000)
    expect(
      [token, "collector-secret-0123", "guessed-token", "in-the-query", "the body of the app"].filter((secret) =>
        told.includes(secret)
      )
    ).toEqual([])
  })
})

describe("A server whose collector is away", () => {
  it("works as ever, and says so once", async () => {
    const endpoint = nowhere()
    const folder = temporaryFolder()
    const server = await startServer({
      data: folder.path,
      environment: { PAWL_OTLP_ENDPOINT: endpoint, PAWL_METRICS: "true", ...secrets }
    })
    const project = await Flow.createProject(server.api, "alone")
    expect((await server.api.page((await Flow.liveApp(server.api, project.id, 0)).url)).text).toBe("one")

    const authorization = `Bearer ${secrets.PAWL_METRICS_TOKEN}`
    expect((await scrape(server, { authorization })).get("pawl_backlog_readable")).toBe(1)
    for (const wrong of ["", "Bearer wrong", `Bearer ${token}`, `Basic ${secrets.PAWL_METRICS_TOKEN}`]) {
      const refused = await fetch(`${server.origin}/metrics`, { headers: { authorization: wrong } })
      expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="pawl"'])
      expect(await refused.text()).not.toContain("pawl_http")
    }

    await server.stop()
    const told = lines(server).filter((line) => JSON.stringify(line).includes("traces"))
    expect(told).toMatchObject([{ logLevel: "WARN", annotations: { collector: endpoint } }])
    expect(
      [token, "collector-secret-0123", secrets.PAWL_METRICS_TOKEN].filter((secret) => server.log().includes(secret))
    ).toEqual([])
    folder.remove()
  })
})

describe("A server that was told nothing", () => {
  it("has no metrics, no access log and no traces", async () => {
    const folder = temporaryFolder()
    const server = await startServer({ data: folder.path })
    const answer = await ask(server, "/metrics", {
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    })
    expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/problem+json"])
    await server.stop()
    expect(lines(server).filter((line) => line["message"] === "request" || "traceId" in line)).toEqual([])
    folder.remove()
  })
})
