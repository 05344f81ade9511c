/** A server that is stopped again and again in the middle of a long check, and checks that never end. */
import { rounds, slice } from "@pawl/testing/Depth"
import { afterAll, describe, expect, it } from "vitest"
import * as Flow from "../kit/Flow.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../kit/ServerProcess.ts"
import { ownSeconds, sleeping, wake } from "../kit/Sleeping.ts"

/** A check that lasts until it is woken. */
const holding = (seconds: string): Readonly<Record<string, string>> =>
  Flow.source("one", {
    "pawl.json": JSON.stringify({
      checks: [{ id: "test", command: `sleep ${seconds}; echo ran` }],
      probes: [{ path: "/", status: 200 }]
    })
  })

const asksFor = async ({ api }: ServerProcess, projectId: string, name: string) => {
  const change = await Flow.openChange(api, projectId, name)
  await Flow.edit(api, change, { [`${name}.txt`]: name })
  return Flow.requestCandidate(api, change)
}

describe("A long check", () => {
  const folders: Array<{ readonly remove: () => void }> = []
  const newFolder = () => {
    const folder = temporaryFolder()
    folders.push(folder)
    return folder.path
  }
  afterAll(() => {
    for (const folder of folders) folder.remove()
  })

  const signals = [
    ["SIGTERM", ownSeconds()],
    ["SIGKILL", ownSeconds()]
  ] as const

  it.each(slice(signals, { quick: 1 }))(
    "ends verified, with no dead letter, however often the server gets %s in it",
    async (signal, seconds) => {
      // More often than a command is tried.
      const times = signal === "SIGTERM" ? rounds({ quick: 6, deep: 20 }) : 6
      const data = newFolder()
      let server = await startServer({ data })
      const project = await Flow.createProject(server.api, "restarts", holding(seconds))
      const { id } = await asksFor(server, project.id, "long")
      for (let restarts = 0; restarts < times; restarts++) {
        await Flow.until(
          async () => sleeping(seconds),
          (count) => count > 0
        )
        expect(await server.stop(signal)).toBe(signal === "SIGTERM" ? 0 : signal)
        await Flow.until(
          async () => sleeping(seconds),
          (count) => count === 0
        )
        server = await startServer({ data })
      }
      await Flow.until(
        async () => sleeping(seconds),
        (count) => count > 0
      )
      wake(seconds)
      expect((await Flow.gated(server.api, id)).status).toBe("verified")
      expect(await server.api.get(`/v1/projects/${project.id}/dead-letters`)).toMatchObject({ items: [] })
      const rows = (await Flow.evidence(server.api, id)).map((row) => `${row.checkId} ${row.result}`)
      expect(rows.toSorted()).toEqual(["build pass", "test pass"])
      expect(await server.stop()).toBe(0)
    },
    300_000
  )

  it("that hangs, four times over, keeps no other Project from its release", async () => {
    const data = newFolder()
    const server = await startServer({ data })
    const quiet = await Flow.createProject(server.api, "quiet")
    await Flow.liveApp(server.api, quiet.id, 0)
    const ready = await Flow.gated(server.api, (await asksFor(server, quiet.id, "small")).id)
    const seconds = ownSeconds()
    const busy = await Flow.createProject(server.api, "busy", holding(seconds))
    const hanging = [
      await asksFor(server, busy.id, "one"),
      await asksFor(server, busy.id, "two"),
      await asksFor(server, busy.id, "three"),
      await asksFor(server, busy.id, "four")
    ]
    await Flow.until(
      async () => sleeping(seconds),
      (count) => count > 0
    )
    await Flow.promote(server.api, ready.id)
    expect(await Flow.released(server.api, quiet.id, 1)).toMatchObject({ status: "deployed" })
    for (const { id } of hanging) {
      const { candidate } = await server.api.get<{ candidate: { status: string } }>(`/v1/candidates/${id}`)
      expect(["composing", "verifying"]).toContain(candidate.status)
    }
    expect(await server.stop()).toBe(0)
  })
})

describe("Whether a server is ready", () => {
  it("is told to anybody, beside whether it is there", async () => {
    const folder = temporaryFolder()
    const server = await startServer({ data: folder.path })
    const [there, ready] = await Promise.all([fetch(`${server.origin}/health`), fetch(`${server.origin}/health/ready`)])
    expect([there.status, await there.json()]).toMatchObject([200, { status: "ok", environment: "production" }])
    expect([ready.status, await ready.json()]).toEqual([200, { status: "ready" }])
    expect(await server.stop()).toBe(0)
    folder.remove()
  })
})
