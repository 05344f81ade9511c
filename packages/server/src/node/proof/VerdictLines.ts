/** What a verification says, as lines for people. */
import type { Finding, FindingCode } from "@pawl/core/proof/Findings"
import type { Heads } from "@pawl/core/proof/Material"
import type { ToldStatement, Verdict } from "@pawl/core/proof/Proofs"
import type { Subject } from "./Subjects.ts"

/** A verdict with the Project that it is of. */
export interface Told {
  readonly project: string
  readonly verdict: Verdict
  /** The findings that count: all, or those that touch the generation that was asked for. */
  readonly findings: ReadonlyArray<Finding>
  /** What else there is to say, a line each. */
  readonly remarks: ReadonlyArray<string>
  /** The newest statement is older than it may be. */
  readonly isOld: boolean
}

/** Those of one code at once: the first, and how many more there are. */
export const folded = (word: string, findings: ReadonlyArray<Omit<Finding, "code"> & { readonly code: string }>) => {
  const counts = new Map<string, number>()
  for (const { code } of findings) counts.set(code, (counts.get(code) ?? 0) + 1)
  return findings.flatMap(({ code, where, words }) => {
    const count = counts.get(code)
    if (count === undefined) return []
    counts.delete(code)
    const more = count === 1 ? "" : `  (${count - 1} more like it)`
    return [`${word} ${where}  ${code}  ${words}${more}`]
  })
}

/** The lines of one Project: how it is, then each finding, each note, and what else there is to say. */
export const linesOf = ({ findings, project, remarks, verdict }: Told): ReadonlyArray<string> => {
  const { approvers, checkpoint, generation, keys, more, notes, seen, statements } = verdict
  const counts = [
    generation === null ? "no generation" : `S0–S${generation}`,
    `${statements} statements`,
    `${keys} keys`,
    `${approvers} passkeys`,
    `${checkpoint === null ? "no checkpoint" : `checkpoint ${checkpoint}`}${seen === null ? "" : ` (consistent with the one seen at ${seen})`}`
  ]
  return [
    `${findings.length === 0 ? "ok  " : "    "} ${project}  ${counts.join("  ")}`,
    ...folded("FAIL", findings),
    ...(more === 0 ? [] : [`     and ${more} more`]),
    ...folded("note", notes),
    ...remarks.map((remark) => `     ${remark}`)
  ]
}

/** Whether the signer's own memory of a log is there. */
const hasHead = (heads: Heads | null, origin: string): boolean =>
  Object.keys(heads ?? {}).some((name) => name === origin || name.startsWith(`${origin}/`))

/** Which parts of a Project were not there to be looked at. */
export const levels = (
  { material, origin }: Pick<Subject, "material" | "origin">,
  quick: boolean
): ReadonlyArray<string> => {
  if (quick) return ["links, the last signature of each key and the checkpoint alone"]
  const { heads, live, object, record, someObjects = false, source } = material
  const noFiles = live.length > 0 && live.every(({ assets }) => Object.keys(assets).length === 0)
  const missing = [
    ...(record === null ? ["records"] : []),
    ...(object === null || someObjects ? ["objects"] : []),
    ...(source === null ? ["the repository"] : []),
    ...(live.length === 0 ? ["what is live"] : []),
    ...(noFiles ? ["files as a host serves them"] : []),
    ...(hasHead(heads, origin) ? [] : ["what the signer remembers (heads)"])
  ]
  return missing.length === 0 ? [] : [`not looked at, for it is not here: ${missing.join(", ")}`]
}

const at = ({ entry, keyid }: ToldStatement): string => `entry ${entry}, ${keyid === null ? "unsigned" : `by ${keyid}`}`

const promoted = (told: ToldStatement): ReadonlyArray<string> => {
  if (told.statement.kind !== "promotion") return []
  const { predicate: facts, subject } = told.statement
  const digest = subject[0]?.digest
  const source = digest !== undefined && "gitTree" in digest ? digest : undefined
  const { actor, adopted, approvals, candidate, checks, made, madeOf, policy, rollbackTo } = facts
  return [
    `S${facts.generation}  commit ${source?.gitCommit}  tree ${source?.gitTree}`,
    `  promoted ${adopted?.promotedAt ?? facts.at} by ${actor.type} ${actor.id} (${facts.trigger}), Policy ${policy.version}  ${at(told)}`,
    ...(adopted === undefined ? [] : [`  stated later, at ${facts.at}: it is older than statements`]),
    ...(rollbackTo === undefined ? [] : [`  goes back to S${rollbackTo}`]),
    ...(candidate === null
      ? []
      : [`  Candidate ${candidate.id} of Change ${candidate.change}, risk ${candidate.risk}`]),
    ...made.map(
      ({ author, changeSet }) =>
        `  made by ${author.type} ${author.id}${author.for === undefined ? "" : ` for ${author.for}`}${author.model === undefined ? "" : ` (${author.model})`}: ChangeSet ${changeSet}`
    ),
    ...(madeOf === undefined ? [] : [`  made of ${madeOf.count} ChangeSets: record made ${candidate?.id}`]),
    ...checks.map(
      ({ attempt, check, required, result, retryOf, waived }) =>
        `  check ${check}: ${result}${retryOf === undefined ? "" : ` at try ${attempt}, after ${retryOf.id} failed`}${required ? "" : ", not required"}${waived === undefined ? "" : `, waived until ${waived.until}`}`
    ),
    ...approvals.map(({ approver, id }) => `  approved by ${approver}: ${id}`)
  ]
}

const released = (told: ToldStatement): ReadonlyArray<string> => {
  const { statement } = told
  if (statement.kind === "outcome")
    return [`  ${statement.predicate.outcome} on ${statement.predicate.channel} ${statement.predicate.at}  ${at(told)}`]
  if (statement.kind !== "release") return []
  const { channel, derivedFrom, incarnation } = statement.predicate
  const digest = statement.subject[0]?.digest
  const bundle = digest !== undefined && "sha256" in digest ? digest.sha256 : "none"
  const from = derivedFrom === undefined ? "" : `, derived from S${derivedFrom.generation}`
  return [`  released to ${channel}, incarnation ${incarnation}: bundle ${bundle}${from}  ${at(told)}`]
}

/** What a generation is, by all that was stated of it. */
export const generationLines = (told: ReadonlyArray<ToldStatement>): ReadonlyArray<string> => [
  ...told.flatMap(promoted),
  ...told.flatMap(released)
]

/** What is missing in a chain, or stands elsewhere in it, is so for all that follows. */
const ofTheChain: ReadonlySet<string> = new Set<FindingCode>(["chain_gap", "chain_broken", "history_lost"])

/**
 * The findings that touch a generation: of its own statements, of what stands before them and is of no other generation
 * (Policies, what was adopted or restored), of the chain up to them, and of keys and log, on which all stand. Where there
 * were more than are kept, all of them: nobody knows what the others are.
 */
export const findingsOf = ({ findings, more, told }: Verdict, generation: number): ReadonlyArray<Finding> => {
  if (more > 0) return findings
  const end = told.at(-1)?.entry ?? Number.POSITIVE_INFINITY
  return findings.filter(({ code, where }) => {
    const [isEntry, entry, of] = /^entry (\d+)(?: \(S(\d+)\))?$/.exec(where) ?? []
    if (isEntry === undefined) return !/^(live|main)\b/.test(where)
    if (Number(of) === generation) return true
    return Number(entry) <= end && (of === undefined || ofTheChain.has(code))
  })
}
