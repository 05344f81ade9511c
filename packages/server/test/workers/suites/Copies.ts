/** What lists across Projects show: copies that follow what was committed, also where no work follows. */
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Installed } from "../../../../../deploy/cloudflare/Here.ts"
import * as Flow from "../../e2e/kit/Flow.ts"
import { remove } from "../../e2e/kit/Removals.ts"

interface Listed {
  readonly items: ReadonlyArray<{
    readonly id: string
    readonly status: string
    readonly counts: { readonly openChanges: number }
  }>
}

interface Inbox {
  readonly items: ReadonlyArray<{ readonly kind: string; readonly projectId: string }>
}

interface Members {
  readonly items: ReadonlyArray<{ readonly userId: string; readonly role: string }>
}

/** The objects of Projects that have tables, by their files: the simulator leaves a page of one whose all was deleted. */
const keptObjects = (folder: string): ReadonlySet<string> =>
  new Set(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter(
        (path) => /ProjectObject\/[0-9a-f]+\.sqlite(-wal)?$/.test(path) && statSync(join(folder, path)).size > 4096
      )
      .map((path) => path.replace(/-wal$/, ""))
  )

/** Tests of the directory of an installation. */
export const copies = (installed: () => Installed): void => {
  describe("The directory", () => {
    const listed = async (id: string) => {
      const { items } = await installed().api.get<Listed>("/v1/projects?include=counts")
      return items.find((each) => each.id === id)
    }

    it("lists Projects with their open Changes as they come and go, though no work follows", async () => {
      const { api, origin, owner } = installed()
      const project = await Flow.createProject(api, "listed")
      await Flow.liveApp(api, project.id, 0)
      const change = await Flow.openChange(api, project.id, "listed")
      const until = (isIt: (found: Listed["items"][number] | undefined) => boolean) =>
        Flow.until(() => listed(project.id), isIt)
      await until((found) => found?.counts.openChanges === 1)
      await api.post(`/v1/changes/${change.id}/cancel`)
      await until((found) => found?.counts.openChanges === 0)
      const here = { origin: origin.replace("localhost", "127.0.0.1"), token: owner }
      expect(await remove(here, `/v1/projects/${project.id}`)).toBe(202)
      expect((await until((found) => found?.status === "archived"))?.id).toBe(project.id)
    })

    it("keeps nothing of Projects that were refused, and their objects neither", async () => {
      const { api, folder, origin, owner } = installed()
      const { id } = await Flow.createProject(api, "taken")
      await Flow.liveApp(api, id, 0)
      const asked = async (body: object) => {
        const headers = { authorization: `Bearer ${owner}`, "content-type": "application/json" }
        const url = `${origin.replace("localhost", "127.0.0.1")}/v1/projects`
        const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
        return ((await answer.json()) as { readonly code: string }).code
      }
      const before = keptObjects(folder)
      expect(before.size).toBeGreaterThan(0)
      for (let n = 0; n < 5; n++) expect(await asked({ slug: "taken" })).toBe("slug_taken")
      expect(await asked({ slug: "No Slug" })).toBe("invalid_slug")
      expect(await asked({})).toBe("invalid_slug")
      expect(keptObjects(folder)).toEqual(before)
    })

    it("lists Projects by what moved and by what was promoted last, which their objects alone know", async () => {
      const { api } = installed()
      const { id: older } = await Flow.createProject(api, "older")
      // The source of each is its generation 0, which comes after the answer: one made later may have its own before.
      await Flow.liveApp(api, older, 0)
      const { id: newer } = await Flow.createProject(api, "newer")
      const first = (order: string) => async () => (await api.get<Listed>(`/v1/projects?order=${order}`)).items[0]?.id
      expect(await Flow.until(first("promoted"), (id) => id === newer)).toBe(newer)
      // What is released moves too.
      await Flow.liveApp(api, newer, 0)
      await Flow.openChange(api, older, "moves")
      expect(await Flow.until(first("moved"), (id) => id === older)).toBe(older)
      expect(await first("promoted")()).toBe(newer)
    })

    it("tells a person what waits for them, and whoever may not decide nothing", async () => {
      const { api, as } = installed()
      // Without checks: where nothing runs them a Candidate is no matter for an approval.
      const files = Flow.source("one", { "pawl.json": JSON.stringify({ probes: [{ path: "/", status: 200 }] }) })
      const project = await Flow.createProject(api, "waiting", files)
      await Flow.liveApp(api, project.id, 0)
      const path = `/v1/projects/${project.id}`
      const { policy } = await api.get<{ policy: object }>(`${path}/policy`)
      await api.put(`${path}/policy`, { ...policy, approvalRiskTiers: ["low", "medium", "high"] })
      const change = await Flow.openChange(api, project.id, "waits")
      await Flow.edit(api, change, { "public/hello.txt": "another\n" })
      const { id } = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
      const waiting = async () => {
        const { items } = await api.get<Inbox>("/v1/inbox")
        return items.filter(({ projectId }) => projectId === project.id)
      }
      const [item] = await Flow.until(waiting, ({ length }) => length > 0)
      expect(item).toMatchObject({ kind: "approval", label: project.label, id: change.id, candidateId: id })
      const { token } = await api.post<{ token: string }>("/v1/users", { name: "Outsider" })
      expect((await as(token).get<Inbox>("/v1/inbox")).items).toEqual([])
      await api.post(`/v1/changes/${change.id}/approve`, { candidateId: id, decision: "rejected" })
      await Flow.until(waiting, (items) => items.every(({ kind }) => kind !== "approval"))
    })

    it("knows who is on a Project from the next request on", async () => {
      const { api, as } = installed()
      const project = await Flow.createProject(api, "members")
      const made = await api.post<{ user: { id: string }; token: string }>("/v1/users", { name: "Guest" })
      const guest = as(made.token)
      const path = `/v1/projects/${project.id}`
      await expect(guest.get(path)).rejects.toThrow("404")
      const { items } = await api.get<Members>(`${path}/members`)
      const before = items.map(({ role, userId }) => ({ role, userId }))
      await api.put(`${path}/members`, { members: [...before, { role: "viewer", userId: made.user.id }] })
      expect((await guest.get<{ project: { id: string } }>(path)).project.id).toBe(project.id)
      await api.put(`${path}/members`, { members: before })
      await expect(guest.get(path)).rejects.toThrow("404")
    })
  })
}
