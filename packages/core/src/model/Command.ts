/** A command: durable work to be done once, by any worker. It is leased, retried with backoff and dead-lettered. */
import { Schema } from "effect"
import { ProjectId } from "../primitives/Ids.ts"
import { Timestamp } from "../primitives/Time.ts"

/** Each kind of command. What is done for one is its body in `worker/Handlers.ts`. */
export const commandKinds = [
  // The queues of the specification.
  "project.provision",
  "app.provision",
  "app.remove",
  "project.cleanup",
  "forks.sweep",
  "release.recover",
  "candidate.create",
  "agent.wake",
  // The lease of a run that is worked outside, and the checks of what was pushed for it.
  "run.lease",
  "run.checks",
  "change.dispatch",
  // Events: one that its consumer group left behind, and one on its way to a webhook.
  "event.consume",
  "webhook.deliver",
  // Longer processes, one command each, whose id is the domain's id.
  "candidate.promote",
  "candidate.recompose",
  "candidate.review",
  "lane.step",
  "canonical.sweep",
  "release.run",
  // What was done is signed right after.
  "statement.sign",
  "checkpoint.publish",
  // Upkeep.
  "retention.sweep",
  "packs.sweep",
  "project.audits",
  "project.audit",
  // Of a Project that is older than statements, once.
  "project.adopt",
  "candidate.reviews",
  // A hint between objects that its queue gave up. There is one where Projects are objects of their own alone.
  "project.hint"
] as const
/** One of `commandKinds`. */
export const CommandKind = Schema.Literals(commandKinds)
export type CommandKind = typeof CommandKind.Type

/** A command as the store keeps it, with the tries it has had. */
export const Command = Schema.Struct({
  /**
   * Derived from the domain: `<kind>:<subject id>`, made by `commandId`. There is one at a time: sending one that waits
   * makes it due at the earlier of the two times and changes nothing else; sending one that a worker holds lets it run
   * once more after that, with the new payload. So no wake-up is lost, whatever the worker had read already.
   */
  id: Schema.String,
  /** What is to be done. */
  kind: CommandKind,
  /** The Project that it works for, in whose turn it is claimed; null for the directory. */
  projectId: Schema.NullOr(ProjectId),
  /** What the body needs, as JSON: mostly ids. It is decoded by `worker/Handlers.ts`. */
  payload: Schema.Record(Schema.String, Schema.Unknown),
  /** Tries of the work so far, the one that runs too. One that was given back, waited, or died with its process is none. */
  attempts: Schema.Finite,
  /** After so many failed tries it is a dead letter; 1 to 5 retries (specification, "Commands on queues"). */
  maxAttempts: Schema.Finite,
  /** From when on it may be claimed. */
  dueAt: Timestamp,
  /** When it was sent; anew when it was sent again and began anew. */
  createdAt: Timestamp,
  /** Why the last try failed, in words, at most `Limits.problemLength` characters; null before the first failure. */
  lastProblem: Schema.NullOr(Schema.String)
})
export interface Command extends Schema.Schema.Type<typeof Command> {}

/** What a commit sends. Its payload is JSON. */
export interface NewCommand {
  /** What is to be done. */
  readonly kind: CommandKind
  /** As `commandId` makes it: sending one that is there sends nothing twice. */
  readonly id: string
  /** With `traceparent` (W3C Trace Context) while traces are made: the work belongs to the trace of who sent it. */
  readonly payload: Readonly<Record<string, unknown>>
  /** How long until it is due; default 0. */
  readonly delayMs?: number
  /**
   * Its place among those of its Project that are due, in ms since 1970: as if it had been due since that moment, when
   * that is past. Projects take turns as ever. One with a delay has no such place.
   */
  readonly order?: number
  /** Default `Limits.commandAttempts`. */
  readonly maxAttempts?: number
  /** Hands the command to its sender at once: it runs the work itself, and a worker takes over when the lease ends. */
  readonly leasedBy?: { readonly token: string; readonly leaseMs: number }
}

/** A held lease. The token fences every write of the work. */
export interface Lease {
  /** Id of the command that is held. */
  readonly commandId: string
  /** Unique to this claim; a later holder has another. */
  readonly token: string
}

/** A command in the hands of a worker, and what became of those who held it before. */
export interface LeasedCommand {
  readonly command: Command
  readonly lease: Lease
  /** How often whoever held it was gone without a word: its lease ended, or its process did. */
  readonly deaths: number
  /** It waited for machinery that was away, and has not come through since; null when not. */
  readonly outage: Outage | null
}

/** How long, and how often, a command has waited for machinery that is away. */
export interface Outage {
  /** When it waited first, ms since 1970. */
  readonly sinceMs: number
  /** How often it waited since. */
  readonly waits: number
}

/**
 * Why a command is given back: its worker stops; it waits for something of its own, so what was away is back; or it
 * waits for machinery that is away.
 */
export type GivenBack = "stopped" | "waits" | "outage"

/** A command that failed too often. It waits for a person, retry or dismiss, and at most `Limits.deadLetterDays`. */
export const DeadLetter = Schema.Struct({
  ...Command.fields,
  /** When its last try failed. */
  diedAt: Timestamp
})
export interface DeadLetter extends Schema.Schema.Type<typeof DeadLetter> {}

/**
 * The id of a command about a subject. Slashes of the subject become colons: the id of a dead letter stands in a URL's
 * path.
 */
export const commandId = (kind: CommandKind, subject: string): string => `${kind}:${subject.replaceAll("/", ":")}`
