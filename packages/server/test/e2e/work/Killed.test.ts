/** `pawl work`, killed as by kill -9 at each place of its work: its lease gives the Task back, and another one finishes it. */
import { slice } from "@pawl/testing/Depth"
import { Limits } from "@pawl/core/primitives/Limits"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Flow from "../kit/Flow.ts"
import { openProxy, type Place } from "./KillingProxy.ts"
import { goesLive, openWork, said, taskNow, type Work } from "./WorkWorld.ts"

const at = (says: string, method: string, path: RegExp, phase: Place["phase"]): Place => ({ says, method, path, phase })

const places: ReadonlyArray<Place> = [
  at("before its claim arrives", "POST", /\/claim$/, "before"),
  at("before it hears of its claim", "POST", /\/claim$/, "after"),
  at("before it is told its Task", "GET", /\/brief$/, "after"),
  at("before it fetches", "GET", /service=git-upload-pack$/, "before"),
  at("when it has fetched", "POST", /\/git-upload-pack$/, "after"),
  at("while its agent works", "POST", /^\/mcp$/, "before"),
  at("when its agent has ended", "GET", /\/runs\?/, "after"),
  at("before it pushes", "GET", /service=git-receive-pack$/, "before"),
  at("before its push arrives", "POST", /\/git-receive-pack$/, "before"),
  at("when its push was taken", "POST", /\/git-receive-pack$/, "after"),
  at("before its work is published", "POST", /\/publish$/, "before"),
  at("when its work was published", "POST", /\/publish$/, "after")
]

/** Asks Pawl's tools, so that the way there is a place too, and writes. */
const agent = `curl -s -X POST "$PAWL_MCP_URL" > /dev/null; mkdir -p public; echo done > public/done.txt`

let world: Work
let aheadMs = 0
beforeAll(async () => {
  world = await openWork()
})
afterAll(() => world.close())

describe("A worker that is killed", () => {
  it.each(
    slice(
      places.map((place) => [place.says, place] as const),
      { quick: 2 }
    )
  )(
    "%s loses nothing: its Task is ready again once its lease has ended, and goes live by another worker",
    async (says, place) => {
      const slug = `killed-${places.findIndex((each) => each.says === says)}`
      const goal = await world.goal(slug, [{ key: "page", title: "The page" }])
      const id = goal.taskOf("page")
      let pid = 0
      const proxy = await openProxy(world.server().origin, place, () => void process.kill(pid, "SIGKILL"))
      const killed = await world.work(goal, ["--task", id, "--agent", agent], {
        environment: { PAWL_URL: proxy.origin },
        onStart: (child) => void (pid = child.pid ?? 0)
      })
      expect([proxy.reached(), killed.code]).toEqual([true, null])
      await proxy.close()
      const isClaimed = !says.startsWith("before its claim")
      const isPublished = says === "when its work was published"
      if (isClaimed && !isPublished) {
        expect(await taskNow(world.server(), id)).toMatchObject({ status: "running", attempt: 1 })
        aheadMs += Limits.outsideLeaseMs
        await world.restart(aheadMs)
        const task = await Flow.until(
          () => taskNow(world.server(), id),
          ({ status }) => status === "ready"
        )
        expect(task.reason).toMatch(/nobody renewed its lease/)
      }
      if (!isPublished) {
        const again = await world.work(goal, ["--next", "--agent", agent, "--json"])
        expect(said(again)).toMatchObject({ outcome: "published", taskId: id })
      }
      expect(await taskNow(world.server(), id)).toMatchObject({ status: "completed" })
      const app = await goesLive(world.server(), goal)
      expect((await world.server().api.page(`${app.url}done.txt`)).text).toBe("done\n")
    }
  )
})
