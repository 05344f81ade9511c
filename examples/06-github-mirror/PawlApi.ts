/** What the mirror reads of Pawl: never more than it needs, and always what is so now. */
import { type JsonClient, jsonClient } from "./JsonClient.ts"
import type { Settings } from "./Settings.ts"

export interface Change {
  readonly id: string
  readonly projectId: string
  /** What its opener called it. */
  readonly clientRequestId: string
}

export interface Candidate {
  readonly id: string
  readonly changeId: string
  readonly base_generation: number
  readonly tree: string | null
  readonly status: string
  readonly reason: string | null
  readonly changeSets: ReadonlyArray<string>
}

export interface Why {
  readonly blocks: ReadonlyArray<{ readonly code: string; readonly detail: string }>
  readonly checks: ReadonlyArray<{
    readonly checkId: string
    readonly verdict: "pass" | "fail" | "gap"
    readonly evidenceId: string | null
    readonly summary: string
  }>
}

export interface Release {
  readonly generation: number
  readonly changeId: string
  readonly candidateId: string
  readonly commit: string
  readonly tree: string
  readonly status: string
  readonly reason: string | null
}

export interface App {
  readonly enabled: boolean
  readonly app: { readonly status: string; readonly url: string; readonly generation: number | null } | null
}

export interface PawlApi {
  /** Null for one that is not there, or not for this token. */
  readonly change: (id: string) => Promise<Change | null>
  /** The newest Change of a Project that fits; null for none. */
  readonly newestChange: (projectId: string, fits: (change: Change) => boolean) => Promise<Change | null>
  readonly candidate: (id: string) => Promise<Candidate | null>
  /** The one that counts for its Change now; null before there is one. */
  readonly newestCandidate: (changeId: string) => Promise<Candidate | null>
  readonly why: (candidateId: string) => Promise<Why | null>
  readonly treeOf: (changeSetId: string) => Promise<string | null>
  readonly label: (projectId: string) => Promise<string | null>
  readonly app: (projectId: string) => Promise<App | null>
  /** Of one generation; null where it has none. */
  readonly release: (projectId: string, generation: number) => Promise<Release | null>
}

interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly nextCursor: string | null
}

/** As it stands while one message is worked on. */
export const pawlApi = ({ pawl }: Settings, signal: AbortSignal): PawlApi => {
  const client: JsonClient = jsonClient("Pawl", pawl.url, pawl.token)
  const get = async <A>(path: string): Promise<A | null> => {
    const { body, status } = await client.ask("GET", path, { signal, also: [404] })
    return status === 404 ? null : (body as A)
  }
  const pages = async function* <A>(path: string): AsyncGenerator<ReadonlyArray<A>> {
    let next: string | null = path
    while (next !== null) {
      const page: Page<A> | null = await get(next)
      yield page?.items ?? []
      const cursor: string | null = page?.nextCursor ?? null
      next = cursor === null ? null : `${path}&cursor=${encodeURIComponent(cursor)}`
    }
  }
  return {
    change: async (id) => (await get<{ change: Change }>(`/v1/changes/${id}`))?.change ?? null,
    newestChange: async (projectId, fits) => {
      for await (const items of pages<Change>(`/v1/projects/${projectId}/changes?order=newest&limit=100`)) {
        const found = items.find(fits)
        if (found !== undefined) return found
      }
      return null
    },
    candidate: async (id) => (await get<{ candidate: Candidate }>(`/v1/candidates/${id}`))?.candidate ?? null,
    newestCandidate: async (changeId) => {
      let newest: Candidate | null = null
      for await (const items of pages<Candidate>(`/v1/changes/${changeId}/candidates?limit=100`))
        newest = items.at(-1) ?? newest
      return newest
    },
    why: (candidateId) => get<Why>(`/v1/candidates/${candidateId}/why`),
    treeOf: async (id) => (await get<{ changeset: { tree: string } }>(`/v1/changesets/${id}`))?.changeset.tree ?? null,
    label: async (id) => (await get<{ project: { label: string } }>(`/v1/projects/${id}`))?.project.label ?? null,
    app: (projectId) => get<App>(`/v1/projects/${projectId}/app`),
    release: async (projectId, generation) => {
      const path = `/v1/projects/${projectId}/releases?before=${generation + 1}&limit=1`
      const found = (await get<Page<Release>>(path))?.items[0]
      return found?.generation === generation ? found : null
    }
  }
}
