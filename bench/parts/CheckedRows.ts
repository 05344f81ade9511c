/** Cold rows as the router looks at them, beside the bare checks of their signatures. */
import { join } from "node:path"
import { Effect } from "effect"
import { ReleaseTrust } from "@pawl/core/provenance/TrustedKeys"
import * as ReleaseChecks from "@pawl/router/ReleaseChecks"
import * as Front from "./Front.ts"
import { type Spent, spent } from "./ProvenPack.ts"
import * as StatedRows from "./StatedRows.ts"

/** How many rows a round looks at, one after the other. */
export const rowsPerRound = 1000

const base = Front.pointerTo({ bundleDigest: "c".repeat(64), bundleKey: "bundles/c/" } as Parameters<
  typeof Front.pointerTo
>[0])

/** What a round took for each of its rows, and how often the ledger was read for all of them. */
export interface Looked {
  readonly checks: Spent
  readonly bare: Spent
  readonly reads: number
}

const each = ({ cpu, wall }: Spent): Spent => ({ cpu: cpu / rowsPerRound, wall: wall / rowsPerRound })

/** Opens an installation. Each call of what it answers looks at new rows, once as the router does, once bare. */
export const prepared = async (folder: string) => {
  const rows = await StatedRows.open(join(folder, "row-keys"))
  const checks = await Effect.runPromise(ReleaseChecks.make.pipe(Effect.provideService(ReleaseTrust, rows.trust)))
  const curve = { name: "ECDSA", namedCurve: "P-256" }
  const key = await crypto.subtle.importKey("spki", Buffer.from(rows.spki, "base64"), curve, false, ["verify"])
  const params = { name: "ECDSA", hash: "SHA-256" }
  let entry = 0
  const batch = async () => {
    const made: Array<StatedRows.StatedRow> = []
    for (let at = 0; at < rowsPerRound; at++) made.push(await rows.stated(base, entry++))
    return made
  }
  const looking = async (all: ReadonlyArray<StatedRows.StatedRow>) => {
    for (const { row } of all)
      if (!(await Effect.runPromise(checks.mayServe(row)))) throw new Error("a good row is not served")
  }
  const verifying = async (all: ReadonlyArray<StatedRows.StatedRow>) => {
    for (const { message, signature } of all)
      if (!(await crypto.subtle.verify(params, key, signature, message))) throw new Error("a signature does not hold")
  }
  // The keys are read once, before any row.
  await looking([await rows.stated(base, entry++)])
  const round = async (number: number): Promise<Looked> => {
    const all = await batch()
    const before = rows.reads()
    const first = number % 2 === 0 ? await spent(() => verifying(all)) : null
    const looked = await spent(() => looking(all))
    const bare = first ?? (await spent(() => verifying(all)))
    return { checks: each(looked), bare: each(bare), reads: rows.reads() - before }
  }
  return { round, close: rows.close }
}
