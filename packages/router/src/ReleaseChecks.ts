/**
 * Whether rows may be served, by their release statements: one signature for each row object and state of the keys, and
 * then a look at two numbers for each request. What is older than what a host was seen to serve is refused, unless that
 * names it to go back to: who can write the store cannot put back what was replaced. A router that starts anew has seen
 * nothing.
 */
import type { Pointer } from "@pawl/core/model/Pointer"
import { Limits } from "@pawl/core/primitives/Limits"
import { endedProblem } from "@pawl/core/provenance/KeyRules"
import {
  checkRelease,
  type CheckedRelease,
  type ReleaseProblem,
  releaseProblems
} from "@pawl/core/provenance/ServedRelease"
import { ReleaseTrust, type ReleaseTrustShape } from "@pawl/core/provenance/TrustedKeys"
import { Meters, type MeterSet } from "@pawl/core/telemetry/Meters"
import { Clock, Effect } from "effect"
import { RouterLimits } from "./RouterLimits.ts"
import * as Settled from "./Settled.ts"

/** What was served on a host that was released last. */
interface Newest {
  epoch: number
  entry: number
  keyid: string | null
  mayRestore: string | null
}

interface Known {
  readonly checked: CheckedRelease
  readonly newest: Newest
}

/** What a row came to: a problem, none, or that nobody looks at such rows. */
export type Verdict = ReleaseProblem | "verified" | "exempt" | "off"

/** Looks at rows. */
export interface ReleaseChecks {
  /** Whether a row may be served. One that was looked at is answered at once: the effect has succeeded. */
  readonly mayServe: (row: Pointer) => Effect.Effect<boolean>
  /** The same in a word, whatever is done about it. */
  readonly verdict: (row: Pointer) => Effect.Effect<Verdict>
}

const isOlder = (checked: CheckedRelease, { entry, epoch }: Newest): boolean =>
  checked.epoch < epoch || (checked.epoch === epoch && checked.entry < entry)

/** Previews and versions carry no statement: whoever looks at them is told so. */
const isExempt = ({ channel }: Pointer): boolean => channel !== "production"

const nothing: Newest = { epoch: 0, entry: -1, keyid: null, mayRestore: null }
const unchanging = Effect.succeed({})

const yes = Effect.succeed(true)
const no = Effect.succeed(false)

/** A map that forgets what was added first. */
class Bounded<V> {
  private readonly entries = new Map<string, V>()
  get(key: string): V | undefined {
    return this.entries.get(key)
  }
  set(key: string, value: V): void {
    this.entries.set(key, value)
    if (this.entries.size <= RouterLimits.releasesRemembered) return
    const [oldest] = this.entries.keys()
    if (oldest !== undefined) this.entries.delete(oldest)
  }
}

/** Says what is wrong with a row: once, however often it is read. What is still to be signed says nothing. */
const telling = (
  mode: ReleaseTrustShape["mode"],
  { provenanceRefusals }: Pick<MeterSet, "provenanceRefusals">,
  clock: Clock.Clock
) => {
  const told = new Bounded<true>()
  return (row: Pointer, problem: ReleaseProblem): Effect.Effect<void> => {
    const age = clock.currentTimeMillisUnsafe() - Date.parse(row.updatedAt)
    if (problem === "statement_unsigned" && age < Limits.signatureWaitMs) return Effect.void
    const place = `${row.projectId} ${row.channel} ${row.incarnation} ${row.bundleDigest} ${problem}`
    if (told.get(place) !== undefined) return Effect.void
    told.set(place, true)
    provenanceRefusals.add(problem)
    return Effect.logWarning(
      mode === "enforce" ? "a row is not served: it is not verified" : "a row is served that is not verified"
    ).pipe(
      Effect.annotateLogs({
        projectId: row.projectId,
        label: row.label,
        generation: row.generation,
        verdict: problem,
        reason: releaseProblems[problem]
      })
    )
  }
}

/** Without `ReleaseTrust` nothing is looked at. */
export const make = Effect.gen(function* () {
  const trust = yield* ReleaseTrust
  const tell = telling(trust.mode, yield* Meters, yield* Clock.Clock)
  let [state, rows]: [object | null, WeakMap<Pointer, Known>] = [null, new WeakMap()]
  const hosts = new Bounded<Newest>()

  const newestOf = ({ channel, projectId }: Pointer): Newest => {
    const key = `${projectId} ${channel}`
    const before = hosts.get(key)
    if (before !== undefined) return before
    const made = { ...nothing }
    hosts.set(key, made)
    return made
  }

  /** The order is looked at for each request: it hangs on what was served since. */
  const judged = (row: Pointer, { checked, newest }: Known): ReleaseProblem | null => {
    if (checked.problem !== null) return checked.problem
    if (isOlder(checked, newest)) return row.bundleDigest === newest.mayRestore ? null : "release_superseded"
    if (checked.epoch !== newest.epoch || checked.entry !== newest.entry) {
      newest.epoch = checked.epoch
      newest.entry = checked.entry
      newest.keyid = checked.keyid
      newest.mayRestore = checked.mayRestore
    }
    return null
  }

  /** What was served on a row's host. What a key had served there that was stolen before it signed that counts no longer. */
  const standing = Effect.fnUntraced(function* (row: Pointer) {
    const newest = newestOf(row)
    const key = newest.keyid === null ? null : yield* trust.keyOf(newest.keyid)
    if (key !== null && endedProblem(key, row.projectId, newest.entry) !== null) Object.assign(newest, nothing)
    return newest
  })

  const look = Effect.fnUntraced(function* (row: Pointer, of: WeakMap<Pointer, Known>) {
    const checked = yield* checkRelease(row, trust)
    const made: Known = { checked, newest: yield* standing(row) }
    // A key may only be on its way.
    if (checked.problem !== "key_unknown") of.set(row, made)
    return made
  })

  /** What was found out while a key counted is found anew when it does not: results are of one state of the keys. */
  const known = (row: Pointer): Effect.Effect<Known> =>
    Settled.flatMap(trust.state?.() ?? unchanging, (now) => {
      if (now !== state) [state, rows] = [now, new WeakMap()]
      const before = rows.get(row)
      return before === undefined ? look(row, rows) : Effect.succeed(before)
    })

  const mayServe = (row: Pointer): Effect.Effect<boolean> => {
    if (trust.mode === "off" || isExempt(row)) return yes
    return Settled.flatMap(known(row), (found) => {
      const problem = judged(row, found)
      if (problem === null) return yes
      return Effect.andThen(tell(row, problem), trust.mode === "enforce" ? no : yes)
    })
  }

  const verdict = (row: Pointer): Effect.Effect<Verdict> => {
    if (trust.mode === "off") return Effect.succeed("off")
    if (isExempt(row)) return Effect.succeed("exempt")
    return Effect.map(known(row), (found) => judged(row, found) ?? "verified")
  }

  return { mayServe, verdict } satisfies ReleaseChecks
})
