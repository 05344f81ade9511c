/** The first response of an app that does not run yet. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { AppRuntime } from "@pawl/core/app/AppRuntime"
import { Effect, ManagedRuntime } from "effect"
import { type Bench, figure, valueAtMost } from "../Figure.ts"
import * as Apps from "../parts/Apps.ts"
import * as BareWorkerd from "../parts/BareWorkerd.ts"
import { withFolder } from "../parts/Folder.ts"
import { build, mainModule, readShop, treeOf } from "../parts/Shop.ts"
import { across, inTurn, lastly, median, timed, worst } from "../Rounds.ts"

const apps = 20
/** A page of the shop that needs no store, so that bare workerd can serve it too. */
const path = "/api/products"

export const bench: Bench = ({ say }) =>
  withFolder(async (folder) => {
    const built = await build(treeOf(await readShop()))
    const bare = join(folder, "bare")
    mkdirSync(bare)
    const config = BareWorkerd.writeApp(bare, mainModule(built), built.bundle.compatibilityDate)
    const hosts = join(folder, "run")
    const runtime = ManagedRuntime.make(Apps.layer(hosts))
    const version = await runtime.runPromise(Apps.install(built))
    const stop = (id: string) => runtime.runPromise(Effect.flatMap(AppRuntime, (appRuntime) => appRuntime.stop(id)))

    const byHand = async (): Promise<number> => {
      const began = performance.now()
      const { port, stop: end } = await BareWorkerd.start(config)
      const response = await fetch(`http://127.0.0.1:${port}${path}`)
      await response.text()
      const ms = performance.now() - began
      await end()
      if (response.status !== 200) throw new Error(`bare workerd answered ${response.status}`)
      return ms
    }
    const pawl = async (round: number): Promise<number> => {
      const fresh = version(`cold-${round}`)
      await Apps.untilPoolIsFull(hosts)
      const ms = await timed(async () => {
        const { status } = await runtime.runPromise(Apps.get(fresh, path))
        if (status !== 200) throw new Error(`the app answered ${status}`)
      })
      await stop(fresh.id)
      return ms
    }
    // The first answer starts the pool.
    await runtime.runPromise(Apps.get(version("first"), path))
    await stop(version("first").id)
    const times = await lastly(inTurn<"byHand" | "pawl", number>(apps, { byHand, pawl }, say), () => runtime.dispose())
    const ratio = across(times.pawl, times.byHand)
    const common = { unit: "ms", floor: "bare workerd, spawn to response", ratio }
    return {
      figures: [
        figure({
          ...common,
          name: "cold-start-median",
          value: median(times.pawl),
          floorValue: median(times.byHand),
          target: valueAtMost(20, "ms")
        }),
        figure({
          ...common,
          name: "cold-start-worst",
          value: worst(times.pawl),
          floorValue: worst(times.byHand),
          ratio: worst(times.pawl) / worst(times.byHand),
          target: valueAtMost(60, "ms")
        })
      ],
      notes: [`${apps} apps, whatever \`--rounds\` says.`]
    }
  })
