/** Projects by what happened to them last: which are asked for, and how far a page of them goes. */
import type { Project, ProjectStatus } from "../model/Project.ts"
import { Limits } from "../primitives/Limits.ts"
import { speaking } from "./Search.ts"

/** What puts a Project first: that something of it moved last, or that it was promoted last. */
export const projectOrders = ["moved", "promoted"] as const
/** One of `projectOrders`. */
export type ProjectOrder = (typeof projectOrders)[number]

/** The Projects of someone: all of these organizations, and these. */
export interface ProjectSight {
  readonly organizations: ReadonlyArray<string>
  readonly projects: ReadonlyArray<string>
}

/** Which of them are asked for, and in which order. */
export interface RecencyListing {
  readonly order: ProjectOrder
  readonly of: ProjectSight
  /** Only those in one of these. */
  readonly statuses?: ReadonlyArray<ProjectStatus>
  /**
   * Only those of which `projectSpeaking` says so. Of what no name asks for, such as a hundred capitals of many alphabets,
   * a store may tell of others too.
   */
  readonly q?: string
  /** Default and at most `Limits.pageSize`. */
  readonly limit?: number
  /** The cursor behind a Project that was told. One that is not ours starts at the beginning. */
  readonly cursor?: string
}

/** Whether each of these words stands in a Project's name, slug or label, in capitals or not, or its id begins so. */
export const projectSpeaking = (q: string): ((project: Project) => boolean) => {
  const speaks = speaking(q)
  return ({ id, label, name, slug }) => speaks([name, slug, label].join(" "), id)
}

/** A Project and when it was, ms since 1970. Of two that moved at once that is first which was made last. */
export interface RecentProject {
  readonly projectId: string
  readonly at: number
  /** Grows with every Project that is made. */
  readonly place: number
}

/** Some Projects, what was last first. */
export interface RecencyPage {
  readonly items: ReadonlyArray<string>
  /** The cursor behind each. */
  readonly cursors: ReadonlyArray<string>
  /** Null on the last page. */
  readonly nextCursor: string | null
}

const cursorOf = ({ at, place }: RecentProject, order: ProjectOrder): string => `${at}~recent.${order}:${place}`

/** The Project behind which a listing begins; null for the first. A cursor of the other order is not ours. */
export const behindOf = ({ cursor, order }: RecencyListing): Omit<RecentProject, "projectId"> | null => {
  const [, at, of, place] = /^([0-9]{1,15})~recent\.([a-z]+):([0-9]{1,15})$/.exec(cursor ?? "") ?? []
  return of === order ? { at: Number(at), place: Number(place) } : null
}

/** The limit of a listing as a whole number from 0 to `Limits.pageSize`. */
export const recencyLimit = ({ limit = Limits.pageSize }: RecencyListing): number =>
  Math.max(0, Math.min(Math.floor(limit), Limits.pageSize))

/** The page of a listing, from its Projects in order: one more than its limit unless there are no more. */
export const recencyPage = (found: ReadonlyArray<RecentProject>, listing: RecencyListing): RecencyPage => {
  const shown = found.slice(0, recencyLimit(listing))
  const cursors = shown.map((each) => cursorOf(each, listing.order))
  return {
    items: shown.map(({ projectId }) => projectId),
    cursors,
    nextCursor: found.length > shown.length ? (cursors.at(-1) ?? null) : null
  }
}
