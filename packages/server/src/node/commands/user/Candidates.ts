/** Candidates as verbs name and show them. */
import { everyItem } from "./Pages.ts"
import { exitCodes, type ExitCode, misused, type Next, Refused } from "./Refused.ts"
import type { Answer } from "./Routes.ts"
import type { UserClient } from "./UserClient.ts"
import type { Outcome, Session } from "./Verb.ts"
import { until } from "./Waiting.ts"

/** A Candidate as JSON says it. */
export type Candidate = Answer<"candidates.get">["candidate"]
type Evidence = Answer<"candidates.evidence">["items"][number]

/** All Candidates of a Change, oldest first. */
export const candidatesOf = (client: UserClient, changeId: string): Promise<ReadonlyArray<Candidate>> =>
  everyItem((cursor) => client.ask("candidates.list", { id: changeId, query: { limit: 100, cursor } }))

/** A Candidate by its id, or the newest one of a Change. */
export const candidateNamed = async (client: UserClient, name: string): Promise<Candidate> => {
  if (name.startsWith("cand_")) return (await client.ask("candidates.get", { id: name })).candidate
  if (!name.startsWith("chg_")) throw misused(`"${name}" is neither a Change (chg_…) nor a Candidate (cand_…)`)
  const newest = (await candidatesOf(client, name)).at(-1)
  if (newest !== undefined) return newest
  throw new Refused("no_candidate", `${name} has no Candidate yet`, exitCodes.no, [
    { command: `pawl candidate create ${name}`, when: "it has a ChangeSet" }
  ])
}

/** Whether it is composed or checked now. */
export const isUnderWay = ({ status }: Candidate): boolean => ["composing", "composed", "verifying"].includes(status)

/** The exit code that its status asks for. */
export const exitCodeOf = (candidate: Candidate): ExitCode => {
  if (isUnderWay(candidate)) return exitCodes.stillRunning
  if (candidate.status === "stale") return exitCodes.stale
  return candidate.status === "verified" || candidate.status === "promoted" ? exitCodes.yes : exitCodes.no
}

/** The first characters of a tree or commit. */
export const short = (id: string | null | undefined): string => id?.slice(0, 7) ?? "-"

const seconds = ({ finishedAt, startedAt }: Evidence): string =>
  `${((Date.parse(finishedAt) - Date.parse(startedAt)) / 1000).toFixed(1)} s`

const checkLine = (each: Evidence): string =>
  `  ${each.checkId.padEnd(10)}  ${each.result}  ${seconds(each)}  ${each.runner.isolation}  ${each.summary.split("\n", 1)[0]}`.trimEnd()

const evidenceOf = (client: UserClient, id: string): Promise<ReadonlyArray<Evidence>> =>
  everyItem((cursor) => client.ask("candidates.evidence", { id, query: { limit: 100, cursor } }))

const nextOf = ({ changeId, id, on, plan_json: plan, status }: Candidate): ReadonlyArray<Next> => {
  const owes = status === "verified" && plan?.approvalRequired === true
  const approval = owes ? [{ command: `pawl approve ${changeId}`, when: "you may approve" }] : []
  // What was made on others is promoted when those are canonical: why says when.
  if (status === "verified" && on === undefined)
    return [...approval, { command: `pawl promote ${changeId}`, when: "nothing more is owed" }]
  if (status === "stale")
    return [{ command: `pawl candidate create ${changeId}`, when: "no new one was composed by itself" }]
  if (status === "promoted") return [{ command: "pawl open", when: "to look at it" }]
  return [...approval, { command: `pawl why ${id}`, when: "to see why" }]
}

/** A Candidate with its checks, told while they end, and the answer when all have. */
export const verification = async (
  { client, tell }: Pick<Session, "client" | "tell">,
  first: Candidate,
  deadline: number
): Promise<Outcome> => {
  tell(`Candidate ${first.id} on S${first.base_generation}`)
  const told = new Set<string>()
  const look = async (candidate: Candidate): Promise<ReadonlyArray<Evidence>> => {
    const evidence = await evidenceOf(client(), candidate.id)
    for (const each of evidence) if (!told.has(each.id)) tell(checkLine(each))
    for (const each of evidence) told.add(each.id)
    return evidence
  }
  const candidate = await until(deadline, `${first.id} is still checked`, async () => {
    const { candidate: now } = await client().ask("candidates.get", { id: first.id })
    await look(now)
    return isUnderWay(now) ? null : now
  })
  const evidence = await look(candidate)
  return candidateOutcome(candidate, evidence)
}

/** A Candidate as an answer. */
const candidateOutcome = (candidate: Candidate, evidence: ReadonlyArray<Evidence>): Outcome => {
  const { base_generation, id, on, plan_json: plan, reason, status, tree } = candidate
  const verified = status === "verified" || status === "promoted"
  return {
    json: { candidate, evidence },
    text: [
      `Candidate ${id} on S${base_generation}${plan === null ? "" : `, risk ${plan.riskTier}`}, tree ${short(tree)}`,
      ...(on === undefined ? [] : [`It and its preview hold unlanded work of ${on.join(", ")} too`]),
      ...evidence.map(checkLine),
      `verified: ${verified ? "yes" : isUnderWay(candidate) ? "not yet" : "no"} (${status})${reason === null ? "" : `: ${reason}`}`
    ].join("\n"),
    exitCode: exitCodeOf(candidate),
    next: nextOf(candidate)
  }
}

/** A Candidate with its checks as they are now. */
export const candidateNow = async (client: UserClient, candidate: Candidate): Promise<Outcome> =>
  candidateOutcome(candidate, await evidenceOf(client, candidate.id))
