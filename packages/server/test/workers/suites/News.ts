/** News of all Projects, as the directory tells them: what their objects committed, for as long as the reader is let in. */
import { describe, expect, it } from "vitest"
import type { Installed } from "../../../../../deploy/cloudflare/Here.ts"
import * as Flow from "../../e2e/kit/Flow.ts"
import { remove } from "../../e2e/kit/Removals.ts"
import type { StateFrame } from "../../../src/http/answer/StateFrames.ts"
import { decodeEvents } from "../../http/groups/EventReader.ts"

interface Page {
  readonly items: ReadonlyArray<StateFrame>
  readonly after: number
}

/** Tests of the directory of an installation. */
export const news = (installed: () => Installed): void => {
  const at = () => installed().origin.replace("localhost", "127.0.0.1")
  const open = async (token: string, last: number | null = null) => {
    const response = await fetch(`${at()}/v1/changes-of-state`, {
      headers: {
        accept: "text/event-stream",
        authorization: `Bearer ${token}`,
        ...(last === null ? {} : { "last-event-id": String(last) })
      }
    })
    expect(response.headers.get("content-type")).toContain("text/event-stream")
    const { close, next } = decodeEvents(response)
    const until = async (done: (frame: StateFrame) => boolean): Promise<ReadonlyArray<StateFrame>> => {
      const seen: Array<StateFrame> = []
      for (;;) {
        const { data, id } = await next()
        const frame = data as StateFrame
        expect(id).toBe(String(frame.sequence))
        seen.push(frame)
        if (done(frame)) return seen
      }
    }
    return { until, close, next }
  }
  /** Once the directory knows it. */
  const listed = async (slug: string) => {
    const project = await Flow.createProject(installed().api, slug)
    await Flow.liveApp(installed().api, project.id, 0)
    const all = () => installed().api.get<{ items: ReadonlyArray<{ id: string }> }>("/v1/projects?order=moved")
    await Flow.until(all, ({ items }) => items.some(({ id }) => id === project.id))
    return project
  }
  const since = (after: number) => installed().api.get<Page>(`/v1/changes-of-state?after=${after}`)

  describe("News of all Projects in workerd", () => {
    it("are the steps of each Project's own history, in its order, with the Change that they are of", async () => {
      const { api, owner } = installed()
      const [one, other] = [await listed("news-one"), await listed("news-other")]
      const { close, until } = await open(owner)
      const change = await Flow.openChange(api, one.id, "told")
      await Flow.edit(api, change, { "note.txt": "told" })
      const { id } = await Flow.requestCandidate(api, change)
      // What the checks come to is another matter: an installation may have no container for them.
      const isOver = ({ to }: StateFrame) => to !== "composing" && to !== "verifying"
      const first = await until((frame) => frame.kind === "candidate" && frame.id === id && isOver(frame))
      const elsewhere = await Flow.openChange(api, other.id, "told too")
      const all = [...first, ...(await until((frame) => frame.id === elsewhere.id))]
      await close()
      expect(all.at(-1)).toEqual({
        sequence: expect.any(Number),
        projectId: other.id,
        kind: "change",
        id: elsewhere.id,
        to: "created",
        changeId: elsewhere.id
      })
      const stepOf = (each: Pick<StateFrame, "kind" | "id" | "to">) => [each.kind, each.id, each.to]
      const fromChange = <A extends Pick<StateFrame, "id">>(steps: ReadonlyArray<A>) =>
        steps.slice(steps.findIndex((each) => each.id === change.id))
      const told = fromChange(all.filter(({ projectId }) => projectId === one.id))
      expect(told.every(({ changeId }) => changeId === change.id)).toBe(true)
      const { items } = await api.get<{ items: ReadonlyArray<StateFrame> }>(`/v1/projects/${one.id}/history`)
      expect(told.length).toBeGreaterThan(5)
      expect(told.map(stepOf)).toEqual(fromChange(items).slice(0, told.length).map(stepOf))
    })

    it("go on where a reader was, as a stream and as a page", async () => {
      const { api, owner } = installed()
      const project = await listed("news-again")
      const { after, items } = await api.get<Page>("/v1/changes-of-state")
      expect(items).toEqual([])
      const change = await Flow.openChange(api, project.id, "missed")
      const isIt = (frame: StateFrame) => frame.id === change.id && frame.to === "created"
      const page = await Flow.until(
        () => since(after),
        (found) => found.items.some(isIt)
      )
      expect(page.after).toBeGreaterThanOrEqual(after)
      const { close, until } = await open(owner, after)
      expect((await until(isIt)).at(-1)).toEqual(page.items.find(isIt))
      await close()
    })

    it("are of what one may see alone, and end with the rights of their reader", async () => {
      const { api } = installed()
      const mine = await listed("news-mine")
      const reader = await api.post<{ user: { id: string }; token: string }>("/v1/users", { name: "Reader of news" })
      const { next, until } = await open(reader.token)
      const path = `/v1/projects/${mine.id}/members`
      const { items } = await api.get<{ items: ReadonlyArray<{ userId: string; role: string }> }>(path)
      const before = items.map(({ role, userId }) => ({ role, userId }))
      await api.put(path, { members: [...before, { role: "viewer", userId: reader.user.id }] })
      expect(await until(() => true)).toMatchObject([{ kind: "project", id: mine.id, to: "appeared" }])
      const change = await Flow.openChange(api, mine.id, "seen")
      const seen = await until(({ id }) => id === change.id)
      expect(seen.filter(({ projectId }) => projectId !== mine.id)).toEqual([])
      await api.put(path, { members: before })
      expect((await until(({ to }) => to === "gone")).at(-1)).toMatchObject({ kind: "project", id: mine.id })
      const here = { origin: at(), token: installed().owner }
      expect(await remove(here, `/v1/users/${reader.user.id}`)).toBe(202)
      await expect(next()).rejects.toThrow("the stream ended")
    })
  })
}
