/** What the acts of the demo have in common: the verbs of the API, and the looks that check what they did. */
import type { ChangeSet } from "@pawl/core/model/ChangeSet"
import type { Evidence } from "@pawl/core/model/Evidence"
import type { Release } from "@pawl/core/model/Release"
import type { Promoted } from "@pawl/core/promotion/Promotions"
import { type DemoApi, Unexpected } from "./DemoApi.ts"
import type { ScriptedModel } from "./ScriptedModel.ts"
import type { Files } from "./Story.ts"
import type { Timeline } from "./Timeline.ts"
import type { CandidateJson, ChangeJson } from "../../api/RecordSchemas.ts"

/** What of an app the demo looks at. */
export interface App {
  readonly status: string
  readonly url: string
  readonly generation: number | null
}

/** A Candidate whose verification has ended, however it ended. */
export interface Verified {
  readonly candidate: CandidateJson
  readonly evidence: ReadonlyArray<Evidence>
}

/** What each act gets. */
export interface Demo {
  readonly api: DemoApi
  readonly timeline: Timeline
  /** The model that the server asks; null when that is the one that its options name. */
  readonly model: ScriptedModel | null
}

/** The Project of the demo and where it is live. */
export interface Shop {
  readonly projectId: string
  readonly url: string
}

/** Throws `Unexpected` with these words when the condition does not hold. */
export const need = (condition: boolean, problem: string): void => {
  if (!condition) throw new Unexpected(problem)
}

/** The longest pause between two questions: who asks too often is told to wait for up to a minute. */
const longestPauseMs = 500

/** Asks again until an answer fits, ever less often, as any client can. The bound is for a broken server. */
export const until = async <A>(
  read: () => Promise<A>,
  done: (value: A) => boolean,
  what: string,
  boundMs = 120_000
): Promise<A> => {
  const deadline = performance.now() + boundMs
  for (let tries = 1; ; tries++) {
    const value = await read()
    if (done(value)) return value
    if (performance.now() > deadline) throw new Unexpected(`${what} took more than ${boundMs / 60_000} minutes`)
    await new Promise((resolve) => setTimeout(resolve, Math.min(longestPauseMs, 25 * tries)))
  }
}

/** A line for each row of evidence: result, isolation, and the first line of its summary. */
export const proof = (evidence: ReadonlyArray<Evidence>): ReadonlyArray<string> =>
  evidence.map(
    (row) => `${row.checkId}: ${row.result} (${row.status}) in ${row.runner.isolation}: ${row.summary.split("\n")[0]}`
  )

/**
 * Opens a Change of one ChangeSet with these files. `name` makes the request its own, so that repeating it opens no
 * second one.
 */
export const openChange = async (
  { api }: Demo,
  projectId: string,
  name: string,
  goal: string,
  files: Files
): Promise<ChangeJson> => {
  const { change } = await api.post<{ change: ChangeJson }>(`/v1/projects/${projectId}/changes`, {
    clientRequestId: `demo-${name}`,
    goal,
    budget_usd: 1,
    startPlanning: false
  })
  await api.post<{ changeset: ChangeSet }>(`/v1/changes/${change.id}/changesets`, { message: goal, files })
  return change
}

/** Asks for a Candidate of all that the Change has. */
export const askFor = async ({ api }: Demo, change: ChangeJson): Promise<CandidateJson> =>
  (await api.post<{ candidate: CandidateJson }>(`/v1/changes/${change.id}/candidates`)).candidate

/** Asks for a Candidate of the Change, and waits for its verification. */
export const verify = async (demo: Demo, change: ChangeJson): Promise<Verified> =>
  verification(demo, (await askFor(demo, change)).id)

/** Waits for a Candidate's verification, and answers what it left. */
export const verification = async ({ api }: Demo, candidateId: string): Promise<Verified> => {
  const ended = await until(
    () => api.get<{ candidate: CandidateJson }>(`/v1/candidates/${candidateId}`),
    (answer) => !["composing", "verifying"].includes(answer.candidate.status),
    "the verification"
  )
  const { items } = await api.get<{ items: ReadonlyArray<Evidence> }>(`/v1/candidates/${candidateId}/evidence`)
  return { candidate: ended.candidate, evidence: items }
}

/** Promotes a Candidate; a refusal rejects with `Unexpected`. */
export const promote = ({ api }: Demo, candidate: CandidateJson): Promise<Promoted> =>
  api.post<Promoted>(`/v1/candidates/${candidate.id}/promote`)

/** Waits until a release is neither queued nor building, and answers it. */
export const released = async ({ api }: Demo, projectId: string, releaseId: string): Promise<Release> => {
  const found = await until(
    () => api.get<{ items: ReadonlyArray<Release> }>(`/v1/projects/${projectId}/releases`),
    ({ items }) =>
      items.some((release) => release.id === releaseId && !["queued", "building"].includes(release.status)),
    "the release"
  )
  return found.items.find((release) => release.id === releaseId)!
}

/** The text of a file of canonical. */
export const sourceFile = async ({ api }: Demo, projectId: string, path: string): Promise<string> => {
  const { canonical } = await api.get<{ canonical: { tree: string } }>(`/v1/projects/${projectId}`)
  const file = await api.get<{ text: string }>(
    `/v1/projects/${projectId}/code?tree=${canonical.tree}&path=${encodeURIComponent(path)}`
  )
  return file.text
}

/** A Candidate must have come out verified; the evidence says why when it did not. */
export const mustBeVerified = ({ candidate, evidence }: Verified): void =>
  need(
    candidate.status === "verified",
    `the Candidate is ${candidate.status}: ${candidate.reason}\n${proof(evidence).join("\n")}`
  )

/** Waits until a Change has ended, and answers how. */
export const endOf = async ({ api }: Demo, changeId: string): Promise<ChangeJson> => {
  const { change } = await until(
    () => api.get<{ change: ChangeJson }>(`/v1/changes/${changeId}`),
    (answer) => ["completed", "failed", "cancelled"].includes(answer.change.status),
    "the Change"
  )
  return change
}
