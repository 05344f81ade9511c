import { afterEach, describe, expect, it } from "vitest"
import { rounds, slice } from "@pawl/testing/Depth"
import * as Flow from "../kit/Flow.ts"
import * as Lane from "../kit/LaneFacts.ts"
import { broken } from "../kit/LaneLaws.ts"
import { lies } from "../kit/LaneLies.ts"
import { type ServerProcess, startServer, temporaryFolder } from "../kit/ServerProcess.ts"

const count = rounds({ quick: 4, deep: 20 })
/** Checks that sleep: whether cores are free does not matter. */
const asleep = 'sleep 2; test "$(cat verdict.txt)" = good'
const times = (n: number, end: string): ReadonlyArray<string> => Array.from({ length: n }, () => end)

const folder = temporaryFolder()
let server: ServerProcess | undefined
afterEach(async () => {
  await server?.stop()
  folder.remove()
})

/** What a race of so many comes to, on a server with these slots. The first is asked for before all others. */
const raced = async (slots: number, bad: ReadonlyArray<number> = []): Promise<Lane.LaneFacts> => {
  server = await startServer({ data: folder.path, environment: { PAWL_SANDBOXES_AT_ONCE: String(slots) } })
  const { api } = server
  const project = await Lane.laned(api, "racing", asleep)
  const racers = await Lane.racers(api, project.id, count, bad)
  const ask = ({ change }: Lane.Racer) => Flow.requestCandidate(api, change)
  await Promise.all(racers.slice(0, 1).map(ask))
  await Promise.all(racers.slice(1).map(ask))
  await Lane.settled(api, project.id, racers)
  return Lane.factsOf(api, project.id, racers)
}

describe("Changes that race on a server whose Project has its lane on", () => {
  it.each(slice([20, 4], { quick: 1 }))(
    "all land by themselves in %s slots, with one run of each check and one build for each, and none is blocked",
    async (slots) => {
      const facts = await raced(slots)
      expect(Lane.endsOf(facts)).toEqual(times(count, "landed landed"))
      expect([Lane.runsOf(facts, "test"), Lane.runsOf(facts, "build")]).toEqual([count, count])
      expect(facts.builds).toBe(count + 1)
      // Those that were asked for stood on canonical; the lane made them anew before anything of them was checked.
      expect(new Set(facts.candidates.map(({ status }) => status))).toEqual(new Set(["promoted", "stale"]))
      expect(broken(facts, { slots, builds: count + 1 })).toEqual([])
    }
  )

  it("all land but a bad one in front, with at most two runs of each check for each", async () => {
    const facts = await raced(16, [0])
    expect(Lane.endsOf(facts)).toEqual(["rejected checks_failed", ...times(count - 1, "landed landed")])
    expect(facts.generations).toHaveLength(count)
    for (const check of ["test", "build"]) expect(Lane.runsOf(facts, check)).toBeLessThanOrEqual(2 * count)
    expect(broken(facts, { slots: 16, builds: 60 })).toEqual([])
    // Each law finds what it looks for: one alteration is enough. Not all that were checked were so at once.
    const means = { slots: Lane.runsOf(facts, "test") - 1, builds: 60 }
    expect(broken(facts, means)).toEqual([])
    for (const [law, lie] of lies) {
      const found = broken(lie(facts), means).map((problem) => problem.split(" ")[0])
      expect([law, found]).toEqual([law, expect.arrayContaining([law])])
    }
  })
})
