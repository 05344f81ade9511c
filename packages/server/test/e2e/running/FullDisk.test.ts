import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { createHash, randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"
import { makeSmallDisk, type SmallDisk, smallDisksMissing } from "../kit/SmallDisk.ts"

const digest = (text: string): string => createHash("sha256").update(text).digest("hex")

/** A source with an asset that does not compress. */
const largeSource = () => {
  const text = randomBytes(750_000).toString("base64")
  return { files: Flow.source("large", { "public/large.txt": text }), digest: digest(text) }
}

/** No check of its own: not every namespace that has a small disk has sandboxes too. */
const unchecked = { "pawl.json": JSON.stringify({ checks: [], probes: [{ path: "/", status: 200 }] }) }

const MiB = 1024 * 1024

interface Kept {
  readonly id: string
  readonly digest: string
}

describe.skipIf(smallDisksMissing !== null)(`A full disk (${smallDisksMissing ?? "of 64 MiB"})`, () => {
  const folder = temporaryFolder()
  const endings: Array<() => unknown> = [folder.remove]
  let disk: SmallDisk
  let server: ServerProcess
  const start = async () => {
    const started = await startServer({ data: folder.path, wrap: disk.wrap })
    endings.unshift(() => started.stop("SIGKILL"))
    return started
  }

  beforeAll(async () => {
    disk = await makeSmallDisk(folder.path, 64)
    endings.unshift(disk.end)
    server = await start()
  })
  afterAll(async () => {
    for (const end of endings) await end()
  })

  const send = (path: string, body: unknown) =>
    fetch(`${server.origin}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
  const expectUnavailable = async (response: Response) => {
    expect([response.status, response.headers.get("content-type")]).toEqual([
      503,
      expect.stringContaining("application/problem+json")
    ])
    const problem = await response.text()
    expect(JSON.parse(problem)).toMatchObject({ status: 503, code: "unavailable" })
    expect(problem).not.toMatch(/ENOSPC|SQLITE|No space|\/tmp/i)
  }
  /** Leaves no room before each try: what runs in the background may make some again. */
  const expectRefused = async (path: string, body: (n: number) => unknown) => {
    for (let n = 0; n < 1000; n++) {
      disk.fillTo(0)
      const response = await send(path, body(n))
      if (response.status !== 201) return expectUnavailable(response)
    }
    throw new Error(`${path} never filled the disk`)
  }
  const readiness = async (): Promise<readonly [number, unknown]> => {
    const response = await fetch(`${server.origin}/health/ready`)
    return [response.status, await response.json()]
  }
  const expectKept = async (kept: ReadonlyArray<Kept>) => {
    for (const each of kept) {
      expect(await server.api.get(`/v1/projects/${each.id}`)).toMatchObject({ canonical: { generation: 0 } })
      const { text } = await server.api.get<{ text: string }>(`/v1/projects/${each.id}/code?path=public/large.txt`)
      expect(digest(text)).toBe(each.digest)
    }
  }

  const projectOf = async (response: Response) => ((await response.json()) as { project: { id: string } }).project
  /** Waits for the app, and retries, as a person would, what failed too often while there was no room. */
  const liveAtLast = (projectId: string) =>
    Flow.until(
      async () => {
        const { items } = await server.api.get<{ items: ReadonlyArray<{ id: string }> }>(
          `/v1/projects/${projectId}/dead-letters`
        )
        for (const { id } of items) await server.api.post(`/v1/dead-letters/${encodeURIComponent(id)}/retry`)
        return server.api.get<{ app: Flow.App | null }>(`/v1/projects/${projectId}/app`)
      },
      ({ app }) => app?.status === "live"
    )

  const kept: Array<Kept> = []
  let live: Flow.App
  let first: { readonly id: string }
  let change: Awaited<ReturnType<typeof Flow.openChange>>

  it("answers 503 `unavailable` to what it cannot store, and goes on reading and serving", async () => {
    const { api } = server
    first = await Flow.createProject(api, "first", Flow.source("one", unchecked))
    live = await Flow.liveApp(api, first.id, 0)
    change = await Flow.openChange(api, first.id, "before")
    disk.fillTo(24 * MiB)
    let refused: Response | null = null
    for (let n = 0; refused === null && n < 100; n++) {
      const { files, digest } = largeSource()
      const response = await send("/v1/projects", { slug: `large-${n}`, files })
      if (response.status === 201) kept.push({ id: (await projectOf(response)).id, digest })
      else refused = response
    }
    expect(kept.length).toBeGreaterThan(2)
    if (refused !== null) await expectUnavailable(refused)
    await expectRefused("/v1/projects", (n) => ({ slug: `one-more-${n}`, files: Flow.source("small") }))
    await expectRefused(`/v1/changes/${change.id}/changesets`, () => ({ message: "m", files: { "a.txt": "a" } }))
    await expectRefused(`/v1/projects/${first.id}/changes`, (n) => ({
      clientRequestId: `full-${n}`,
      goal: "x".repeat(9_000),
      budget_usd: 1,
      startPlanning: false
    }))
    expect((await fetch(`${server.origin}/health`)).status).toBe(200)
    expect(await readiness()).toEqual([503, { status: "not_ready", missing: [expect.stringMatching(/^disk: /)] }])
    expect((await api.page(live.url)).text).toBe("one")
    expect((await api.page(`${live.url}hello.txt`)).text).toBe("an asset\n")
    await expectKept(kept)
  })

  it("takes new work when there is room again, without a restart, and stops in order", async () => {
    const { api } = server
    disk.clear()
    await Flow.until(readiness, ([status]) => status === 200)
    await expectKept(kept)
    await Flow.edit(api, change, { "src/index.js": Flow.source("two")["src/index.js"] })
    const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
    expect(candidate.status).toBe("verified")
    await Flow.promote(api, candidate.id)
    expect((await Flow.released(api, first.id, 1)).status).toBe("deployed")
    expect((await api.page(live.url)).text).toBe("two")
    await Flow.liveApp(api, (await Flow.createProject(api, "afterwards")).id, 0)
    expect(await server.stop()).toBe(0)
  })

  it("loses nothing when it is killed there, says why it cannot start, and finishes what it had begun", async () => {
    server = await start()
    for (const { id } of kept) await liveAtLast(id)
    const { files, digest } = largeSource()
    for (const n of [1, 2, 3]) {
      // There is room for the files as they were sent, and not for the repository.
      disk.fillTo(1.35 * MiB)
      await expectUnavailable(await send("/v1/projects", { slug: `half-${n}`, files }))
      disk.clear()
    }
    await server.stop("SIGKILL")
    // What a killed server leaves behind is swept at the start, and would be room for it.
    const [enter = "", ...inside] = disk.wrap
    execFileSync(enter, [...inside, "rm", "-rf", ...["run", "lock.pid"].map((name) => join(folder.path, name))])
    disk.fillTo(0)
    await expect(start()).rejects.toThrow(/disk is full|no space left/i)
    disk.clear()
    server = await start()
    await expectKept(kept)
    expect((await server.api.page(live.url)).text).toBe("two")
    const finished = await Flow.until(
      async () => {
        const { items } = await server.api.get<{ items: ReadonlyArray<{ id: string; slug: string; status: string }> }>(
          "/v1/projects"
        )
        return items.filter(({ slug, status }) => slug.startsWith("half-") && status === "active")
      },
      (projects) => projects.length > 0
    )
    await expectKept(finished.map(({ id }) => ({ id, digest })))
    expect(await server.stop()).toBe(0)
  })
})
