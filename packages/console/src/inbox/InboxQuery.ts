/** Asks for what waits. */
import { queryOptions, useQuery, type UseQueryResult } from "@tanstack/react-query"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import type { Project } from "../project/ByLabel.ts"
import { type InboxItem, itemsOf } from "./InboxItems.ts"

/** As many promotions as an empty Inbox shows. */
export const lastPromotions = 5

/** What waits. */
export interface Inbox {
  readonly items: ReadonlyArray<InboxItem>
  /** More may wait: not all Projects, or not all of one, were looked through. */
  readonly isPart: boolean
}

/** The Inbox, as it is asked for. */
export const inboxQuery = queryOptions({
  queryKey: keys.inbox,
  queryFn: async ({ signal }): Promise<Inbox> => {
    const { isPart, items } = await api.inbox.inbox({}, { signal })
    return { items: itemsOf(items), isPart }
  }
})

/** The Inbox: the bar counts it, and its screen lists it. */
export const useInbox = (): UseQueryResult<Inbox> => useQuery(inboxQuery)

/** The last promotions of all are among those of as many Projects as there are promotions to show. */
const recentProjects = lastPromotions

/** The Projects that were promoted last, else those that moved last, for an Inbox that is empty. */
export const useRecentProjects = (): UseQueryResult<ReadonlyArray<Project>> =>
  useAnswer([...keys.inbox, "projects"], async (options) => {
    const query = { order: "promoted", status: "active", limit: recentProjects } as const
    const { items } = await api.projects.list({ query }, options)
    if (items.length > 0) return items
    // Where nothing was promoted yet there may be Projects all the same.
    return (await api.projects.list({ query: { ...query, order: "moved" } }, options)).items
  })
