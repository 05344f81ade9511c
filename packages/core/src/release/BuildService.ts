/** A service that builds a release target from canonical `main` by itself. Pawl only looks on: it starts nothing there. */
import { Context, type Effect, Schema } from "effect"
import type { ReleaseTarget } from "../model/ReleaseTarget.ts"

/** No build service is set up in this installation. */
export class BuildServiceMissing extends Schema.TaggedError<BuildServiceMissing>()("BuildServiceMissing", {
  /** What whoever runs the installation can do, in the words of the program that runs it. */
  remedy: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    const fact = "no build service is set up"
    return this.remedy === undefined ? fact : `${fact}: ${this.remedy}`
  }
}

/** The service does not take our credentials, or they may not read this. Asking again does not help. */
export class BuildServiceUnauthorized extends Schema.TaggedError<BuildServiceUnauthorized>()(
  "BuildServiceUnauthorized",
  { status: Schema.Finite }
) {
  override get message() {
    return `the build service refused the credentials (${this.status})`
  }
}

/** We asked too often. `retryAfterMs` is what the service asks for; null when it does not say. */
export class BuildServiceLimited extends Schema.TaggedError<BuildServiceLimited>()("BuildServiceLimited", {
  retryAfterMs: Schema.NullOr(Schema.Finite)
}) {
  override get message() {
    return "the build service asks for patience"
  }
}

/** The service is away, or says what cannot be understood. Asking again may help. */
export class BuildServiceUnavailable extends Schema.TaggedError<BuildServiceUnavailable>()("BuildServiceUnavailable", {
  reason: Schema.String
}) {
  override get message() {
    return `the build service is away: ${this.reason}`
  }
}

/** What every question may fail with. */
export type BuildServiceFault =
  | BuildServiceMissing
  | BuildServiceUnauthorized
  | BuildServiceLimited
  | BuildServiceUnavailable

/** How a build ended, in the service's own words. */
export type BuildOutcome = "success" | "fail" | "skipped" | "cancelled" | "terminated"

/** A build, as far as a release hangs on it. */
export interface ServiceBuild {
  readonly id: string
  /** Waiting or at work, or over. */
  readonly status: "running" | "finished"
  /** Null until it is finished. */
  readonly outcome: BuildOutcome | null
  /** The commit that it was triggered for; null when the service does not say. */
  readonly commit: string | null
  /** ISO 8601. */
  readonly createdAt: string
}

/** What the target serves now. */
export interface ServiceDeployment {
  readonly id: string
  /** The version that answers all requests. */
  readonly versionId: string
  /** The build that made the version; null when it was not made by a build. */
  readonly buildId: string | null
}

/** What names a target to the service. */
export type TargetRef = Pick<ReleaseTarget, "workerName" | "workerTag">

/** What a release asks of the service. Nothing is changed there. */
export interface BuildServiceShape {
  /** Builds that were triggered for exactly this commit, newest first; empty when there are none. */
  readonly builds: (target: TargetRef, commit: string) => Effect.Effect<ReadonlyArray<ServiceBuild>, BuildServiceFault>
  /** Whether anything would ever build this target: its connection to a repository. */
  readonly hasTrigger: (target: TargetRef) => Effect.Effect<boolean, BuildServiceFault>
  /** The newest deployment; null when there is none, or when it splits requests between versions. */
  readonly newestDeployment: (target: TargetRef) => Effect.Effect<ServiceDeployment | null, BuildServiceFault>
}

/** No build service; `remedy` says how to set one up. */
export const none = (remedy?: string): BuildServiceShape => {
  const missing = new BuildServiceMissing(remedy === undefined ? {} : { remedy })
  return { builds: () => missing, hasTrigger: () => missing, newestDeployment: () => missing }
}

/** Without one of its own a program has none: every question is `BuildServiceMissing`. */
export const BuildService = Context.Reference("@pawl/core/release/BuildService", { defaultValue: () => none() })
