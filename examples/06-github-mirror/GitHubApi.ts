/** What the mirror asks of GitHub's REST API. It reads before it writes, so that the same message twice writes once. */
import type { CommitStatus } from "./CommitStatuses.ts"
import type { DeploymentState } from "./DeploymentStates.ts"
import { jsonClient } from "./JsonClient.ts"
import type { Settings } from "./Settings.ts"

/** What a deployment is of; it stands in its `payload`. */
export interface Origin {
  readonly projectId: string
  readonly generation: number
  readonly tree: string
  /** The commit of GitHub that has its files. One whose ref had moved before it was made is of another, and not ours. */
  readonly commit: string
}

export interface Deployment {
  readonly id: number
  /** The commit that its ref named when it was made. */
  readonly sha: string
  /** Null for one that somebody else made, or that came to be of another commit. */
  readonly origin: Origin | null
}

export interface GitHubApi {
  /** The commit at the head of a pull request, with its tree; null for one that is not there. */
  readonly head: (pull: number) => Promise<{ readonly sha: string; readonly tree: string } | null>
  readonly hasCommit: (sha: string) => Promise<boolean>
  /** Writes those that are not so already. Answers how many. */
  readonly setStatuses: (sha: string, wanted: ReadonlyArray<CommitStatus>) => Promise<number>
  /** The newest of the environment, newest first. */
  readonly deployments: () => Promise<ReadonlyArray<Deployment>>
  /** Null where GitHub refuses the ref. */
  readonly deploy: (ref: string, origin: Origin) => Promise<Deployment | null>
  /** Writes it where it is not so already. Answers whether it did. */
  readonly setState: (deployment: Deployment, wanted: DeploymentState, logUrl: string) => Promise<boolean>
}

interface DeploymentJson {
  readonly id: number
  readonly sha: string
  /** GitHub takes an object and answers one, or the text that was sent. */
  readonly payload: unknown
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const deploymentOf = ({ id, payload, sha }: DeploymentJson): Deployment => {
  const value = typeof payload === "string" ? parsed(payload) : payload
  const origin = (value as { readonly pawl?: Partial<Origin> } | null)?.pawl
  const isOurs =
    typeof origin?.projectId === "string" && typeof origin.generation === "number" && typeof origin.tree === "string"
  return { id, sha, origin: isOurs && origin.commit === sha ? (origin as Origin) : null }
}

const headers = { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" }

/** How many deployments are looked at: what is older is no longer live. */
const looked = 10

/** While one message is worked on. */
export const gitHubApi = ({ github }: Settings, signal: AbortSignal): GitHubApi => {
  const client = jsonClient("GitHub", github.url, github.token, headers)
  const at = `/repos/${github.repository}`
  const get = async <A>(path: string, also: ReadonlyArray<number> = [404]): Promise<A | null> => {
    const { body, status } = await client.ask("GET", `${at}${path}`, { signal, also })
    return also.includes(status) ? null : (body as A)
  }
  const post = async <A>(path: string, body: unknown, also: ReadonlyArray<number>): Promise<A | null> => {
    const answer = await client.ask("POST", `${at}${path}`, { signal, body, also })
    return also.includes(answer.status) ? null : (answer.body as A)
  }
  return {
    head: async (pull) => {
      const found = await get<{ head: { sha: string } }>(`/pulls/${pull}`)
      if (found === null) return null
      const { sha } = found.head
      const commit = await get<{ tree: { sha: string } }>(`/git/commits/${sha}`)
      return commit === null ? null : { sha, tree: commit.tree.sha }
    },
    hasCommit: async (sha) => (await get(`/git/commits/${sha}`, [404, 409, 422])) !== null,
    setStatuses: async (sha, wanted) => {
      const now = await get<{ statuses: ReadonlyArray<CommitStatus> }>(`/commits/${sha}/status?per_page=100`)
      const isSo = (one: CommitStatus) =>
        (now?.statuses ?? []).some(
          (other) =>
            other.context === one.context &&
            other.state === one.state &&
            other.description === one.description &&
            other.target_url === one.target_url
        )
      const missing = wanted.filter((one) => !isSo(one))
      for (const status of missing) await post(`/statuses/${sha}`, status, [404, 422])
      return missing.length
    },
    deployments: async () => {
      const query = new URLSearchParams({ environment: github.environment, per_page: String(looked) })
      return ((await get<ReadonlyArray<DeploymentJson>>(`/deployments?${query.toString()}`)) ?? []).map(deploymentOf)
    },
    deploy: async (ref, origin) => {
      const wanted = {
        ref,
        environment: github.environment,
        description: `S${origin.generation} of Pawl`,
        payload: { pawl: origin },
        // Pawl has merged and checked it: GitHub is to do neither.
        auto_merge: false,
        required_contexts: []
      }
      const made = await post<DeploymentJson>("/deployments", wanted, [404, 409, 422])
      return made === null ? null : deploymentOf(made)
    },
    setState: async ({ id }, wanted, logUrl) => {
      const [now] = (await get<ReadonlyArray<DeploymentState>>(`/deployments/${id}/statuses?per_page=1`)) ?? []
      const { description, environment_url, state } = wanted
      const isSo = now?.state === state && now.description === description
      if (isSo && (now.environment_url ?? "") === environment_url) return false
      // Which ones are no longer live is for the mirror to say: GitHub would leave out those of production.
      await post(`/deployments/${id}/statuses`, { ...wanted, log_url: logUrl, auto_inactive: false }, [404, 422])
      return true
    }
  }
}
