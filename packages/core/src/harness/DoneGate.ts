/**
 * Whether an agent may end its work: the checks run on its files, and what fails now and did not fail before is its to
 * mend. What cannot be told stands in nobody's way: the Candidate's own checks decide.
 */
import { Effect } from "effect"
import { Limits } from "../primitives/Limits.ts"
import type { Overlay } from "../agent/Overlay.ts"
import { checksHere, filesOf, type Shown, shownBy } from "./TreeChecks.ts"
import type { Workplace } from "./Workplace.ts"
import { textOf } from "../primitives/Utf8.ts"

/** The end of what a check said. */
const tail = (output: Uint8Array): string => textOf(output.subarray(-Limits.whyOutputBytes)).trim()

/** A check and what it shows, in words for a model. */
const told = ({ check, finding }: Shown): string => {
  if (finding.result === "pass") return `${check.id}: passes`
  if (finding.result === "gap") return `${check.id}: could not be run: ${finding.summary}`
  return `${check.id}: fails${check.required ? "" : " (advice only)"}\n${tail(finding.output) || finding.summary}`
}

/** What the checks show of the files as they are, in words. */
export const checked = Effect.fnUntraced(function* (place: Workplace, overlay: Overlay, name: string) {
  const judges = yield* checksHere(place, overlay)
  if (judges._tag === "Broken") return judges.reason
  const shown = yield* shownBy(place, judges.checks, name, filesOf(place.source, overlay))
  return shown.length === 0 ? "This Project has no checks." : shown.map(told).join("\n\n")
})

const fails = ({ finding }: Shown): boolean => finding.result === "fail"

/** The check that a failing one is in the source that the run began with. */
const before = ({ check }: Shown): string => check.base?.check ?? check.id

/** What newly fails, of what is required; pure. `failing` are ids of checks that failed before the run. */
const newlyFailing = (shown: ReadonlyArray<Shown>, failing: ReadonlySet<string>): ReadonlyArray<Shown> =>
  shown.filter((each) => fails(each) && each.check.required && !failing.has(before(each)))

/** Of some checks that fail, those that failed before: each is run on the source as it was, once in a run. */
const failingBefore = Effect.fnUntraced(function* (place: Workplace, failing: ReadonlyArray<Shown>, name: string) {
  const { failedBefore, source, untouched } = place
  const wanted = new Set(failing.map(before).filter((id) => !failedBefore.has(id)))
  const judges = yield* checksHere(place, untouched)
  const checks = judges._tag === "Broken" ? [] : judges.checks.filter(({ id }) => wanted.has(id))
  const shown = yield* shownBy(place, checks, `${name}-before`, source)
  for (const each of shown) failedBefore.set(each.check.id, fails(each))
  return new Set([...failedBefore].flatMap(([id, failed]) => (failed ? [id] : [])))
})

/** Why the work cannot end yet, in words for the model; null when it can. */
export const refusal = Effect.fnUntraced(function* (place: Workplace, overlay: Overlay, name: string) {
  const judges = yield* checksHere(place, overlay)
  if (judges._tag === "Broken") return judges.reason
  const shown = yield* shownBy(place, judges.checks, name, filesOf(place.source, overlay))
  const suspects = newlyFailing(shown, new Set())
  if (suspects.length === 0) return null
  const left = newlyFailing(shown, yield* failingBefore(place, suspects, name))
  if (left.length === 0) return null
  return `Your work is not done: this fails now and did not fail before.\n\n${left.map(told).join("\n\n")}`
})
