/** What is acknowledged outlives workerd, whenever it is killed; and of racing promotions one wins. */
import { setTimeout as pause } from "node:timers/promises"
import { numbers, rounds, seed } from "@pawl/testing/Depth"
import type { CandidateJson, ChangeJson } from "@pawl/server/api/RecordSchemas"
import type { Generation } from "@pawl/core/model/Generation"
import { describe, expect, it } from "vitest"
import * as Flow from "../../e2e/kit/Flow.ts"
import type { Installed } from "../../../../../deploy/cloudflare/Here.ts"

/** Milliseconds for as many kills as there are in the longest run: workerd is started anew after each. */
const longestMs = 20 * 60_000

/** A source without a check that takes long, so that many kills fall into Pawl's own work. */
const source = Flow.source("one")

/** Tests that kill the workerd of an installation. */
export const crashes = (installed: () => Installed): void => {
  describe("Projects in workerd", () => {
    const lineOf = async (projectId: string) =>
      (await installed().api.get<{ items: ReadonlyArray<Generation> }>(`/v1/projects/${projectId}/versions`)).items

    it("let one of two Candidates win that are promoted at once, each time", async () => {
      const { api } = installed()
      const project = await Flow.createProject(api, "races", source)
      for (const round of numbers(rounds({ quick: 20, deep: 8, long: 20 }), { quick: 1 })) {
        const candidates = await Promise.all(
          ["a", "b"].map(async (name) => {
            const change = await Flow.openChange(api, project.id, `${name} ${round}`)
            await Flow.edit(api, change, { [`${name}-${round}.txt`]: name })
            return Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
          })
        )
        const before = (await lineOf(project.id))[0]!.generation
        const outcomes = await Promise.all(
          candidates.map(({ id }) =>
            Flow.promote(api, id).then(
              ({ generation, outcome }) => `${outcome} ${generation}`,
              (problem: Error) => (problem.message.includes('"stale"') ? "stale" : problem.message)
            )
          )
        )
        expect(outcomes.toSorted()).toEqual([`promoted ${before + 1}`, "stale"])
      }
    })

    it(
      "lose nothing that was acknowledged, double no generation and come to their ends, killed at any moment",
      async () => {
        const moments = Array.from({ length: rounds({ quick: 2, deep: 6, long: 50 }) }, (_, nth) => nth + 1)
        const project = await Flow.createProject(installed().api, "killed", source)
        await Flow.liveApp(installed().api, project.id, 0)
        const acknowledged = new Map<string, number>()
        const opened: Array<ChangeJson> = []
        /** One Change on its way; what breaks off because workerd is gone is none of its promises. */
        const work = async (name: string): Promise<void> => {
          const { api } = installed()
          const change = await Flow.openChange(api, project.id, name)
          opened.push(change)
          await Flow.edit(api, change, { [`${name}.txt`]: name })
          const candidate = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
          if (candidate.status !== "verified") return
          const { generation } = await Flow.promote(api, candidate.id)
          acknowledged.set(candidate.id, generation)
        }
        for (const moment of moments) {
          const working = [1, 2].map((nth) => work(`m${moment}-${nth}`).catch(() => undefined))
          // Any moment from the first request to the end of the work: by chance, the same for the same seed.
          await pause((((seed + 1) * moment * 7919) % 4000) + 50)
          await installed().killAndRestart()
          await Promise.all(working)
        }
        const { api } = installed()
        const line = await lineOf(project.id)
        const numbersOf = line.map(({ generation }) => generation)
        expect(numbersOf).toEqual(numbersOf.map((_, index) => numbersOf.length - 1 - index))
        for (const [candidateId, generation] of acknowledged)
          expect(line.find((each) => each.generation === generation)?.candidateId).toBe(candidateId)
        const underWay = ["composing", "verifying", "promoting"]
        for (const { id } of opened)
          await Flow.until(
            () => api.get<{ items: ReadonlyArray<CandidateJson> }>(`/v1/changes/${id}/candidates`),
            ({ items }) => items.every(({ status }) => !underWay.includes(status))
          )
        // A Change rests where somebody else is next: at none of these would anybody be.
        const moving = ["compiling", "promoting", "releasing"]
        for (const { id } of opened)
          await Flow.until(
            () => api.get<{ change: ChangeJson }>(`/v1/changes/${id}`),
            ({ change }) => !moving.includes(change.status)
          )
        const letters = await api.get<{ items: ReadonlyArray<unknown> }>(`/v1/projects/${project.id}/dead-letters`)
        expect(letters.items).toEqual([])
        // What ended after the last look may have landed since.
        const [newest] = await lineOf(project.id)
        expect((await Flow.liveApp(api, project.id, newest!.generation)).status).toBe("live")
      },
      longestMs
    )
  })
}
