/** Promotion commits of a Project whose lane is off, and the same commits decided as before there was a lane. */
import { isDeepStrictEqual } from "node:util"
import { Records } from "@pawl/core/ledger/Records"
import type { Snapshot } from "@pawl/core/promotion/Canonical"
import { heldLaneOf, inLaneOf } from "@pawl/core/promotion/LaneOrder"
import { type Around, wrap } from "@pawl/testing/tools/PortWrap"
import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import { Effect } from "effect"
import { committed, sizesOf, type Ways } from "./PairedPromotions.ts"
import { committedBeforeLane } from "./PromotionBeforeLane.ts"
import { ask, snapshotOf } from "./PromotionWorld.ts"

const laneOff = ({ policy, ...rest }: Snapshot): Snapshot => ({
  ...rest,
  policy: { ...policy, record: { ...policy.record, lane: { mode: "off" } } }
})

/** What is read of the lane of a Change that is in none, as a promotion asks for it. */
const readOfLane = ({ change, head, policy }: Snapshot) =>
  Effect.map(
    Effect.all([inLaneOf(change.record, head.record, policy.record), heldLaneOf(change.record, policy.record)]).pipe(
      Effect.orDie
    ),
    ([inLane, held]) => ({ ...inLane, ...held })
  )

/**
 * How many writes, commands and conditions each commit has. Fails where the two are not the same: the floor would be
 * that of something else.
 */
export const sizes = () => {
  const read = laneOff(snapshotOf(0, 0))
  const [off, before] = [committed(read), committedBeforeLane(read, ask)]
  if (!isDeepStrictEqual(off, before)) throw new Error("a promotion commits something else than before the lane")
  return { off: sizesOf(off), before: sizesOf(before) }
}

/** How often the ledger is read for the lane of a Change that is in none. */
export const readsOff = (): Promise<number> => {
  let reads = 0
  const counting: Around = (_, effect) => Effect.suspend(() => (reads++, effect))
  return Effect.gen(function* () {
    const counted = wrap(Records, yield* Records, counting)
    yield* readOfLane(laneOff(snapshotOf(0, 0))).pipe(Effect.provideService(Records, counted))
    return reads
  }).pipe(Effect.provide(MemoryLedger.layerMemory), Effect.runPromise)
}

/** As a promotion does it, and as it was decided before there was a lane. */
export const ways: Ways = {
  ours: (snapshot) => {
    const off = laneOff(snapshot)
    return Effect.map(readOfLane(off), (inLane) => committed({ ...off, ...inLane }))
  },
  floor: (snapshot) => Effect.sync(() => committedBeforeLane(laneOff(snapshot), ask))
}
