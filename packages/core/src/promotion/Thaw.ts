/** What a freeze does to a promotion: its block, and the command that makes the promotion at the thaw. */
import { Effect, Schema } from "effect"
import { frozenBy } from "../approval/Freezes.ts"
import type * as Commit from "../ledger/Commit.ts"
import { unchanged } from "../ledger/Commit.ts"
import * as Draft from "../ledger/Draft.ts"
import { commandId, type Lease } from "../model/Command.ts"
import * as Time from "../primitives/Time.ts"
import { Commands } from "../work/Commands.ts"
import type { Ask, Block, Snapshot } from "./Canonical.ts"

/** A block, as it is told. */
export const BlockShape = Schema.Struct({
  code: Schema.String,
  detail: Schema.String,
  /** Of `frozen`: from then on it is promoted by itself, unless the Policy changes before that. */
  until: Schema.optionalKey(Time.Timestamp),
  /** Of `frozen`: why. */
  reason: Schema.optionalKey(Schema.String)
})

interface ToldBlock extends Schema.Schema.Type<typeof BlockShape> {}

/** The Policy's freeze that holds it back. */
export const frozenBlocks = (
  { change, policy }: Snapshot,
  now: Time.Timestamp,
  promoter: string | undefined
): ReadonlyArray<Block> => {
  const frozen = frozenBy(policy.record, { kind: change.record.kind, promoter, now })
  if (frozen === null) return []
  return [{ code: "frozen", detail: `nothing is promoted until ${frozen.until}: ${frozen.reason}`, ...frozen }]
}

/** When it may be promoted, where nothing but a freeze stands in the way; null for any other blocks. */
const thawOf = (blocks: ReadonlyArray<ToldBlock>): Time.Timestamp | null =>
  blocks.every(({ code }) => code === "frozen") ? (blocks[0]?.until ?? null) : null

/** Gives the command of a promotion back until the thaw; `otherwise` where more than a freeze stands in the way. */
export const putOffQuietly = Effect.fnUntraced(function* <R>(
  lease: Lease,
  blocks: ReadonlyArray<ToldBlock>,
  otherwise: Effect.Effect<void, never, R>
) {
  const delayMs = yield* untilThaw(blocks)
  if (delayMs === null) return yield* otherwise
  const commands = yield* Commands
  yield* Effect.ignore(commands.release(lease, delayMs))
})

/** How long a freeze alone holds it back, ms; null where anything else does. */
export const untilThaw = (blocks: ReadonlyArray<ToldBlock>) => {
  const until = thawOf(blocks)
  return Effect.map(Time.nowMillis, (now) => (until === null ? null : Math.max(0, Time.toMillis(until) - now)))
}

/** The request of a promotion that a freeze holds back: its command is due at the thaw. */
export const awaitingThaw = ({ candidate }: Snapshot, { actor, now, trigger }: Ask, delayMs: number): Commit.Commit => {
  const { id, projectId } = candidate.record
  const draft = Draft.begin(projectId, actor, now)
  Draft.expect(draft, unchanged("candidate", id, candidate))
  Draft.send(draft, {
    kind: "candidate.promote",
    id: commandId("candidate.promote", id),
    payload: { candidateId: id, actor, trigger },
    delayMs
  })
  return Draft.end(draft, { name: "Promotions.awaitThaw" })
}
