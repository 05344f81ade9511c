/**
 * When a row of evidence counts again for another Candidate. The gate's rows, an audit and an offline verification ask
 * the same question of the same fields.
 */
import { Limits } from "../primitives/Limits.ts"

/** What of a row is asked. An audit has it from the ledger, a verification from a record that it was given. */
export interface ReuseRow {
  readonly subject: { readonly candidateId?: string }
  readonly checkId: string
  readonly status: string
  readonly result: string
  readonly tree: string
  readonly outputDigest: string | null
  readonly startedAt?: string
  readonly finishedAt?: string
  readonly runner?: { readonly guarantees: ReadonlyArray<string> }
  readonly checkDigest?: string
  readonly runnerDigest?: string
  readonly inputsDigest?: string
  readonly bundleDigest?: string
  readonly reuses?: string
  readonly retryOf?: string
  readonly waived?: unknown
}

/** Without these, what a check says may come from elsewhere: from the network, or from the machine's own settings. */
export const closedBy: ReadonlyArray<string> = ["network-denied", "clean-environment"]

const isClosed = ({ runner }: ReuseRow): boolean =>
  closedBy.every((guarantee) => runner?.guarantees.includes(guarantee) === true)

const millis = (at: string | undefined): number => (at === undefined ? Number.NaN : Date.parse(at))

const isYoung = (row: ReuseRow, earlier: ReuseRow): boolean => {
  const ageMs = millis(row.startedAt) - millis(earlier.finishedAt)
  return ageMs >= 0 && ageMs <= Limits.evidenceReuseMs
}

const isSame = (one: string | undefined, other: string | undefined): boolean => one !== undefined && one === other

/** Whether both saw the same files: the same tree, or, where plans let that count, the same declared inputs. */
const sawTheSame = (row: ReuseRow, earlier: ReuseRow, reuse: string): boolean =>
  row.tree === earlier.tree || (reuse === "inputs" && isSame(row.inputsDigest, earlier.inputsDigest))

/**
 * Why a row may not repeat an earlier one; null when it may. `reuse` is what its plan says. That the earlier one's output
 * is kept, and that the check never failed on this tree, others ask.
 */
export const reuseProblem = (row: ReuseRow, earlier: ReuseRow, reuse: string | undefined): string | null => {
  if (reuse === undefined) return "its plan lets no evidence of before count"
  if (earlier.subject.candidateId === undefined) return "it is of no Candidate"
  if (earlier.checkId !== row.checkId || !isSame(row.checkDigest, earlier.checkDigest)) return "it is of another check"
  if (!isSame(row.runnerDigest, earlier.runnerDigest)) return "something else ran it"
  if (!sawTheSame(row, earlier, reuse)) return "it is of other files"
  if (earlier.reuses !== undefined) return "it repeats another one itself"
  if (earlier.retryOf !== undefined) return "it failed before"
  if (earlier.waived !== undefined) return "it was waived"
  const passes = [row, earlier].every(({ result, status }) => result === "pass" && status === "checked_supported")
  if (!passes) return "it is no pass"
  // A build runs nothing of the source but its command, in a sandbox that its runner's digest names.
  if ((row.bundleDigest === undefined) !== (earlier.bundleDigest === undefined)) return "only one of them is a build"
  if (row.bundleDigest === undefined && !isClosed(earlier)) return "its sandbox was not closed"
  if (earlier.outputDigest === null || row.outputDigest !== earlier.outputDigest) return "it has another output"
  return isYoung(row, earlier) ? null : "it is too old"
}
