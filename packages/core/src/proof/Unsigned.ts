/**
 * Statements that nobody has signed. One that stands before a signed one, or below what the log's key or the signer's own
 * memory covers, has lost its signature. Those at the end wait for theirs: for a minute that is nobody's fault.
 */
import { Limits } from "../primitives/Limits.ts"
import type { Opened } from "./Envelopes.ts"
import type { Findings } from "./Findings.ts"
import type { Trust } from "./Material.ts"

interface Waiting {
  readonly entry: number
  readonly where: string
  readonly at: string
}

/** Those at the end of a chain, as far as it was read. */
export interface Unsigned {
  /** Takes an entry that has no signature, and answers true; one that has tells that those before it had theirs. */
  readonly holds: (envelope: Opened, entry: number, where: string) => boolean
  readonly count: () => number
  /** The chain has ended: `covered` entries are known to have been signed. */
  readonly settle: (covered: number) => void
}

const waitingMs = 2 * Limits.signatureWaitMs
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Whether a statement of this instant may wait. A pack tells itself when it was made: one that says of more than that moment excuses nothing. */
const mayWait = (at: string, { waiting }: Pick<Trust, "waiting">): boolean =>
  waiting !== undefined &&
  instant.test(waiting.from) &&
  instant.test(waiting.to) &&
  Date.parse(waiting.to) - Date.parse(waiting.from) <= waitingMs &&
  waiting.from <= at &&
  at <= waiting.to

/** None so far. */
export const emptyUnsigned = (findings: Findings, trust: Pick<Trust, "waiting">): Unsigned => {
  let held: Array<Waiting> = []
  let count = 0
  const lost = ({ where }: Waiting) => findings.say(where, "signature_missing", "nobody signed it")
  return {
    count: () => count,
    holds: ({ faults, signature, statement }, entry, where) => {
      if (faults.some(({ code }) => code === "signature_missing")) {
        if (held.length < Limits.findingsKept) held.push({ entry, where, at: statement?.predicate.at ?? "" })
        count++
        return true
      }
      if (signature === null) return false
      held.forEach(lost)
      held = []
      return false
    },
    settle: (covered) => {
      for (const each of held) {
        const { at, entry, where } = each
        if (entry < covered) lost(each)
        else if (mayWait(at, trust)) findings.note(where, "statement_unsigned", `of ${at}: it waits for its signature`)
        else findings.say(where, "statement_unsigned", `of ${at}: its signer is away, or it is not the server's`)
      }
    }
  }
}
