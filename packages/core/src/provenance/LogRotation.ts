/**
 * The key of the log takes the place of another, and the key of statements vouches for it. First every log is told that
 * only the new one may make its checkpoints, so that up to which size the old one has is known; then a statement says so.
 * What the old one made stays good.
 */
import { Effect } from "effect"
import { system } from "../model/Actor.ts"
import type { ChainLog } from "../model/Chain.ts"
import type { ChainId } from "../model/Statement.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, find } from "../ledger/Decision.ts"
import { Records } from "../ledger/Records.ts"
import * as Time from "../primitives/Time.ts"
import { allKeys, currentKey } from "./KeyHistory.ts"
import { state, type Succession } from "./Rotation.ts"
import { emptyLog, refuseBehind } from "./Signing.ts"
import { signing } from "./Statements.ts"

/** Up to which size the old key made checkpoints that count. Of a stolen one only those count that somebody else held. */
const headOf = ({ stolen }: Succession, { chain, size }: ChainLog): number =>
  stolen === null ? size : Math.min(stolen.get(chain) ?? 0, size)

/** What the log becomes where checkpoints of a stolen key are beyond what somebody else held: they are made anew, and published. */
const anew = ({ published }: ChainLog, head: number): Partial<ChainLog> => ({
  size: head,
  checkpoint: null,
  checkpointAt: null,
  published: published.map((each) => ({ ...each, size: Math.min(each.size, head) }))
})

/** Lets only the new key make a chain's checkpoints from now on; answers up to which size they are the old one's. */
const fenced = (succession: Succession, chain: ChainId, retired: string | null) =>
  decideAndCommit(
    Effect.gen(function* () {
      const { keyid } = succession.next.key
      const now = yield* Time.now
      const stored = yield* find("chainLog", chain)
      const log = stored?.record ?? emptyLog(chain, now)
      const head = headOf(succession, log)
      if (log.logKeyid === keyid) return { answer: head }
      const fields = { logKeyid: keyid, updatedAt: now, ...(head === log.size ? {} : anew(log, head)) }
      const actor = system("LogRotation.fence")
      const data = { keyid, retired, head, use: "log", ...(succession.stolen === null ? {} : { revoked: true }) }
      const commit: Commit.Commit = {
        name: "LogRotation.fence",
        projectId: chain === "instance" ? null : chain,
        actor,
        writes: [
          stored === null ? Commit.insert("chainLog", { ...log, ...fields }) : Commit.update("chainLog", stored, fields)
        ],
        events: chain === "instance" ? [] : [{ type: "key.rotated", subject: chain, data, actor }],
        commands: [signing(chain)]
      }
      return { answer: head, commit }
    })
  )

/** Puts a key of the log in the place of the one before. Done again after a death, it goes on where it was. */
export const rotateLog = Effect.fn("LogRotation.rotate")(function* (succession: Succession) {
  const keys = yield* allKeys
  if (keys.some(({ record }) => record.keyid === succession.next.key.keyid)) return
  const before = currentKey(keys, "log")?.record
  yield* refuseBehind("instance", before?.name ?? "localhost")
  const heads = new Map<string, number>()
  for (;;) {
    const known = heads.size
    const page = yield* (yield* Records).list("chain", { limit: "all" })
    // One that was made meanwhile is fenced too.
    for (const { record } of page.items)
      if (!heads.has(record.chain))
        heads.set(record.chain, yield* fenced(succession, record.chain, before?.keyid ?? null))
    if (heads.size === known) break
    yield* Effect.yieldNow
  }
  yield* state(succession, heads)
})
