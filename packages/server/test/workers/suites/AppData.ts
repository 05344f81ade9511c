/** Stores of app data in objects of their own: nothing of an app that was removed comes back, whatever was killed. */
import { setTimeout as pause } from "node:timers/promises"
import { rounds, seed } from "@pawl/testing/Depth"
import { describe, expect, it } from "vitest"
import type { Installed } from "../../../../../deploy/cloudflare/Here.ts"
import * as Flow from "../../e2e/kit/Flow.ts"
import { keeper, keeps, keptAt } from "../../e2e/kit/KeptData.ts"

/** Milliseconds for as many kills as there are in the longest run: workerd is started anew after each. */
const longestMs = 20 * 60_000

/** Tests of what apps keep in an installation. */
export const kept = (installed: () => Installed): void => {
  keeps("workerd", () =>
    Promise.resolve({
      api: () => installed().api,
      killAndRestart: () => installed().killAndRestart(),
      stop: () => Promise.resolve()
    })
  )

  describe("What an app kept in workerd", () => {
    it(
      "is gone with its app, also what it wrote during the removal, killed at any moment of the cleanup",
      async () => {
        const project = await Flow.createProject(installed().api, "swept", Flow.source("", keeper("one")))
        await Flow.liveApp(installed().api, project.id, 0)
        const path = `/v1/projects/${project.id}/app`
        for (let round = 0; round < rounds({ quick: 2, deep: 5, long: 30 }); round++) {
          const { api } = installed()
          const { url } = await Flow.liveApp(api, project.id, 0)
          const hosts = [url, url.replace("//", "//v0000000--")]
          /** Writes until the host is gone, or workerd is. */
          const writing = async (nth: number): Promise<void> => {
            for (let turn = 0; ; turn++)
              if ((await api.page(`${hosts[nth % 2]!}put?key=${nth}-${turn}`)).status !== 200) return
          }
          const writers = Array.from({ length: 8 }, (_, nth) => writing(nth).catch(() => undefined))
          await Flow.until(
            () => keptAt(api, url),
            (keys) => keys.length > 1
          )
          await api.delete(path)
          // Any moment of the cleanup: by chance, the same for the same seed.
          await pause(((seed + 1) * (round + 1) * 7919) % 120)
          await installed().killAndRestart()
          await Promise.all(writers)
          await installed().api.post(path)
          await Flow.liveApp(installed().api, project.id, 0)
          for (const host of hosts) expect(await keptAt(installed().api, host)).toEqual(["one"])
        }
      },
      longestMs
    )
  })
}
