/**
 * Shows on GitHub what an event is about, as it stands in Pawl now. No event's own words are mirrored: whichever comes
 * late or twice, what is read is the newest there is, and GitHub never goes back.
 */
import { statusesOf, unseen } from "./CommitStatuses.ts"
import { deploymentState } from "./DeploymentStates.ts"
import { type Deployment, type GitHubApi, gitHubApi } from "./GitHubApi.ts"
import { Later } from "./JsonClient.ts"
import { type Candidate, type PawlApi, pawlApi, type Release } from "./PawlApi.ts"
import type { Settings } from "./Settings.ts"

/** What the mirror looks at of an event. */
export interface PawlEvent {
  readonly id: string
  readonly source: string
  readonly type: string
  readonly subject: string
  readonly data: Readonly<Record<string, unknown>>
}

/** What was done, for the log. */
export interface Mirrored {
  readonly statuses: number
  readonly deployments: number
  /** Why there was nothing to show it on. */
  readonly skipped?: string
}

const nothing = (skipped: string): Mirrored => ({ statuses: 0, deployments: 0, skipped })

/** The pull request that a Change was opened for, by the id that its opener gave it: `github:pull/12`. */
export const pullOf = (clientRequestId: string): number | null => {
  const found = /^github:pull\/([1-9][0-9]{0,9})(?:$|[^0-9])/.exec(clientRequestId)
  return found === null ? null : Number(found[1])
}

interface Both {
  readonly settings: Settings
  readonly pawl: PawlApi
  readonly github: GitHubApi
}

/** The head of a Change's pull request, and whether its files are among those that a Candidate was composed of. */
const headOf = async ({ github, pawl }: Both, pull: number, candidate: Candidate) => {
  const head = await github.head(pull)
  if (head === null) return null
  if (head.tree === candidate.tree) return { ...head, pull, isSeen: true }
  for (const id of candidate.changeSets.toReversed())
    if ((await pawl.treeOf(id)) === head.tree) return { ...head, pull, isSeen: true }
  return { ...head, pull, isSeen: false }
}

const mirrorChange = async (both: Both, changeId: string): Promise<Mirrored> => {
  const { github, pawl, settings } = both
  const candidate = await pawl.newestCandidate(changeId)
  if (candidate === null) return nothing(`${changeId} has no Candidate`)
  const change = await pawl.change(changeId)
  const pull = pullOf(change?.clientRequestId ?? "")
  if (change === null || pull === null) return nothing(`${changeId} names no pull request`)
  const newest = await pawl.newestChange(change.projectId, (each) => pullOf(each.clientRequestId) === pull)
  if (newest?.id !== changeId) return nothing(`a newer Change is of pull request ${pull}`)
  const head = await headOf(both, pull, candidate)
  if (head === null) return nothing(`pull request ${pull} is not there`)
  const shown = { context: settings.github.context, target: `${settings.pawl.consoleUrl}/changes/${changeId}` }
  const why = head.isSeen ? await pawl.why(candidate.id) : null
  const wanted = why === null ? [unseen(shown)] : statusesOf(candidate, why, shown)
  return { statuses: await github.setStatuses(head.sha, wanted), deployments: 0 }
}

/** The ref of a generation: its own commit, where GitHub has it; an earlier one of the same tree; or the pull request. */
const refOf = async (both: Both, release: Release, earlier: ReadonlyArray<Deployment>) => {
  if (await both.github.hasCommit(release.commit)) return { ref: release.commit, sha: release.commit }
  const same = earlier.find(({ origin }) => origin?.tree === release.tree)
  if (same !== undefined) return { ref: same.sha, sha: same.sha }
  const candidate = await both.pawl.candidate(release.candidateId)
  const pull = pullOf((await both.pawl.change(release.changeId))?.clientRequestId ?? "")
  const head = candidate === null || pull === null ? null : await headOf(both, pull, candidate)
  // A commit would not do: GitHub shows a deployment at a pull request only when it is of that ref.
  return head === null || !head.isSeen ? null : { ref: `refs/pull/${head.pull}/head`, sha: head.sha }
}

const deploy = async (both: Both, projectId: string, release: Release, earlier: ReadonlyArray<Deployment>) => {
  const where = await refOf(both, release, earlier)
  if (where === null) return null
  const { generation, tree } = release
  const made = await both.github.deploy(where.ref, { projectId, generation, tree, commit: where.sha })
  if (made === null || made.sha === where.sha) return made
  await both.github.setState(
    made,
    { state: "inactive", description: "its ref moved meanwhile", environment_url: "" },
    ""
  )
  throw new Later(`${where.ref} moved while S${generation} was deployed`)
}

/** Makes the deployment of a generation, if it has none, and has each one of the environment say what is so now. */
const mirrorReleases = async (both: Both, projectId: string, generation: number | null): Promise<Mirrored> => {
  const { github, pawl, settings } = both
  const app = await pawl.app(projectId)
  if (app === null) return nothing(`${projectId} is not for this token`)
  const known = (await github.deployments()).filter(({ origin }) => origin?.projectId === projectId)
  const isKnown = known.some(({ origin }) => origin?.generation === generation)
  const release = generation === null || isKnown ? null : await pawl.release(projectId, generation)
  const made = release === null ? null : await deploy(both, projectId, release, known)
  const label = await pawl.label(projectId)
  let deployments = 0
  for (const deployment of made === null ? known : [made, ...known]) {
    const now = await pawl.release(projectId, deployment.origin?.generation ?? 0)
    if (now === null) continue
    const logUrl = `${settings.pawl.consoleUrl}/p/${label}/generations/${now.generation}`
    if (await github.setState(deployment, deploymentState(now, app), logUrl)) deployments++
  }
  const isNowhere = release !== null && made === null
  return {
    statuses: 0,
    deployments,
    ...(isNowhere ? { skipped: `GitHub has no commit of the files of S${generation}` } : {})
  }
}

const textIn = (data: PawlEvent["data"], name: string): string | null => {
  const value = data[name]
  return typeof value === "string" ? value : null
}

const changeOf = async ({ data, subject }: PawlEvent, pawl: PawlApi): Promise<string | null> => {
  if (subject.startsWith("chg_")) return subject
  const changeId = textIn(data, "changeId")
  if (changeId !== null) return changeId
  const candidateId = textIn(data, "candidateId")
  return candidateId === null ? null : ((await pawl.candidate(candidateId))?.changeId ?? null)
}

/** Types after which an app may serve something else. */
const ofApps = /^(build|deployment|release)\.|^app\.removed$|^change\.(completed|failed)$|^canonical\.advanced$/

/** Mirrors what one event is about. Throws `Later` for what can be done later. */
export const mirror = async (settings: Settings, event: PawlEvent, signal: AbortSignal): Promise<Mirrored> => {
  const both = { settings, pawl: pawlApi(settings, signal), github: gitHubApi(settings, signal) }
  const changeId = await changeOf(event, both.pawl)
  const shown = changeId === null ? nothing("it is about no Change") : await mirrorChange(both, changeId)
  if (!ofApps.test(event.type)) return shown
  const { generation } = event.data
  const projectId = event.source.replace(/^\/projects\//, "")
  const released = await mirrorReleases(both, projectId, typeof generation === "number" ? generation : null)
  return { ...released, statuses: shown.statuses }
}
