/** Projects by the word in their address. */
import { queryOptions, useQuery, type UseQueryResult } from "@tanstack/react-query"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import { Refusal } from "../api/Refusal.ts"
import type { Answer, CallOptions } from "../api/Wire.ts"

/** A Project as lists answer it. */
export type Project = Answer<"projects", "list">["items"][number]

/** Projects that the switcher shows. */
const pageSize = 100

const find = async (label: string, options: CallOptions): Promise<Project> => {
  const [found] = (await api.projects.list({ query: { label } }, options)).items
  if (found !== undefined) return found
  throw new Refusal({
    status: 404,
    code: "unknown_project",
    title: "There is no such Project",
    detail: `No Project that you may see has the label ${label}.`,
    requestId: null,
    facts: {}
  })
}

/** The Project that an address names, as it is asked for. */
export const projectQuery = (label: string) =>
  queryOptions({
    queryKey: [...keys.projects, "label", label],
    queryFn: ({ signal }) => find(label, { signal })
  })

/** The same: screens below `/p/<label>` ask for it first. */
export const useProject = (label: string): UseQueryResult<Project> => useQuery(projectQuery(label))

/** The Projects of the switcher: the first page. */
export const useFirstProjects = (enabled: boolean): UseQueryResult<ReadonlyArray<Project>> =>
  useAnswer(
    [...keys.projects, "first"],
    async (options) => (await api.projects.list({ query: { limit: pageSize } }, options)).items,
    { enabled }
  )
