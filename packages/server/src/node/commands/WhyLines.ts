/** Why a Candidate is where it is, as lines for a person. Only types are imported: a verb that prints them starts at once. */
import type { HistoryItem } from "@pawl/core/ledger/History"
import type { WhyAnswer } from "../../api/groups/CandidatesApi.ts"

/** As JSON says it: what the client decoded is of this type too. */
type Why = (typeof WhyAnswer)["Encoded"]

const indented = (text: string): ReadonlyArray<string> =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => `      | ${line}`)

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [`${title}:`, ...lines]

const reasoned = (status: string, reason: string | null): string => (reason === null ? status : `${status} (${reason})`)

const checkLines = (checks: Why["checks"]): ReadonlyArray<string> =>
  checks.flatMap(({ checkId, output, required, summary, verdict }) => [
    `  ${verdict.padEnd(4)}  ${checkId}${required ? "" : " (not required)"}  ${summary.split("\n", 1)[0]}`,
    ...(output === null ? [] : indented(output))
  ])

const approvalLines = ({ decision, decisions, missing, owed, required }: Why["approval"]): ReadonlyArray<string> => [
  ...decisions.map(({ approver, counts, decidedAt, decision: said, derivedFrom }) => {
    const carried = derivedFrom === undefined ? "" : ` (carried over from ${derivedFrom})`
    return `  ${said} by ${approver} at ${decidedAt}${carried}${counts ? "" : " (does not count)"}`
  }),
  ...(owed && decision === null ? [required === 1 ? "  owed" : `  ${missing} of ${required} owed`] : [])
]

const waitWords = (wait: NonNullable<Why["lane"]>["waits"]): string => {
  if (wait === null) return ""
  const { changeId, deadLetter, for: what, reason, until } = wait
  return ["  waits for", what, changeId, deadLetter?.id, until, reason].filter((each) => each !== undefined).join(" ")
}

const minutes = (ms: number): string => `${(ms / 60_000).toFixed(1)} min`

const laneLines = (lane: NonNullable<Why["lane"]>): ReadonlyArray<string> => [
  `  ${lane.position}  ${lane.state}${lane.predictedGeneration === null ? "" : `  S${lane.predictedGeneration}`}${waitWords(lane.waits)}`,
  ...lane.before.map(
    ({ changeId, state, title, waits }) => `  before it  ${changeId}  ${state}  ${title}${waitWords(waits)}`
  ),
  ...(lane.expected === null
    ? []
    : [`  lands in ${minutes(lane.expected.medianMs)}, 19 of 20 in ${minutes(lane.expected.p95Ms)}`]),
  ...lane.predictions.map(
    ({ candidateId, fell, generation, reason }) =>
      `  was S${generation} as ${candidateId}: ${reason.split("\n", 1)[0]}${fell === undefined ? "" : ` (${fell.changeId} «${fell.title}» ${fell.reason})`}`
  )
]

const doubtLines = (doubt: Why["doubt"]): ReadonlyArray<string> => {
  if (doubt === null) return []
  const since = doubt.of === "signer" ? `  since ${doubt.since}` : ""
  const older = doubt.of === "router" && doubt.older === true ? "  (it is older than statements: deploy it again)" : ""
  return [`  ${doubt.of}  ${doubt.problem}${since}${doubt.holdsBack ? "  (held back)" : ""}${older}`]
}

/** The answer as lines for a person. */
export const whyLines = (why: Why): ReadonlyArray<string> => [
  `${why.candidate.id}: ${reasoned(why.candidate.status, why.candidate.reason)}`,
  `${why.change.id}: ${reasoned(why.change.status, why.change.reason)}`,
  ...section(
    "Blocks",
    why.blocks.map(({ code, detail }) => `  ${code}  ${detail}`)
  ),
  ...section(
    "Tried again",
    why.waits.map(({ again, checkId, reason }) => `  ${checkId ?? "all of it"}  ${again}  ${reason.split("\n", 1)[0]}`)
  ),
  ...section("Checks", checkLines(why.checks)),
  ...section("Approval", approvalLines(why.approval)),
  ...section(
    "Conflicts",
    why.conflicts.map((path) => `  ${path}`)
  ),
  ...section(
    "Also written by others",
    why.overlaps.map(({ changeId, path, symbol }) => `  ${[path, symbol].filter(Boolean).join(" ")}  ${changeId}`)
  ),
  ...section("Review", why.review === null ? [] : [`  ${reasoned(why.review.verdict, why.review.text)}`]),
  ...section(
    "Tasks in the way",
    why.tasks.map(({ key, reason, status }) => `  ${key}  ${reasoned(status, reason)}`)
  ),
  ...section("Nobody vouches for it", doubtLines(why.doubt)),
  ...section("Lane", why.lane === null ? [] : laneLines(why.lane)),
  ...section(
    "Dead letters",
    why.deadLetters.map(({ id, problem }) => `  ${id}  ${problem ?? ""}`.trimEnd())
  )
]

/** The Change's history, as far as it was read and it is about the Change or this Candidate. */
export const historyLines = (items: ReadonlyArray<HistoryItem>, why: Why): ReadonlyArray<string> =>
  section(
    "History",
    items
      .filter(({ id }) => id === why.change.id || id === why.candidate.id)
      .map(
        ({ actor, at, from, kind, reason, to }) =>
          `  ${at}  ${kind} ${from === null ? "" : `${from} -> `}${reasoned(to, reason)}, by ${actor.id}`
      )
  )
