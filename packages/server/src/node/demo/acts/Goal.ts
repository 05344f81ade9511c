/** A goal is planned, worked and goes live by itself. */
import type { Release } from "@pawl/core/model/Release"
import type { CandidateJson, ChangeJson } from "../../../api/RecordSchemas.ts"
import { type Demo, need, promote, released, type Shop, until } from "../Steps.ts"
import * as Teams from "../Teams.ts"

/** A Task as the demo tells it. */
interface TaskRow {
  readonly key: string
  readonly title: string
  readonly status: string
  readonly reason: string | null
}

/** How long a model of a provider may take for a whole goal, in milliseconds. */
const goalMs = 20 * 60_000

/** Opens a Change that is planned by itself. */
export const openGoal = async ({ api }: Demo, shop: Shop, goal: string, budgetUsd: number): Promise<ChangeJson> => {
  const body = { clientRequestId: `demo-${goal}`, goal, budget_usd: budgetUsd, startPlanning: true }
  return (await api.post<{ change: ChangeJson }>(`/v1/projects/${shop.projectId}/changes`, body)).change
}

const tasksOf = async ({ api }: Demo, changeId: string): Promise<ReadonlyArray<TaskRow>> =>
  (await api.get<{ items: ReadonlyArray<TaskRow> }>(`/v1/changes/${changeId}/tasks`)).items

const wordsOf = ({ key, reason, status, title }: TaskRow): string =>
  `${key}: ${status} (${title})${status === "completed" || reason === null ? "" : `: ${reason}`}`

/** The Tasks of a Change, a line for each. */
export const taskLines = async (demo: Demo, changeId: string): Promise<ReadonlyArray<string>> =>
  (await tasksOf(demo, changeId)).map(wordsOf)

/** Whether nobody works any more, and not all is done: a person would be asked now. */
const isStuck = (tasks: ReadonlyArray<TaskRow>): boolean =>
  tasks.every(({ status }) => ["completed", "failed", "blocked", "cancelled"].includes(status)) &&
  tasks.some(({ status }) => status === "failed" || status === "blocked")

const stands = ({ status }: CandidateJson): boolean => status === "verified" || status === "promoted"

/**
 * Waits until a Change has a Candidate that is verified, or that its Policy has promoted since. One that cannot get there
 * is told with its reason.
 */
export const verifiedCandidate = async (demo: Demo, changeId: string, boundMs?: number): Promise<CandidateJson> => {
  const { api } = demo
  const path = `/v1/changes/${changeId}`
  const seen = await until(
    async () => ({
      change: (await api.get<{ change: ChangeJson }>(path)).change,
      tasks: await tasksOf(demo, changeId),
      candidates: (await api.get<{ items: ReadonlyArray<CandidateJson> }>(`${path}/candidates`)).items
    }),
    ({ candidates, change, tasks }) =>
      candidates.some(stands) || change.status === "failed" || change.reason !== null || isStuck(tasks),
    "the work of the agents",
    boundMs
  )
  const verified = seen.candidates.find(stands)
  const lines = seen.tasks.map(wordsOf).join("\n")
  need(verified !== undefined, `the Change is ${seen.change.status}: ${seen.change.reason}\n${lines}`)
  return verified!
}

/** The release of a Candidate that was promoted. */
const releaseOf = async ({ api }: Demo, shop: Shop, { id }: CandidateJson): Promise<string> => {
  const { items } = await api.get<{ items: ReadonlyArray<Release> }>(`/v1/projects/${shop.projectId}/releases`)
  const release = items.find(({ candidateId }) => candidateId === id)
  need(release !== undefined, `${id} is promoted and has no release`)
  return release!.id
}

/** What a person does for a Candidate that is verified: approves it where that is owed, and promotes it. */
const promoteByHand = async (demo: Demo, candidate: CandidateJson) => {
  if (candidate.plan_json?.approvalRequired === true)
    await demo.api.post(`/v1/changes/${candidate.changeId}/approve`, { candidateId: candidate.id, decision: "granted" })
  const { outcome, releaseId } = await promote(demo, candidate)
  // Its Policy may have been faster.
  return { releaseId: releaseId!, byHand: outcome === "promoted" }
}

/** Takes a Candidate live, unless its Policy has, waits for its release, and tells who promoted it. */
export const goLive = async (demo: Demo, shop: Shop, candidate: CandidateJson): Promise<string> => {
  const { byHand, releaseId } =
    candidate.status === "promoted"
      ? { byHand: false, releaseId: await releaseOf(demo, shop, candidate) }
      : await promoteByHand(demo, candidate)
  const release = await released(demo, shop.projectId, releaseId)
  need(release.status === "deployed", `the release is ${release.status}: ${release.reason}`)
  return byHand
    ? "a person promoted it"
    : `the Policy promoted it by itself: its risk is ${candidate.plan_json?.riskTier}`
}

/** What a Change has cost, in words. */
export const costOf = async ({ api }: Demo, changeId: string): Promise<string> => {
  const { change } = await api.get<{ change: ChangeJson }>(`/v1/changes/${changeId}`)
  const { items } = await api.get<{ items: ReadonlyArray<unknown> }>(`/v1/changes/${changeId}/model-calls`)
  return `${items.length} calls of the model, $${change.spent_usd.toFixed(4)} of $${change.budget_usd}`
}

/** Act 9: one sentence becomes Tasks, ChangeSets, a Candidate and a page. */
export const goal = async (demo: Demo, shop: Shop) => {
  const { api, model, timeline } = demo
  const scripted = model !== null
  timeline.title(`9. A goal goes live by itself${scripted ? " (a scripted model, over real HTTP)" : ""}`)
  model?.follow(Teams.about)
  const change = await timeline.step(
    "one sentence opens a Change",
    () => openGoal(demo, shop, "Add a page /about that says who we are, with a picture", 5),
    ({ budget_usd: budget, goal: words, id }) => [id, `"${words}", for at most $${budget}`]
  )
  const candidate = await timeline.step(
    "it is planned, each Task is worked by an agent of its own, and the Candidate composes itself and is verified",
    () => verifiedCandidate(demo, change.id, scripted ? undefined : goalMs),
    ({ changeSets, id }) => [`${id} of ${changeSets.length} ChangeSets`]
  )
  await timeline.step(
    "what the agents did, and what it cost",
    async () => [...(await taskLines(demo, change.id)), await costOf(demo, change.id)],
    (lines) => lines
  )
  await timeline.step(
    "it is promoted as any other, and live",
    async () => {
      const how = await goLive(demo, shop, candidate)
      const page = await api.page(`${shop.url}about`)
      need(!scripted || page.status === 200, `${shop.url}about answered ${page.status}`)
      return how
    },
    (how) => [how, `${shop.url}about`]
  )
}
