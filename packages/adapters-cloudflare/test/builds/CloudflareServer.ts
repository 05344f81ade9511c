/** A local server that speaks the documented shapes of Cloudflare's API, for one account and one Worker. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { MemoryBuilds } from "@pawl/adapters-memory/MemoryBuildService"
import type { ServiceBuild } from "@pawl/core/release/BuildService"
import { buildServiceTarget } from "@pawl/testing/contracts/release/BuildServiceContract"

export const accountId = "0123456789abcdef0123456789abcdef"
export const token = "cf-secret-token-of-the-test"

/** What the server answers instead of what is documented. */
export type Behave = (request: IncomingMessage, response: ServerResponse) => boolean

const buildOf = (build: ServiceBuild): unknown => ({
  build_uuid: build.id,
  status: build.status === "finished" ? "stopped" : "running",
  build_outcome: build.outcome,
  created_on: build.createdAt,
  initializing_on: build.createdAt,
  running_on: build.createdAt,
  modified_on: build.createdAt,
  stopped_on: build.status === "finished" ? build.createdAt : null,
  trigger: { trigger_uuid: "t1", external_script_id: buildServiceTarget.workerTag },
  build_trigger_metadata:
    build.commit === null
      ? null
      : {
          build_trigger_source: "push",
          branch: "main",
          commit_hash: build.commit,
          author: "pawl",
          provider_type: "github"
        },
  pull_request: null
})

const deploymentsOf = ({ deployment }: MemoryBuilds): ReadonlyArray<unknown> =>
  deployment === null
    ? []
    : [
        {
          id: "older",
          created_on: "2026-02-01T00:00:00.000000Z",
          source: "api",
          strategy: "percentage",
          versions: [{ version_id: "v0", percentage: 100 }]
        },
        {
          id: deployment.id,
          created_on: "2026-03-01T10:05:00.000000Z",
          source: "wrangler",
          strategy: "percentage",
          author_email: "someone@example.com",
          annotations: { "workers/triggered_by": "deployment" },
          versions: [{ version_id: deployment.versionId, percentage: 100 }]
        }
      ]

const page = (items: ReadonlyArray<unknown>, query: URLSearchParams) => {
  const number = Number(query.get("page") ?? "1")
  const size = Number(query.get("per_page") ?? "25")
  const shown = items.slice((number - 1) * size, number * size)
  const info = { page: number, per_page: size, count: shown.length, total_count: items.length }
  return { result: shown, result_info: info }
}

const route = (state: MemoryBuilds, path: string, query: URLSearchParams): object | null => {
  const { workerName, workerTag } = buildServiceTarget
  switch (path) {
    case `/accounts/${accountId}/builds/workers/${workerTag}/builds`: {
      const newest = state.builds.toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1))
      return page(newest.map(buildOf), query)
    }
    case `/accounts/${accountId}/builds/workers/${workerTag}/triggers`: {
      const trigger = { trigger_uuid: "t1", trigger_name: "main", branch_includes: ["main"], deleted_on: null }
      return { result: state.hasTrigger ? [trigger] : [] }
    }
    case `/accounts/${accountId}/workers/scripts/${workerName}/deployments`:
      return { result: { deployments: deploymentsOf(state) } }
    case `/accounts/${accountId}/builds/builds`: {
      const versions = (query.get("version_ids") ?? "").split(",")
      const { deployment } = state
      const known = deployment?.buildId != null && versions.includes(deployment.versionId)
      return { result: { builds: known ? { [deployment.versionId]: { build_uuid: deployment.buildId } } : {} } }
    }
    default:
      return null
  }
}

export const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) => {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(JSON.stringify(body))
  return true
}

export const failure = (code: number, message: string) => ({
  success: false,
  errors: [{ code, message }],
  messages: [],
  result: null
})

/** Starts it. `seen` are the requests, `behave` may answer in the server's place. */
export const startCloudflare = async (state: MemoryBuilds, behave: Behave = () => false) => {
  const seen: Array<{ readonly method: string; readonly url: string }> = []
  const waiting: Array<() => void> = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://cloudflare.test")
    seen.push({ method: request.method ?? "", url: request.url ?? "" })
    for (const wake of waiting.splice(0)) wake()
    if (behave(request, response)) return
    if (request.headers.authorization !== `Bearer ${token}`)
      return void json(response, 401, failure(10000, "Authentication error"))
    const answer = request.method === "GET" ? route(state, url.pathname, url.searchParams) : null
    if (answer === null) return void json(response, 404, failure(7003, "Could not route"))
    json(response, 200, { success: true, errors: [], messages: [], ...answer })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    /** Resolves at the next request. */
    asked: () => new Promise<void>((resolve) => waiting.push(resolve)),
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
