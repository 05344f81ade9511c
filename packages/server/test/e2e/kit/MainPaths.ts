/**
 * The main path over HTTP, for any installation: what a Change goes through on its way to visitors. Each place that Pawl
 * runs on calls it.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Event } from "@pawl/core/model/Event"
import type { DemoApi } from "../../../src/node/demo/DemoApi.ts"
import * as Flow from "./Flow.ts"

/** An installation that runs. */
export interface Running {
  readonly api: DemoApi
  /** Where it is reached, without a path. */
  readonly origin: string
  /** The owner's. */
  readonly token: string
  readonly stop: () => Promise<void>
}

/** Tests of the main path on what `start` starts. */
export const mainPaths = (name: string, start: () => Promise<Running>): void => {
  describe(`The main path on ${name}`, () => {
    let server: Running

    beforeAll(async () => {
      server = await start()
    })
    afterAll(() => server.stop())

    it("takes an edit through checks, promotion and release to its public host", async () => {
      const { api } = server
      const project = await Flow.createProject(api, "main-path", Flow.source("one", { "public/kept.txt": "kept" }))
      const before = await Flow.liveApp(api, project.id, 0)
      expect((await api.page(before.url)).text).toBe("one")
      const change = await Flow.openChange(api, project.id, "first")
      const changeSet = await Flow.edit(api, change, {
        "src/index.js": Flow.source("two")["src/index.js"],
        "public/hello.txt": null
      })
      expect(changeSet.files.map((file) => `${file.status} ${file.path}`)).toEqual([
        "deleted public/hello.txt",
        "modified src/index.js"
      ])
      const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
      expect(candidate).toMatchObject({ status: "verified", base_generation: 0 })
      const rows = (await Flow.evidence(api, candidate.id)).toSorted((a, b) => (a.checkId < b.checkId ? -1 : 1))
      expect(rows.map((row) => [row.checkId, row.status, row.result])).toEqual([
        ["build", "checked_supported", "pass"],
        ["test", "checked_supported", "pass"]
      ])
      for (const row of rows) expect(row).toMatchObject({ commit: candidate.commit, tree: candidate.tree })
      expect(rows[1]!.runner.guarantees).toEqual(
        expect.arrayContaining(["network-denied", "host-files-hidden", "daemons-killed"])
      )
      expect(await api.text(`/v1/evidence/${rows[1]!.id}/output`)).toBe("ran\n")
      const { preview } = await api.get<{ preview: { url: string } }>(`/v1/candidates/${candidate.id}/preview`)
      expect((await api.page(preview.url)).text).toBe("two")
      expect((await api.page(before.url)).text).toBe("one")
      const promoted = await Flow.promote(api, candidate.id)
      expect(promoted).toMatchObject({
        outcome: "promoted",
        generation: 1,
        tree: candidate.tree,
        commit: candidate.commit,
        sourceSynced: true
      })
      expect(await Flow.released(api, project.id, 1)).toMatchObject({
        status: "deployed",
        bundleSource: "preview_copy",
        replacedGeneration: 0
      })
      const after = await Flow.liveApp(api, project.id, 1)
      expect((await api.page(after.url)).text).toBe("two")
      expect((await api.page(`${after.url}hello.txt`)).text).toBe("two")
      expect((await Flow.promote(api, candidate.id)).outcome).toBe("alreadyPromoted")
      for (const [generation, text] of [
        [0, "one"],
        [1, "two"]
      ] as const)
        expect((await api.page(after.url.replace("//", `//v${String(generation).padStart(7, "0")}--`))).text).toBe(text)
    })

    it("composes several ChangeSets in order by a real merge, and names conflicts by path", async () => {
      const { api } = server
      const project = await Flow.createProject(
        api,
        "merging",
        Flow.source("one", { "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n" })
      )
      const change = await Flow.openChange(api, project.id, "merge")
      const at = (files: Record<string, string>) =>
        api.post(`/v1/changes/${change.id}/changesets`, { message: "m", files, baseGeneration: 0 })
      await at({ "a.txt": "first\n2\n3\n4\n5\n6\n7\n8\n9\n" })
      await at({ "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\nlast\n" })
      const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
      expect(candidate.status).toBe("verified")
      const file = await api.get<{ text: string }>(`/v1/projects/${project.id}/code?tree=${candidate.tree}&path=a.txt`)
      expect(file.text).toBe("first\n2\n3\n4\n5\n6\n7\n8\nlast\n")
      await at({ "a.txt": "other\n2\n3\n4\n5\n6\n7\n8\n9\n" })
      const second = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
      expect(second).toMatchObject({ status: "rejected", conflicts: ["a.txt"] })
    })

    it("answers concurrent requests for one composition with one Candidate and one verification, and racing promotes with one generation", async () => {
      const { api } = server
      const project = await Flow.createProject(api, "racing")
      await Flow.liveApp(api, project.id, 0)
      const change = await Flow.openChange(api, project.id, "race")
      await Flow.edit(api, change, { "note.txt": "x" })
      const asked = await Promise.all([1, 2, 3].map(() => Flow.requestCandidate(api, change)))
      expect(new Set(asked.map(({ id }) => id)).size).toBe(1)
      const candidate = await Flow.gated(api, asked[0]!.id)
      expect((await Flow.evidence(api, candidate.id)).length).toBe(2)
      const both = await Promise.all([Flow.promote(api, candidate.id), Flow.promote(api, candidate.id)])
      expect(both.map((each) => each.generation)).toEqual([1, 1])
      expect(both.map((each) => each.outcome).toSorted()).toEqual(["alreadyPromoted", "promoted"])
    })

    it("rejects a Change whose check fails, shows the output, and leaves the live app alone", async () => {
      const { api } = server
      const project = await Flow.createProject(api, "failing")
      const live = await Flow.liveApp(api, project.id, 0)
      const change = await Flow.openChange(api, project.id, "bad")
      await Flow.edit(api, change, { "verdict.txt": "bad", "src/index.js": Flow.source("two")["src/index.js"] })
      const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
      expect(candidate).toMatchObject({ status: "rejected", reason: "test: fail" })
      const refused = await api.refused(`/v1/candidates/${candidate.id}/promote`)
      expect(refused).toMatchObject({
        status: 409,
        problem: { code: "blocked", blocks: [{ code: "candidate_not_verified" }, { code: "check_gap" }] }
      })
      expect((await api.page(live.url)).text).toBe("one")
    })

    it("restores the version before when the smoke test of a release fails", async () => {
      const { api } = server
      const project = await Flow.createProject(api, "smoke")
      const live = await Flow.liveApp(api, project.id, 0)
      const change = await Flow.openChange(api, project.id, "broken")
      await Flow.edit(api, change, { "src/index.js": "export default { fetch() { throw new Error('no') } }" })
      const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
      await Flow.promote(api, candidate.id)
      expect(await Flow.released(api, project.id, 1)).toMatchObject({
        status: "smoke_failed",
        probes: [{ path: "/", status: 502, result: "fail" }]
      })
      expect((await api.page(live.url)).text).toBe("one")
      const { canonical } = await api.get<{ canonical: { generation: number } }>(`/v1/projects/${project.id}`)
      expect(canonical.generation).toBe(1)
    })

    it("streams events from where the client left off", async () => {
      const { api } = server
      const project = await Flow.createProject(api, "events")
      await Flow.liveApp(api, project.id, 0)
      const change = await Flow.openChange(api, project.id, "events")
      const abort = new AbortController()
      const stream = await fetch(`${server.origin}/v1/projects/${project.id}/events`, {
        headers: { authorization: `Bearer ${server.token}`, accept: "text/event-stream", "last-event-id": "1" },
        signal: abort.signal
      })
      expect(stream.headers.get("content-type")).toContain("text/event-stream")
      await Flow.edit(api, change, { "a.txt": "a" })
      const decoder = new TextDecoder()
      let text = ""
      for await (const piece of stream.body!) {
        text += decoder.decode(piece as Uint8Array, { stream: true })
        if (text.includes("verification.started") && text.endsWith("\n\n")) break
      }
      abort.abort()
      const ids = [...text.matchAll(/^id: ?(\d+)$/gm)].map((match) => Number(match[1]))
      expect(ids).toEqual(ids.map((_, index) => index + 2))
      const events = [...text.matchAll(/^data: ?(.+)$/gm)].map((match) => JSON.parse(match[1]!) as Event)
      // A checkpoint is published when it is signed: before, between or after what the client does.
      const types = events.map((event) => event.type).filter((type) => type !== "checkpoint.published")
      expect(types.slice(-2)).toEqual(["task.completed", "verification.started"])
    })
  })
}
