/**
 * Where a record is kept: in the directory, which there is once, or in the object of its Project. A commit has one scope
 * (`CommitRules`), so each is applied by one object.
 */
import type { Kind } from "@pawl/core/model/Entities"

const ofDirectory: ReadonlySet<Kind> = new Set<Kind>([
  "organization",
  "user",
  "organizationMember",
  "departure",
  "membership",
  "token",
  "session",
  "signInCode",
  "identity",
  "deviceGrant",
  "slug",
  "label",
  "schedule",
  "signingKey",
  "approver"
])

/** Kinds of which the instance's own are in the directory, and a Project's with the Project. */
const ofChains: ReadonlySet<Kind> = new Set<Kind>(["statement", "chain", "chainLog"])

/** Whether all records of a kind are the directory's. */
export const isDirectorys = (kind: Kind): boolean => ofDirectory.has(kind)

/** Whether the record of a key is the directory's. */
export const isInDirectory = (kind: Kind, id: string): boolean =>
  ofDirectory.has(kind) || (ofChains.has(kind) && (id === "instance" || id.startsWith("instance/")))

/**
 * Kinds that are looked up by their id alone, by the word of the path that leads there. Where such a record is said in the
 * directory before the record is committed.
 */
export const reservedKinds = {
  changes: "change",
  tasks: "task",
  runs: "taskRun",
  candidates: "candidate",
  changesets: "changeSet",
  evidence: "evidence",
  "lane-entries": "laneEntry",
  releases: "release",
  webhooks: "webhook",
  "webhook-deliveries": "webhookDelivery"
} as const satisfies Readonly<Record<string, Kind>>

const reserved: ReadonlySet<Kind> = new Set<Kind>(["project", ...Object.values(reservedKinds)])

/** Whether records of a kind are looked up by their id alone. */
export const isReserved = (kind: Kind): boolean => reserved.has(kind)

/** What the digest of a claimed Task's token is reserved as: who it lets in is asked of the directory, which has no runs. */
export const taskTokenKind = "taskToken"

/**
 * Kinds whose records the directory has copies of, for lists across Projects. The Project's own decide; a copy is a moment
 * behind.
 */
export const mirroredKinds: ReadonlyArray<Kind> = [
  "project",
  "policy",
  "head",
  "lane",
  "laneEntry",
  "change",
  "changeSet",
  "candidate",
  "approval",
  "release",
  "pointer"
]
