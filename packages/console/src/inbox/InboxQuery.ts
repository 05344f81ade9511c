/** Asks for what waits. */
import type { UseQueryResult } from "@tanstack/react-query"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import type { Project } from "../project/ByLabel.ts"
import { type InboxItem, itemsOf } from "./InboxItems.ts"

/** What waits. */
export interface Inbox {
  readonly items: ReadonlyArray<InboxItem>
  /** There are Projects that were not looked through. */
  readonly isPart: boolean
}

/** The Inbox: the bar counts it, and its screen lists it. */
export const useInbox = (): UseQueryResult<Inbox> =>
  useAnswer(keys.inbox, async (options) => {
    const { isPart, items } = await api.inbox.inbox({}, options)
    return { items: itemsOf(items), isPart }
  })

/** As many Projects as the last promotions are looked for in. */
const recentProjects = 10

/** The Projects that moved last, for an Inbox that is empty. */
export const useRecentProjects = (): UseQueryResult<ReadonlyArray<Project>> =>
  useAnswer([...keys.inbox, "projects"], async (options) => {
    const { items } = await api.projects.list({ query: {} }, options)
    return items
      .filter(({ status }) => status !== "archived")
      .toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))
      .slice(0, recentProjects)
  })
