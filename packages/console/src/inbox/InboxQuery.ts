/** Asks for what the Inbox is made of. A few requests for each Project, so only for those that moved last. */
import type { UseQueryResult } from "@tanstack/react-query"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import type { CallOptions } from "../api/Wire.ts"
import type { Project } from "../project/ByLabel.ts"
import { type InboxItem, inboxOf, type ProjectNews } from "./InboxItems.ts"

/** Projects that are looked through; the screen says when there are more. */
export const inboxProjects = 10

/** Changes of each that are looked through, the newest. */
const changesEach = 50

/** What waits, and what was looked through for it. */
export interface Inbox {
  readonly items: ReadonlyArray<InboxItem>
  /** Those that were looked through, the one that moved last first. */
  readonly projects: ReadonlyArray<Project>
  /** There are Projects that were not looked through. */
  readonly isPart: boolean
}

const newsOf = async (project: Project, options: CallOptions): Promise<ProjectNews> => {
  const params = { id: project.id }
  const [changes, deadLetters] = await Promise.all([
    api.changes.list({ params, query: { limit: changesEach } }, options),
    api.deadLetters.list({ params, query: {} }, options)
  ])
  const unsure = changes.items.filter(({ status }) => status === "verifying")
  const candidates = await Promise.all(
    unsure.map(async ({ id }) => {
      const { items } = await api.candidates.list({ params: { id }, query: {} }, options)
      return [id, items] as const
    })
  )
  return { project, changes: changes.items, deadLetters: deadLetters.items, candidates: new Map(candidates) }
}

const inbox = async (options: CallOptions): Promise<Inbox> => {
  const { items, nextCursor } = await api.projects.list({ query: {} }, options)
  const open = items
    .filter(({ status }) => status !== "archived")
    .toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))
  const projects = open.slice(0, inboxProjects)
  const news = await Promise.all(projects.map((project) => newsOf(project, options)))
  return { items: inboxOf(news, Date.now()), projects, isPart: nextCursor !== null || open.length > projects.length }
}

/** The Inbox: the bar counts it, and its screen lists it. */
export const useInbox = (): UseQueryResult<Inbox> => useAnswer(keys.inbox, inbox)
