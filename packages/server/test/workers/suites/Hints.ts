/** Hints between objects on the queues of an installation: what comes twice or late, and what nobody could bring. */
import { describe, expect, it } from "vitest"
import { sweepCommands } from "@pawl/adapters-cloudflare/hints/Hint"
import { queueNames } from "@pawl/adapters-cloudflare/hints/HintQueues"
import type { DeadLetter } from "@pawl/core/model/Command"
import { looksBack } from "@pawl/testing/Depth"
import { compatibilityDate } from "../../../../../deploy/cloudflare/Scripts.ts"
import * as Flow from "../../e2e/kit/Flow.ts"
import type { Installed } from "../../../../../deploy/cloudflare/Here.ts"

/** A script that puts on the queue whatever it is asked to. */
export const senders: ReadonlyArray<object> = [
  {
    name: "sender",
    compatibilityDate,
    modules: true,
    script: `export default { async fetch(request, env) {
      await env.QUEUE.sendBatch(JSON.parse(new URL(request.url).searchParams.get("bodies")).map((body) => ({ body })))
      return new Response("sent")
    } }`,
    queueProducers: { QUEUE: queueNames.hints }
  }
]

interface Listed {
  readonly items: ReadonlyArray<{ readonly id: string; readonly counts: { readonly openChanges: number } }>
}

/** Tests of the queues of an installation that has `senders` beside it. */
export const hints = (installed: () => Installed): void => {
  describe("A hint in workerd", () => {
    const send = async (bodies: ReadonlyArray<unknown>): Promise<void> => {
      const query = encodeURIComponent(JSON.stringify(bodies))
      expect((await installed().simulated().send("sender", `/?bodies=${query}`)).status).toBe(200)
    }
    const letters = async () =>
      (await installed().api.get<{ items: ReadonlyArray<DeadLetter> }>("/v1/dead-letters")).items.filter(
        ({ kind }) => kind === "project.hint"
      )
    /** The letter of a message that nobody can read. Those before it were brought by then. */
    const letterOf = (message: string, isIt: (letter: DeadLetter) => boolean = () => true) =>
      Flow.until(
        async () => (await letters()).find((each) => JSON.stringify(each.payload).includes(message)),
        (found) => found !== undefined && isIt(found)
      ).then((found) => found!)
    const dismiss = ({ id }: DeadLetter) => installed().api.post(`/v1/dead-letters/${encodeURIComponent(id)}/dismiss`)

    it("that could not be brought is a dead letter, which an owner sees, has tried again, and forgets", async () => {
      const { api, as } = installed()
      await send([{ words: "of no hint" }])
      const letter = await letterOf("of no hint")
      expect(letter.lastProblem).toContain("could not bring it")
      const { token } = await api.post<{ token: string }>("/v1/users", { name: "Reader" })
      await expect(as(token).get("/v1/dead-letters")).rejects.toThrow("403")
      await api.post(`/v1/dead-letters/${encodeURIComponent(letter.id)}/retry`)
      const again = await letterOf("of no hint", ({ lastProblem }) => lastProblem !== letter.lastProblem)
      expect(again.id).toBe(letter.id)
      await dismiss(again)
      expect(await letters()).toEqual([])
    })

    it("changes nothing when it comes twice, late, or for nothing, and stands in no way", async () => {
      const { api } = installed()
      const project = await Flow.createProject(api, "hinted")
      await Flow.openChange(api, project.id, "hinted")
      // Each schedule fires when the clock comes for the first time.
      await installed().simulated().tick()
      const moved = { _tag: "Moved", projectId: project.id }
      // Another version knows others.
      const upkeep = { _tag: "Upkeep", projectId: project.id, what: ["claim.expire", ...sweepCommands] }
      await send([upkeep, moved, moved, upkeep, moved, { words: "behind them" }])
      await dismiss(await letterOf("behind them"))
      expect(await letters()).toEqual([])
      const { items } = await Flow.until(
        () => api.get<Listed>("/v1/projects?include=counts"),
        (found) => found.items.find(({ id }) => id === project.id)?.counts.openChanges === 1
      )
      expect(items.filter(({ id }) => id === project.id)).toHaveLength(1)
      await api.delete(`/v1/projects/${project.id}`)
    })
  })
}

/** Kinds of commands that only work with a payload, which the clock alone has none for. */
const others = ["project.cleanup", "project.audit", "release.recover"]

/** The last test of an installation: a command that cannot be done is a dead letter by then. */
export const clocks = (installed: () => Installed): void => {
  describe("The clock in workerd", () => {
    it("leaves no Project a command that cannot be done", async () => {
      looksBack()
      const { api } = installed()
      const { items } = await api.get<Listed>("/v1/projects")
      expect(items.length).toBeGreaterThan(0)
      for (const { id } of items) {
        const letters = await api.get<{ items: ReadonlyArray<DeadLetter> }>(`/v1/projects/${id}/dead-letters`)
        expect(letters.items.filter(({ kind }) => others.includes(kind))).toEqual([])
      }
    })
  })
}
