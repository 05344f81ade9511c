/** Promotion commits of a Project whose lane is off, and of one whose Policy is from before there was a lane. */
import { Records } from "@pawl/core/ledger/Records"
import type { Policy } from "@pawl/core/model/Policy"
import type { Snapshot } from "@pawl/core/promotion/Canonical"
import { inLaneOf } from "@pawl/core/promotion/LaneOrder"
import { type Around, wrap } from "@pawl/testing/tools/PortWrap"
import * as MemoryLedger from "@pawl/adapters-memory/MemoryLedger"
import { Effect } from "effect"
import { committed, sizesOf, type Ways } from "./PairedPromotions.ts"
import { snapshotOf } from "./PromotionWorld.ts"

const withPolicy = ({ policy, ...rest }: Snapshot, fields: Partial<Policy>): Snapshot => ({
  ...rest,
  policy: { ...policy, record: { ...policy.record, ...fields } }
})
const laneOff = (read: Snapshot): Snapshot => withPolicy(read, { lane: { mode: "off" } })

/** How many writes, commands and conditions each commit has. */
export const sizes = () => ({
  off: sizesOf(committed(laneOff(snapshotOf(0, 0)))),
  before: sizesOf(committed(snapshotOf(0, 0)))
})

/** How often the ledger is read for the lane of a Change that is in none. */
export const readsOff = (): Promise<number> => {
  let reads = 0
  const counting: Around = (_, effect) => Effect.suspend(() => (reads++, effect))
  return Effect.gen(function* () {
    const counted = wrap(Records, yield* Records, counting)
    const { change, head, policy } = snapshotOf(0, 0)
    yield* inLaneOf(change.record, head.record, policy.record).pipe(Effect.provideService(Records, counted))
    return reads
  }).pipe(Effect.orDie, Effect.provide(MemoryLedger.layerMemory), Effect.runPromise)
}

/** As a promotion does it, and without asking for the lane of the Change. */
export const ways: Ways = {
  ours: (snapshot) =>
    Effect.map(
      inLaneOf(snapshot.change.record, snapshot.head.record, snapshot.policy.record).pipe(Effect.orDie),
      (inLane) => committed({ ...laneOff(snapshot), ...inLane })
    ),
  floor: (snapshot) => Effect.sync(() => committed(withPolicy(snapshot, {})))
}
