/** What must be so when this version's server is started on what version 3 left, whichever store the rows are in. */
import { rmSync } from "node:fs"
import { basename, join } from "node:path"
import { slice } from "@pawl/testing/Depth"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { Delivery } from "@pawl/core/model/Delivery"
import type { Audit } from "@pawl/core/model/Audit"
import type { Event } from "@pawl/core/model/Event"
import { Webhook } from "standardwebhooks"
import { pawl } from "../kit/Command.ts"
import * as Flow from "../kit/Flow.ts"
import { gitClient } from "../kit/GitClient.ts"
import { temporaryFolder } from "../kit/ServerProcess.ts"
import { python } from "../kit/Verifying.ts"
import { answering, asThen, type Left, type Reader, reader, receiver, type Told, unpack } from "./VersionThree.ts"
import type { CandidateJson, ChangeJson } from "@pawl/server/api/RecordSchemas"

interface Page<A> {
  readonly items: ReadonlyArray<A>
}

/** What a store brings along: where the rows are put, and how it is asked which commands are left. */
export interface Store {
  readonly name: "sqlite" | "postgres"
  /** Puts the rows where the server finds them, so far ahead of the machine's time, and answers its environment. */
  readonly restore: (sql: () => string, aheadMs: number) => Promise<Readonly<Record<string, string>>>
  /** The ids of commands that are left. */
  readonly commands: (folder: string) => Promise<ReadonlyArray<string>>
  readonly close: () => Promise<void>
}

/** The whole of a list that version 3 answered page by page. */
const kept = <A>({ answers }: Left, list: string): ReadonlyArray<A> =>
  Object.entries(answers).flatMap(([path, { body }]) =>
    path.startsWith(`${list}?limit=`) ? (body as Page<A>).items : []
  )

const paged = async <A>({ api }: Reader, list: string): Promise<ReadonlyArray<A>> => {
  const items: Array<A> = []
  for (let cursor = ""; ;) {
    const page = await api.get<Page<A> & { readonly nextCursor: string | null }>(`${list}?limit=100${cursor}`)
    items.push(...page.items)
    if (page.nextCursor === null) return items
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`
  }
}

/** Whether a message carries the signature that this secret makes. The library's own check asks the clock, too. */
const signedBy = (secret: string, { body, headers }: Told): boolean => {
  const [id = "", seconds = ""] = [headers["webhook-id"], headers["webhook-timestamp"]]
  const signature = new Webhook(secret).sign(id, new Date(Number(seconds) * 1000), body)
  return headers["webhook-signature"]?.split(" ").includes(signature) === true
}

export const readOn = (store: Store) => {
  const folder = temporaryFolder()
  let left: Left
  let environment: Readonly<Record<string, string>>
  let aheadMs: number
  let receiving: Awaited<ReturnType<typeof receiver>>
  let server: Reader

  const start = async (more: Readonly<Record<string, string>> = {}) => {
    server = await reader(folder.path, { aheadMs, ownerToken: left.facts.ownerToken }, { ...environment, ...more })
  }
  beforeAll(async () => {
    left = unpack(store.name, folder.path)
    aheadMs = left.facts.asOf - Date.now()
    environment = await store.restore(left.sql, aheadMs)
    receiving = await receiver(left.facts.hookPort)
    await start({ PAWL_PAUSED: "true" })
  })
  afterAll(async () => {
    await server?.stop()
    await receiving?.close()
    await store.close()
    folder.remove()
  })

  let keyid = ""
  const verified = (...args: ReadonlyArray<string>) =>
    pawl(["verify", ...args, "--key", keyid], { XDG_STATE_HOME: join(folder.path, "state") })

  const inFlight = (name: keyof Left["facts"]["flight"]["projects"]) => left.facts.flight.projects[name]
  const projects = () => Object.keys(left.answers).flatMap((path) => /^\/v1\/projects\/([^/?]+)$/.exec(path)?.[1] ?? [])
  const text = async (label: string) => (await server.api.page(`http://${label}.apps.localhost:${server.port}/`)).text

  it("is read as that version read it: every answer of the API about every record is the same", async () => {
    const asked = Object.entries(left.answers)
    expect(asked.length).toBeGreaterThan(500)
    const waiting = [...slice(asked, { quick: 150 })]
    const asking = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [path, answer] = next
        expect({ path, answer: asThen(await answering(server, left.facts.ownerToken, path), answer) }).toEqual({
          path,
          answer
        })
      }
    }
    try {
      await Promise.all(Array.from({ length: 8 }, asking))
    } finally {
      // What comes next waits for work, which this server does not do.
      expect(await server.stop()).toBe(0)
      await start()
    }
  })

  it("lets in whom it let in, and nobody else", async () => {
    const { members, ownerToken, tokens } = left.facts
    const status = async (token: string) => (await answering(server, token, "/v1/me")).status
    for (const token of [ownerToken, members.ann, members.bob, members.cleo, tokens.ci])
      expect(await status(token)).toBe(200)
    for (const token of [members.emil, tokens.revoked, "pawl_nobody"]) expect(await status(token)).toBe(401)
    const { ci } = tokens
    expect((await answering(server, ci, `/v1/projects/${left.facts.story.id}/webhooks`)).status).toBe(403)
  })

  // While "working", an agent had made the last of its Tasks, and its Change was to ask for a Candidate then.
  it.each(["composing", "building", "checking", "working"] as const)(
    "carries on with a Candidate that was cut off while %s",
    async (name) => {
      const { items } = await Flow.until(
        () => server.api.get<Page<CandidateJson>>(`/v1/changes/${left.facts.flight.changes[name]}/candidates`),
        (page) => page.items.length > 0
      )
      expect(items).toHaveLength(1)
      expect(await Flow.gated(server.api, items[0]!.id)).toMatchObject({ status: "verified", reason: null })
      const rows = (await Flow.evidence(server.api, items[0]!.id)).map((row) => `${row.checkId} ${row.result}`)
      expect(rows.toSorted()).toEqual(["build pass", "test pass"])
    }
  )

  it("recomposes a Candidate that had become stale", async () => {
    const { items } = await Flow.until(
      () => server.api.get<Page<CandidateJson>>(`/v1/changes/${left.facts.flight.changes["recomposing"]}/candidates`),
      ({ items: found }) => found.at(-1)?.recomposition === 1 && found.at(-1)?.status === "verified"
    )
    expect(items.map((each) => [each.status, each.base_generation])).toEqual([
      ["stale", 0],
      ["verified", 1]
    ])
  })

  it.each(["promoting", "syncing", "releasing", "probing", "telling"] as const)(
    "brings a promotion live that was cut off while %s",
    async (name) => {
      const { id, label } = inFlight(name)
      const release = await Flow.until(
        () => Flow.released(server.api, id, 1),
        ({ status }) => status !== "queued" && status !== "building"
      )
      expect(release).toMatchObject({ status: "deployed", replacedGeneration: 0 })
      await Flow.liveApp(server.api, id, 1)
      expect(await text(label)).toBe("two")
      const { change } = await Flow.until(
        () => server.api.get<{ change: ChangeJson }>(`/v1/changes/${left.facts.flight.changes[name]}`),
        (answer) => answer.change.status !== "releasing"
      )
      expect(change.status).toBe("completed")
      const types = (await paged<Event>(server, `/v1/projects/${id}/events`)).map(({ type }) => type)
      for (const once of ["canonical.advanced", "build.started", "deployment.completed", "change.completed"] as const)
        expect([once, types.filter((type) => type === once).length]).toEqual([once, 1])
    }
  )

  it("goes on with a first build, a removal and an archiving", async () => {
    const [newest, removed, archived] = [inFlight("provisioning"), inFlight("removing"), inFlight("cleaning")]
    await Flow.liveApp(server.api, newest.id, 0)
    expect(await text(newest.label)).toBe("newest")
    expect((await server.api.page(`http://${removed.label}.apps.localhost:${server.port}/`)).status).toBe(410)
    // An app cannot be served again before what was left of the one before it is gone.
    await server.api.post(`/v1/projects/${removed.id}/app`)
    await Flow.liveApp(server.api, removed.id, 0)
    expect(await text(removed.label)).toBe("one")
    const { project } = await Flow.until(
      () => server.api.get<{ project: { cleaned_at: string | null } }>(`/v1/projects/${archived.id}`),
      (answer) => answer.project.cleaned_at !== null
    )
    expect(project).toMatchObject({ status: "archived" })
  })

  it("sends what was on its way to webhooks, signed with the secrets of before", async () => {
    const { flight, webhooks } = left.facts
    const deliveries = async (id: string) =>
      (await server.api.get<Page<Delivery>>(`/v1/webhooks/${id}/deliveries`)).items
    const deliveredAll = (id: string) =>
      Flow.until(
        () => deliveries(id),
        (all) => all.length > 0 && all.every(({ state }) => state === "delivered")
      )
    const { id } = flight.telling.webhook
    await Flow.until(
      () => deliveries(id),
      ([newest]) => newest?.event.type === "change.completed"
    )
    await deliveredAll(id)
    const held = receiving.at("/held")
    expect(held.map(({ body }) => (JSON.parse(body) as Event).type)).toEqual(["canonical.advanced", "change.completed"])
    expect(held.map((each) => signedBy(flight.telling.secret, each))).toEqual([true, true])

    // It waited for hours, for the third time or so. Once a ping arrives it waits no longer.
    const { flaky, good, rotated } = webhooks
    expect((await deliveries(flaky.webhook.id)).some(({ state }) => state === "waiting")).toBe(true)
    for (const webhook of [flaky.webhook, good.webhook]) await server.api.post(`/v1/webhooks/${webhook.id}/ping`)
    const wanted = (await paged<Event>(server, `/v1/projects/${left.facts.story.id}/events`)).filter(
      ({ type }) => type === "canonical.advanced"
    )
    const events = () =>
      receiving
        .at("/flaky")
        .map(({ body }) => JSON.parse(body) as Event)
        .filter(({ type }) => type === "canonical.advanced")
    await Flow.until(
      async () => events().length,
      (count) => count >= wanted.length
    )
    expect(events()).toEqual(wanted)
    expect(receiving.at("/flaky").every((each) => signedBy(flaky.secret, each))).toBe(true)
    await Flow.until(
      async () => receiving.at("/good"),
      (all) => all.length > 0
    )
    const [ping] = receiving.at("/good")
    expect([good.secret, rotated].map((secret) => signedBy(secret, ping!))).toEqual([true, true])
  })

  it("leaves no command of those that were cut off, and makes no dead letter of any", async () => {
    await Flow.until(
      () => store.commands(folder.path),
      (ids) => ids.length === 0
    )
    for (const id of projects()) {
      const path = `/v1/projects/${id}/dead-letters`
      const before = kept<{ readonly id: string }>(left, path)
      expect([path, (await paged<{ readonly id: string }>(server, path)).map((each) => each.id)]).toEqual([
        path,
        before.map((each) => each.id)
      ])
    }
  })

  it("keeps what happened: events and history go on behind those of before", async () => {
    for (const id of projects())
      for (const list of [`/v1/projects/${id}/events`, `/v1/projects/${id}/history`]) {
        const before = kept(left, list)
        const now = (await paged(server, list)).slice(0, before.length)
        expect(asThen(now, before)).toEqual(before)
      }
    for (const id of projects()) {
      const events = await paged<Event>(server, `/v1/projects/${id}/events`)
      const steps = await paged<Pick<Event, "sequence">>(server, `/v1/projects/${id}/history`)
      const places = steps.map(({ sequence }) => sequence)
      expect(places).toEqual([...new Set(places)].toSorted((one, other) => one - other))
      const first = events[0]?.sequence ?? 1
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => first + index))
    }
  })

  it("keeps what apps kept, and serves the versions of before", async () => {
    const keys = async (host: string) => {
      const { status, text: found } = await server.api.page(`http://${host}.apps.localhost:${server.port}/`)
      const page = JSON.parse(found) as { version: string; keys: ReadonlyArray<{ name: string }> }
      return [status, page.version, ...page.keys.map(({ name }) => name)]
    }
    const { label } = left.facts.story
    expect(await keys(label)).toEqual([200, "two", "a", "b", "ö/漢"])
    expect(await keys(`v0000000--${label}`)).toEqual([200, "one", "of-version-0"])
    expect(await keys(`v0000001--${label}`)).toEqual([200, "two"])
  })

  it("hands its source out to git, down to its first commit", async () => {
    const { id } = left.facts.story
    const git = gitClient(join(folder.path, "..", `${basename(folder.path)}-git`))
    const url = `http://x:${left.facts.ownerToken}@127.0.0.1:${server.port}/git/${id}.git`
    expect((await git.clone(url, "story")).code).toBe(0)
    const versions = kept<{ readonly commit: string }>(left, `/v1/projects/${id}/versions`).map(({ commit }) => commit)
    // Between two generations may stand the edits that were merged into one.
    const line = (await git.git("story", "log", "--first-parent", "--format=%H")).split("\n")
    expect(line.filter((commit) => versions.includes(commit))).toEqual(versions)
    expect([line[0], line.at(-1)]).toEqual([versions[0], versions.at(-1)])
    rmSync(git.path(""), { recursive: true, force: true })
  })

  it("has a history in which an audit finds nothing", async () => {
    let audits = 0
    for (const id of projects()) {
      const { canonical, project } = await server.api.get<{ canonical: unknown; project: { status: string } }>(
        `/v1/projects/${id}`
      )
      if (canonical === null || project.status === "archived") continue
      const { audit } = await server.api.post<{ audit: Audit }>(`/v1/projects/${id}/audit`)
      expect([id, audit.findings, audit.notes]).toEqual([id, [], []])
      audits += 1
    }
    expect(audits).toBeGreaterThan(15)
    const args = ["audit", left.facts.story.id, "--url", server.origin, "--data", folder.path]
    expect(await pawl(args, {})).toMatchObject({ code: 0, output: expect.stringContaining("everything is as it was") })
  })

  it("is a ground for what comes: a dead letter, a new Change and a rollback", async () => {
    const { api } = server
    const { buried, story } = left.facts
    for (const { id } of buried.letters) await api.post(`/v1/dead-letters/${encodeURIComponent(id)}/retry`)
    await Flow.liveApp(api, buried.projectId, 1)

    const change = await Flow.openChange(api, story.id, "with version 4")
    await Flow.edit(api, change, { "lines.txt": "first\n2\n3\n4\n5\nsixth\n" })
    const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
    expect(await Flow.promote(api, candidate.id)).toMatchObject({ outcome: "promoted", generation: 5 })
    expect(await Flow.released(api, story.id, 5)).toMatchObject({ status: "deployed" })
    const body = { targetGeneration: 0, expectedGeneration: 5 }
    const back = await api.post<{ candidate: CandidateJson }>(`/v1/projects/${story.id}/rollback`, body)
    const rollback = await Flow.gated(api, back.candidate.id)
    if ((rollback.plan_json?.approvalRequired ?? false) === true)
      await api.post(`/v1/changes/${rollback.changeId}/approve`, { candidateId: rollback.id, decision: "granted" })
    expect(await Flow.promote(api, rollback.id)).toMatchObject({ outcome: "promoted", generation: 6 })
    expect(await Flow.released(api, story.id, 6)).toMatchObject({ status: "deployed", bundleSource: "same_tree" })
    const { audit } = await api.post<{ audit: Audit }>(`/v1/projects/${story.id}/audit`)
    expect(audit).toMatchObject({ generations: 7, findings: [], notes: [] })
  })

  it("is adopted, what was archived too: all that it did is stated, and pawl verify finds nothing", async () => {
    const { api, origin } = server
    const { keys } = await api.get<{ keys: ReadonlyArray<{ readonly keyid: string }> }>("/v1/keys")
    keyid = keys[0]?.keyid ?? ""
    const stated: Array<string> = []
    let archived = 0
    for (const id of projects()) {
      const { canonical, project } = await api.get<{ canonical: unknown; project: { readonly status: string } }>(
        `/v1/projects/${id}`
      )
      if (canonical === null) continue
      await Flow.until(
        () => answering(server, left.facts.ownerToken, `/v1/projects/${id}/versions/0/statement`),
        ({ status }) => status === 200
      )
      if (project.status === "archived") archived += 1
      stated.push(id)
    }
    expect([stated.length > 15, archived > 0]).toEqual([true, true])
    const others = slice(
      stated.filter((id) => id !== left.facts.story.id),
      { quick: 2 }
    )
    for (const id of [left.facts.story.id, ...others]) {
      const ended = await Flow.until(
        () => verified(origin, "--project", id, "--token", left.facts.ownerToken),
        ({ code, output }) => code === 0 || !output.includes("signature_missing")
      )
      expect([ended.code, ended.output]).toEqual([0, expect.stringMatching(/^ok /)])
    }
  })

  it("says nothing of a row that it could not read, and ends as ever", async () => {
    expect(server.log()).not.toMatch(/cannot be read|"logLevel":"(ERROR|FATAL)"|"level":"(ERROR|FATAL)"/i)
    expect(await server.stop()).toBe(0)
  })

  // On Postgres its rows lie elsewhere: what it serves was verified.
  if (store.name === "postgres") return
  it("leaves a folder in which pawl verify finds nothing, and the other program nothing in its pack", async () => {
    const beside = temporaryFolder()
    const pack = join(beside.path, "pack")
    const { code, output } = await verified(folder.path, "--project", left.facts.story.id, "--pack", pack)
    expect([code, output]).toEqual([0, expect.stringMatching(/^ok /)])
    expect(await python(pack)).toEqual({ code: 0, output: expect.stringMatching(/: 0 finding\(s\)\n$/) })
    beside.remove()
  })
}
