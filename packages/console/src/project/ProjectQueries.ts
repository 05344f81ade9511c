/** What several screens ask of a Project. Each answer has one name, and is asked for here alone: one name, one shape. */
import { useQuery, type UseQueryResult } from "@tanstack/react-query"
import { api } from "../api/Client.ts"
import { type Key, keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import type { Answer } from "../api/Wire.ts"
import { useConnection } from "../live/Live.ts"

/** A member of a Project, with their name. */
export type Member = Answer<"members", "get">["items"][number]
/** What is served, and where; null for nothing. */
export type App = Answer<"apps", "get">["app"]

/** Milliseconds between two looks at what moves, where no news come from the server. */
export const lookMs = 2000

/** The Project, with its newest generation; nothing is asked for null. */
export const useProjectOf = (id: string | null): UseQueryResult<Answer<"projects", "get">> =>
  useAnswer(keys.project(id ?? ""), (options) => api.projects.get({ params: { id: id ?? "" } }, options), {
    enabled: id !== null
  })

/** What is served. */
export const useApp = (id: string): UseQueryResult<Answer<"apps", "get">> => {
  const isLive = useConnection().is === "live"
  return useQuery({
    queryKey: keys.ofProject(id, "app"),
    queryFn: ({ signal }) => api.apps.get({ params: { id } }, { signal }),
    refetchInterval: ({ state: { data } }) => (!isLive && data?.app?.status === "building" ? lookMs : false)
  })
}

/** Who stands in line. */
export const useLane = (id: string): UseQueryResult<Answer<"lane", "get">> => {
  const isLive = useConnection().is === "live"
  return useQuery({
    queryKey: keys.ofProject(id, "lane"),
    queryFn: ({ signal }) => api.lane.get({ params: { id } }, { signal }),
    refetchInterval: ({ state: { data } }) =>
      !isLive && data !== undefined && data.entries.length > 0 ? lookMs : false
  })
}

/** The name of its Policy. */
export const policyKey = (id: string): Key => keys.ofProject(id, "policy")

/** Its Policy. */
export const usePolicy = (id: string): UseQueryResult<Answer<"policies", "get">["policy"]> =>
  useAnswer(policyKey(id), async (options) => (await api.policies.get({ params: { id } }, options)).policy)

/** The name of the list of its members. */
export const membersKey = (id: string): Key => keys.ofProject(id, "members")

/** Its members. Nothing is asked for no Project. */
export const useMemberList = (id: string): UseQueryResult<ReadonlyArray<Member>> =>
  useAnswer(membersKey(id), async (options) => (await api.members.get({ params: { id } }, options)).items, {
    enabled: id !== ""
  })
