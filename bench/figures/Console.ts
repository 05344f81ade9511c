/** The timed figures of the console's acceptance, in Chromium, from a real server. */
import type { Bench, Measured } from "../Figure.ts"
import * as FirstVisit from "../parts/console/FirstVisit.ts"
import * as Killed from "../parts/console/Killed.ts"
import * as LargeDiff from "../parts/console/LargeDiff.ts"
import * as LiveText from "../parts/console/LiveText.ts"
import * as LogLines from "../parts/console/LogLines.ts"
import * as LongLine from "../parts/console/LongLine.ts"
import * as ManyMoves from "../parts/console/ManyMoves.ts"
import * as ServerCost from "../parts/console/ServerCost.ts"
import * as Tabs from "../parts/console/Tabs.ts"
import { changes, openChanges, withWorld, type World } from "../parts/console/World.ts"
import { withFolder } from "../parts/Folder.ts"

/** In this order: what moves much comes after what is looked at in peace. */
const parts: Readonly<Record<string, (world: World) => Promise<Measured>>> = {
  "first visit": FirstVisit.measure,
  "10,000 generations": LongLine.measure,
  "a large diff": LargeDiff.measure,
  "commit to text": LiveText.measure,
  "many moves": ManyMoves.measure,
  tabs: Tabs.measure,
  "lines of an app": LogLines.measure,
  "server killed": Killed.measure
}

const together = (all: ReadonlyArray<Measured>): Measured => ({
  figures: all.flatMap(({ figures }) => figures),
  notes: all.flatMap(({ notes }) => notes)
})

export const bench: Bench = ({ rounds, say }) =>
  withFolder(async (folder) => {
    const shown = await withWorld(folder, { rounds, say }, async (world) => {
      say(`opening ${changes} Changes`)
      await openChanges(world.server, world.projects.many, changes, "Change")
      const all: Array<Measured> = []
      for (const [name, measure] of Object.entries(parts))
        all.push(await measure({ ...world, say: (progress) => say(`${name}: ${progress}`) }))
      return together(all)
    })
    const cost = await ServerCost.measure(folder, rounds, (progress) => say(`the server: ${progress}`))
    return together([shown, cost])
  })
