import { rounds, seed as commitSeed } from "@pawl/testing/Depth"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Flow from "../kit/Flow.ts"
import { type Answer, FuzzClient } from "./FuzzClient.ts"
import { type FuzzRequest, requestsOf } from "./FuzzRequests.ts"
import type { Ground } from "./FuzzValues.ts"
import { inspectable, settledBytes } from "../kit/ServerMemory.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"

/** One number names all of them; another commit sends others. */
const requests = Number(process.env["PAWL_FUZZ_REQUESTS"] ?? rounds({ quick: 1_000, deep: 10_000, long: 60_000 }))
const seed = Number(process.env["PAWL_FUZZ_SEED"] ?? 1 + (commitSeed % 1_000_000))
const warmUp = 600
/** After so many it is told how things stand. */
const round = 10_000
const clients = 8
const appsDomain = "apps.localhost"
/** What may stay resident after all requests, beyond what stayed after the first ones. */
const growthBytes = 64 * 1024 * 1024

const echo = `export default {
  async fetch(request) {
    const text = await request.text()
    return new Response(request.method + " " + text.length)
  }
}
`

interface Bad {
  readonly why: string
  readonly request: string
  readonly answer: string
}

/** Documented answers from 500 on: an upgrade or a coding that is not served. Everything else there is a defect. */
const isDocumented = (answer: Answer): boolean => answer.status === 501

/** Words that stand in stack traces and paths of ours, never in an answer. */
const inside = /node_modules|\/packages\/|^ {4}at /m

const titleOf = (answer: Answer): string | undefined => /<title>([^<]*)/.exec(answer.body)?.[1]

const isApp = (request: FuzzRequest): boolean => request.host.toLowerCase().includes(appsDomain)

/** People read git's answers in a terminal: a line of plain text each. */
const isGit = (request: FuzzRequest): boolean => /^\S+ \/git\b/.test(request.bytes)

/** A browser comes back from a sign-in elsewhere: whoever prefers pages sees one. */
const isSignIn = (request: FuzzRequest): boolean => /^\S+ \/auth\//.test(request.bytes)

/** What is wrong with an error answer of the API, if anything. */
const wrongProblem = (answer: Answer): string | null => {
  if (answer.headers.get("content-type")?.startsWith("application/problem+json") !== true) return "no problem+json"
  if (answer.body === "") return null
  const problem = JSON.parse(Buffer.from(answer.body, "latin1").toString("utf8")) as Record<string, unknown>
  if (problem["status"] !== answer.status) return "the problem names another status"
  return ["type", "title", "code", "detail"].every(
    (field) => typeof problem[field] === "string" && problem[field] !== ""
  )
    ? null
    : "a field of the problem is missing"
}

const wrong = (request: FuzzRequest, answer: Answer | null): string | null => {
  if (answer === null) return request.shape === "whole" ? "no answer" : null
  if (answer.status < 200) return "no status"
  if (answer.status >= 500 && !isDocumented(answer)) return "a defect"
  if (inside.test(answer.body)) return "it tells of the inside"
  if (answer.status < 400) return null
  if (isGit(request) && answer.headers.get("content-type")?.startsWith("text/plain") === true)
    return request.method === "HEAD" || answer.body !== "" ? null : "git says nothing"
  if (isSignIn(request) && answer.headers.get("content-type")?.startsWith("text/html") === true)
    return request.method === "HEAD" || titleOf(answer) !== undefined ? null : "a page without a title"
  if (!isApp(request)) return request.method === "HEAD" ? null : wrongProblem(answer)
  // A file that is not for this method or range is refused as Cloudflare does it: by headers alone.
  const byHeaders = answer.headers.has("allow") || answer.headers.has("content-range")
  return request.method === "HEAD" || byHeaders || answer.body !== "" ? null : "an empty page"
}

describe("Bad input", () => {
  const folder = temporaryFolder()
  let server: ServerProcess
  let ground: Ground

  beforeAll(async () => {
    server = await startServer({ data: folder.path, environment: inspectable })
    const { api } = server
    const made = async (slug: string) => {
      const project = await Flow.createProject(api, slug, Flow.source("one", { "src/index.js": echo }))
      const change = await Flow.openChange(api, project.id, slug)
      const changeSet = await Flow.edit(api, change, { "a.txt": slug })
      return { project, change, changeSet }
    }
    const kept = await made("fuzzed")
    const doomed = await made("doomed")
    await Flow.liveApp(api, kept.project.id, 0)
    const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, kept.change)).id)
    const [evidence] = await Flow.evidence(api, candidate.id)
    const organization = await api.post<{ organization: { id: string } }>("/v1/organizations", { name: "Doomed" })
    const issued = await api.post<{ token: { id: string } }>("/v1/tokens", { name: "doomed" })
    const { user } = await api.post<{ user: { id: string } }>("/v1/users", { name: "Somebody" })
    ground = {
      token,
      port: server.port,
      appsDomain,
      label: kept.project.label,
      ids: {
        projects: kept.project.id,
        changes: kept.change.id,
        changesets: kept.changeSet.id,
        candidates: candidate.id,
        evidence: evidence!.id,
        users: user.id
      },
      doomed: {
        projects: doomed.project.id,
        changes: doomed.change.id,
        organizations: organization.organization.id,
        tokens: issued.token.id
      }
    }
  })
  afterAll(async () => {
    await server.stop()
    folder.remove()
  })

  const statuses = new Map<number, number>()
  const run = async (from: number, count: number) => {
    const bad: Array<Bad> = []
    const source = requestsOf(ground, seed + from, count)
    const visit = async () => {
      const client = new FuzzClient(server.port)
      for (const request of source) {
        const answer = await client.send(request.bytes, request.method, request.shape)
        statuses.set(answer?.status ?? 0, (statuses.get(answer?.status ?? 0) ?? 0) + 1)
        const why = wrong(request, answer)
        if (why !== null && bad.length < 20)
          bad.push({
            why,
            request: request.bytes.slice(0, 600),
            answer: answer === null ? "" : `${answer.status} ${titleOf(answer) ?? answer.body.slice(0, 400)}`
          })
      }
      client.close()
    }
    await Promise.all(Array.from({ length: clients }, visit))
    return bad
  }

  it(`never breaks us: ${requests} requests of seed ${seed} end in answers, none in a defect, and memory stays flat`, async () => {
    expect(await run(0, warmUp)).toEqual([])
    const before = await settledBytes(server)
    const bad: Array<Bad> = []
    for (let done = warmUp; done < requests && bad.length === 0; done += round) {
      bad.push(...(await run(done, Math.min(round, requests - done))))
      const times = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status} ${count}×`)
      const resident = Math.round(((await settledBytes(server)) - before) / 1e6)
      console.log(
        `${Math.min(requests, done + round)} requests: ${times.join(", ")}; ${resident} MB more than at first`
      )
    }
    const after = await settledBytes(server)
    expect(bad).toEqual([])
    expect(after - before).toBeLessThan(growthBytes)
    expect((await server.api.page(`http://${ground.label}.${appsDomain}/`)).text).toBe("GET 0")
    expect(await server.api.get("/v1/me")).toBeDefined()
    expect(server.log()).not.toContain("request failed")
    expect(server.log()).not.toContain("could not answer")
  }, 3_600_000)
})
