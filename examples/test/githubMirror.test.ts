import type { ChangeSet } from "@pawl/core/model/ChangeSet"
import type { Delivery } from "@pawl/core/model/Delivery"
import type { Event } from "@pawl/core/model/Event"
import type { CandidateJson, ChangeJson } from "@pawl/server/api/RecordSchemas"
import { Webhook } from "standardwebhooks"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ownAddress } from "../../packages/adapters-local/test/OwnAddress.ts"
import * as Flow from "../../packages/server/test/e2e/kit/Flow.ts"
import { startServer, type ServerProcess, temporaryFolder } from "../../packages/server/test/e2e/kit/ServerProcess.ts"
import { openGitHub } from "./kit/GitHubStandIn.ts"
import { startMirror } from "./kit/Mirror.ts"

const githubToken = "ghp_planted-0123456789"

/** A commit's id as GitHub would have it: it is never one of Pawl's. */
const sha = (digit: string): string => digit.repeat(40)

describe("The mirror to GitHub, beside a running server", () => {
  const folder = temporaryFolder()
  const at = ownAddress()
  const url = `http://${at.host}:${at.port}/`
  let server: ServerProcess
  let github: Awaited<ReturnType<typeof openGitHub>>
  let mirror: ReturnType<typeof startMirror>
  let projectId: string
  let hook: { readonly webhook: { readonly id: string }; readonly secret: string }
  let environment: Readonly<Record<string, string>>

  const start = async () => {
    mirror = startMirror(environment)
    await mirror.ready
  }
  const deliveries = async () =>
    (await server.api.get<{ items: ReadonlyArray<Delivery> }>(`/v1/webhooks/${hook.webhook.id}/deliveries`)).items
  const events = async () =>
    (await server.api.get<{ items: ReadonlyArray<Event> }>(`/v1/projects/${projectId}/events?limit=100`)).items
  /** Waits until the mirror has been told of all there is. */
  const allTold = async () => {
    const last = (await events()).findLast(({ type }) => type !== "checkpoint.published")!
    await Flow.until(deliveries, (all) => all.some(({ event, state }) => event.id === last.id && state === "delivered"))
  }
  const post = async (body: string, { id, secret = hook.secret, time = new Date() }: Sent) => {
    const headers = {
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(time.getTime() / 1000)),
      "webhook-signature": new Webhook(secret).sign(id, time, body)
    }
    return (await fetch(url, { method: "POST", body, headers })).status
  }
  interface Sent {
    readonly id: string
    readonly secret?: string
    readonly time?: Date
  }
  /** A Change for a pull request, with an edit whose files the head of that pull request has. */
  const pushed = async (name: string, commit: string, files: Readonly<Record<string, string>>) => {
    const change = await Flow.openChange(server.api, projectId, name)
    const changeSet: ChangeSet = await Flow.edit(server.api, change, files)
    github.push(Number(/\d+/.exec(name)![0]), commit, changeSet.tree)
    return change
  }
  const asked = async (change: ChangeJson): Promise<CandidateJson> =>
    Flow.gated(server.api, (await Flow.requestCandidate(server.api, change)).id)
  const landed = async (change: ChangeJson, generation: number) => {
    await Flow.promote(server.api, (await asked(change)).id)
    const release = await Flow.released(server.api, projectId, generation)
    await allTold()
    return release
  }
  /** Of each deployment, the newest first, its commit and how it stands. */
  const standing = () => github.deployments.map(({ sha: of, statuses }) => `${of[0]} ${statuses[0]?.state}`)

  beforeAll(async () => {
    server = await startServer({ data: folder.path, environment: { PAWL_WEBHOOKS_ALLOW_PRIVATE: "true" } })
    github = await openGitHub(githubToken, "acme/shop")
    projectId = (await Flow.createProject(server.api, "shown")).id
    await Flow.liveApp(server.api, projectId, 0)
    hook = await server.api.post(`/v1/projects/${projectId}/webhooks`, { url })
    const reader = await server.api.post<{ token: string }>("/v1/tokens", { name: "mirror", scopes: ["read"] })
    environment = {
      HOST: at.host,
      PORT: String(at.port),
      PAWL_URL: server.origin,
      PAWL_TOKEN: reader.token,
      PAWL_WEBHOOK_SECRET: hook.secret,
      PAWL_CONSOLE_URL: "https://pawl.example/",
      GITHUB_API_URL: github.url,
      GITHUB_TOKEN: githubToken,
      GITHUB_REPOSITORY: "acme/shop"
    }
    await start()
  })
  afterAll(async () => {
    await mirror.stop()
    await server.stop()
    await github.close()
    folder.remove()
  })

  it("shows the checks of a Candidate at the head of its pull request, and its generation as a deployment of that ref", async () => {
    const change = await pushed("github:pull/1", sha("1"), Flow.source("two"))
    const candidate = await asked(change)
    await allTold()
    const target_url = `https://pawl.example/changes/${change.id}`
    expect(github.newest(sha("1"))).toEqual(
      expect.arrayContaining([
        { context: "pawl", state: "success", description: "Every required check passed, on S0", target_url },
        expect.objectContaining({ context: "pawl/build", state: "success" }),
        expect.objectContaining({ context: "pawl/test", state: "success" })
      ])
    )
    await Flow.promote(server.api, candidate.id)
    await Flow.released(server.api, projectId, 1)
    await allTold()
    expect(github.newest(sha("1"))).toContainEqual(
      expect.objectContaining({ context: "pawl", description: "Promoted" })
    )
    const { url: live } = await Flow.liveApp(server.api, projectId, 1)
    expect(github.deployments).toMatchObject([
      {
        ref: "refs/pull/1/head",
        sha: sha("1"),
        environment: "production",
        statuses: expect.arrayContaining([
          {
            state: "success",
            description: "S1 is live",
            environment_url: live,
            log_url: "https://pawl.example/p/shown/generations/1"
          }
        ])
      }
    ])
  })

  it("shows which check failed, and that a rejected Candidate is none", async () => {
    const change = await pushed("github:pull/2", sha("2"), { "verdict.txt": "bad" })
    expect(await asked(change)).toMatchObject({ status: "rejected" })
    await allTold()
    const found = Object.fromEntries(github.newest(sha("2")).map(({ context, state }) => [context, state]))
    expect(found).toMatchObject({ pawl: "failure", "pawl/build": "success", "pawl/test": "failure" })
  })

  it("never calls a commit good whose files Pawl was not given, whatever it says of others", async () => {
    const change = await pushed("github:pull/3", sha("3"), { "public/three.txt": "three" })
    github.push(3, sha("d"), sha("0"))
    expect(await asked(change)).toMatchObject({ status: "verified" })
    await allTold()
    expect(github.newest(sha("d"))).toMatchObject([{ context: "pawl", state: "pending" }])
    expect(github.newest(sha("3"))).toEqual([])
  })

  it("deploys nothing of a ref that moved while it was deployed", async () => {
    const change = await pushed("github:pull/4", sha("4"), Flow.source("four"))
    github.beforeNextDeployment(() => github.push(4, sha("e"), sha("0")))
    const { id } = await asked(change)
    await Flow.promote(server.api, id)
    await Flow.released(server.api, projectId, 2)
    // The first try is answered 503: what waits is sent again.
    const [waiting] = await Flow.until(deliveries, ([first]) => (first?.lastStatus ?? 0) === 503)
    await server.api.post(`/v1/webhook-deliveries/${waiting!.id}/redeliver`)
    await allTold()
    expect(standing()).toEqual(["e inactive", "1 inactive"])
    expect(mirror.log()).toContain("GitHub has no commit of the files of S2")
  })

  it("shows a release that failed, and what is live again", async () => {
    const broken = `export default { fetch: () => new Response("no", { status: 500 }) }\n`
    const change = await pushed("github:pull/5", sha("5"), { "src/index.js": broken })
    expect(await landed(change, 3)).toMatchObject({ status: "smoke_failed" })
    expect(standing()).toEqual(["5 failure", "e inactive", "1 inactive"])
    expect(github.deployments[0]?.statuses[0]).toMatchObject({
      description: "S3 failed its smoke test; S2 is live again",
      environment_url: ""
    })
  })

  it("shows a rollback as a deployment of the commit that it goes back to", async () => {
    const asks = { targetGeneration: 1, expectedGeneration: 3 }
    const { candidate } = await server.api.post<{ candidate: CandidateJson }>(
      `/v1/projects/${projectId}/rollback`,
      asks
    )
    await Flow.promote(server.api, (await Flow.gated(server.api, candidate.id)).id)
    await Flow.released(server.api, projectId, 4)
    await allTold()
    expect(standing()).toEqual(["1 success", "5 failure", "e inactive", "1 inactive"])
    expect(github.deployments[0]?.statuses[0]).toMatchObject({ description: "S4 is live" })
  })

  it("goes back to nothing older when an old message comes late, be it of this Change or of one before it", async () => {
    const first = await pushed("github:pull/6", sha("6"), { "verdict.txt": "bad" })
    await asked(first)
    await server.api.post(`/v1/changes/${first.id}/cancel`)
    const second = await pushed("github:pull/6, once more", sha("6"), { "public/six.txt": "six" })
    await asked(second)
    await allTold()
    const before = github.newest(sha("6"))
    expect(before).toContainEqual(expect.objectContaining({ context: "pawl", state: "success" }))
    const old = (await events()).filter(({ type }) => type.startsWith("candidate.") || type.startsWith("build."))
    const writes = github.writes()
    // Under ids that it never saw: as after a restart, and longer ago than it remembers.
    for (const event of old) expect(await post(JSON.stringify(event), { id: `late_${event.id}` })).toBe(200)
    expect(old.length).toBeGreaterThan(8)
    expect(github.writes()).toBe(writes)
    expect(github.newest(sha("6"))).toEqual(before)
  })

  it("takes nothing that is not signed, or that was signed long ago, and does the same message once", async () => {
    const [event] = (await events()).filter(({ type }) => type === "candidate.verified")
    const body = JSON.stringify(event)
    const other = `whsec_${Buffer.from("another secret, of 32 bytes long").toString("base64")}`
    const sixMinutes = new Date(Date.now() - 6 * 60_000)
    expect(await post(body, { id: "x", secret: other })).toBe(401)
    expect(await post(body, { id: "x", time: sixMinutes })).toBe(401)
    expect((await fetch(url, { method: "POST", body })).status).toBe(401)
    expect(await Promise.all([post(body, { id: "once" }), post(body, { id: "once" })])).toEqual([200, 200])
    expect(await post(body, { id: "last" })).toBe(200)
    const worked = (id: string) => mirror.log().split(`"message":"${id}"`).length - 1
    await Flow.until(
      () => Promise.resolve(worked("last")),
      (count) => count > 0
    )
    expect([worked("x"), worked("once"), worked("last")]).toEqual([0, 1, 1])
  })

  it("has Pawl send again what GitHub was away for, or did not take for now, through a death of its own", async () => {
    github.answerWith({ status: 502 })
    const change = await pushed("github:pull/7", sha("7"), { "public/seven.txt": "seven" })
    await asked(change)
    const failed = (status: number) => Flow.until(deliveries, ([first]) => first?.lastStatus === status)
    const [waiting] = await failed(503)
    const again = () => server.api.post(`/v1/webhook-deliveries/${waiting!.id}/redeliver`)
    github.answerWith({ status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "2000000000" } })
    await again()
    await Flow.until(
      () => Promise.resolve(mirror.log()),
      (log) => log.includes("answered 403, again at 2033-05-18T03:33:20.000Z")
    )
    expect(github.newest(sha("7"))).toEqual([])
    expect(await mirror.stop()).toBe(0)
    const died = mirror
    await start()
    github.answerWith(null)
    await again()
    await allTold()
    expect(github.newest(sha("7"))).toContainEqual(expect.objectContaining({ context: "pawl", state: "success" }))
    for (const secret of [githubToken, environment["PAWL_TOKEN"]!, hook.secret.slice(6)])
      expect(died.log() + mirror.log()).not.toContain(secret)
  })

  it("shows that the app was removed", async () => {
    await server.api.delete(`/v1/projects/${projectId}/app`)
    await Flow.until(
      () => Promise.resolve(standing()),
      ([first]) => first === "1 inactive"
    )
    expect(github.deployments[0]?.statuses[0]).toMatchObject({ description: "the app was removed" })
  })
})

describe("The mirror to GitHub, told wrongly", () => {
  const whole = {
    PAWL_URL: "http://127.0.0.1:1",
    PAWL_TOKEN: "pawl_x",
    PAWL_WEBHOOK_SECRET: "whsec_AAAA",
    GITHUB_TOKEN: "ghp_x",
    GITHUB_REPOSITORY: "acme/shop"
  }

  it.each([
    ["GITHUB_TOKEN", "ghp_planted\nline"],
    ["PAWL_TOKEN", ""],
    ["GITHUB_REPOSITORY", "acme"],
    ["PAWL_WEBHOOK_SECRET", "planted"],
    ["PORT", "planted"],
    ["PAWL_URL", "ftp://pawl.example"]
  ])("does not begin, and says that it is %s, and not what it holds", async (name, value) => {
    const mirror = startMirror({ ...whole, [name]: value })
    expect(await mirror.ended).toBe(2)
    expect(mirror.log()).toMatch(new RegExp(`^${name} [^\n]+\n$`))
    expect(mirror.log()).not.toContain("planted")
  })
})
