/** What the screens of generations ask for. */
import type { UseQueryResult } from "@tanstack/react-query"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import { releaseOf } from "./ReleaseQuery.ts"
import type { Answer } from "../api/Wire.ts"
import { askedFor } from "./Window.ts"

/** A generation, as the API tells it. */
export type Version = Answer<"projects", "versions">["items"][number]
/** How one went live. */
export type Release = Answer<"projects", "releases">["items"][number]

/** Generations with their releases, by number. */
export interface Chunk {
  readonly versions: ReadonlyMap<number, Version>
  readonly releases: ReadonlyMap<number, Release>
}

const byNumber = <A extends { readonly generation: number }>(items: ReadonlyArray<A>): ReadonlyMap<number, A> =>
  new Map(items.map((item) => [item.generation, item]))

/** A chunk, as `chunkOf` counts them. */
export const useChunk = (id: string, chunk: number): UseQueryResult<Chunk> =>
  useAnswer(keys.ofProject(id, "generations", String(chunk)), async (options) => {
    const asked = { params: { id }, query: askedFor(chunk) }
    const [versions, releases] = await Promise.all([
      api.projects.versions(asked, options),
      api.projects.releases(asked, options)
    ])
    return { versions: byNumber(versions.items), releases: byNumber(releases.items) }
  })

/** One generation with its release. The server says where there is none of that number. */
export const useGeneration = (
  id: string,
  n: number
): UseQueryResult<{ readonly version: Version; readonly release: Release | null }> =>
  useAnswer(keys.ofProject(id, "generation", String(n)), async (options) => {
    const [{ version }, release] = await Promise.all([
      api.projects.version({ params: { id, n: String(n) } }, options),
      releaseOf(id, n, options)
    ])
    return { version, release }
  })

/** What changes from one generation to another, whichever is older. */
export const useComparison = (id: string, from: number, to: number): UseQueryResult<Answer<"projects", "compare">> =>
  useAnswer(keys.ofProject(id, "compare", String(from), String(to)), (options) =>
    api.projects.compare({ params: { id }, query: { from, to } }, options)
  )
