/** From a Candidate's request to the live page, beside the raw parts of that way. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { startServer } from "../../packages/server/test/e2e/kit/ServerProcess.ts"
import { type Bench, figure, ratioAtMost } from "../Figure.ts"
import { withFolder } from "../parts/Folder.ts"
import { readShop } from "../parts/Shop.ts"
import { partNames, prepareShop } from "../parts/ShopByHand.ts"
import { stageNames, takeLive } from "../parts/ShopOnServer.ts"
import { across, inTurn, lastly, median } from "../Rounds.ts"

type Times = Readonly<Record<string, number>>

const sum = (times: Times): number => Object.values(times).reduce((total, ms) => total + ms, 0)
const told = (names: ReadonlyArray<string>, rounds: ReadonlyArray<Times>): string =>
  names.map((name) => `${name} ${median(rounds.map((times) => times[name] ?? 0)).toFixed(0)} ms`).join(", ")

export const bench: Bench = ({ rounds, say }) =>
  withFolder(async (folder) => {
    const [parts, data] = [join(folder, "parts"), join(folder, "data")]
    mkdirSync(parts)
    const shop = await readShop()
    say("preparing")
    const byHand = await prepareShop(parts, shop)
    const server = await startServer({ data, environment: { PAWL_APP_BUILDS_PER_DAY: "100000" } })
    // Whatever ends this process, the server goes with it.
    const kill = () => void server.child.kill("SIGKILL")
    process.once("exit", kill)
    const sides = {
      byHand: (round: number): Promise<Times> => byHand.run(round),
      pawl: (round: number): Promise<Times> => takeLive(server.api, shop, `shop-${round}`)
    }
    const times = await lastly(inTurn<keyof typeof sides, Times>(rounds, sides, say), async () => {
      await byHand.dispose()
      await server.stop()
      process.off("exit", kill)
    })
    const [ours, floor] = [times.pawl.map(sum), times.byHand.map(sum)]
    return {
      figures: [
        figure({
          name: "edit-to-live",
          value: median(ours),
          unit: "ms",
          floor: "its raw parts by hand, summed",
          floorValue: median(floor),
          ratio: across(ours, floor),
          target: ratioAtMost(1.1)
        })
      ],
      notes: [
        `Pawl, each after the one before: ${told(stageNames, times.pawl)}.`,
        `By hand: ${told(partNames, times.byHand)}.`
      ]
    }
  })
