/** Types of events by what they are about, so that they can be chosen. */
import type { EventType } from "./WebhookQuery.ts"

/** What people choose, and the types that it stands for. */
export const eventGroups = {
  approvals: ["approval.requested", "approval.granted", "approval.rejected"],
  promotions: ["canonical.promotion.requested", "canonical.advanced"],
  releases: ["build.started", "build.completed", "deployment.completed", "deployment.failed", "release.smoke_failed"],
  candidates: [
    "changeset.proposed",
    "verification.started",
    "candidate.composed",
    "candidate.verified",
    "candidate.rejected",
    "candidate.stale",
    "candidate.blocked",
    "review.completed"
  ],
  changes: ["change.compiled", "change.completed", "change.failed", "change.cancelled"],
  agents: [
    "task.created",
    "task.ready",
    "task.assigned",
    "agent.woken",
    "model.route.decided",
    "task.started",
    "model.called",
    "intent.declared",
    "task.completed",
    "task.failed",
    "task.repair_planned",
    "claim.expired"
  ],
  lane: ["lane.entered", "lane.doubted", "lane.reordered", "lane.paused", "lane.resumed", "lane.left"],
  upkeep: ["audit.passed", "audit.failed", "checkpoint.published", "key.rotated", "project.archived", "app.removed"]
} as const satisfies Readonly<Record<string, ReadonlyArray<EventType>>>

/** One of them. */
export type EventGroup = keyof typeof eventGroups

/** Each in words. */
export const groupWords: ReadonlyArray<readonly [EventGroup, string]> = [
  ["approvals", "Approvals: asked for, given, refused"],
  ["promotions", "Promotions"],
  ["releases", "Builds, releases and smoke checks"],
  ["candidates", "ChangeSets, Candidates and their checks"],
  ["changes", "Changes: planned, completed, failed"],
  ["agents", "Tasks and agents"],
  ["lane", "The lane"],
  ["upkeep", "Audits, keys, the app, the end of the Project"]
]

/** The types of some groups. */
export const typesOf = (groups: ReadonlyArray<EventGroup>): ReadonlyArray<EventType> =>
  groups.flatMap((group) => eventGroups[group])

/** The groups that are whole among some types; null, for all of them, are all groups. */
export const groupsOf = (types: ReadonlyArray<EventType> | null): ReadonlyArray<EventGroup> =>
  groupWords.flatMap(([group]) =>
    types === null || eventGroups[group].every((type) => types.includes(type)) ? [group] : []
  )
