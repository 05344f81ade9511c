/**
 * Canonical `main` at another place: the repository that the build service of a release target watches. Pawl moves its
 * `main` forward and never back, and changes nothing else there.
 */
import { Context, type Effect, Schema } from "effect"

/** The remote's `main` holds what canonical does not. Someone else pushed there; asking again does not help. */
export class RemoteDiverged extends Schema.TaggedError<RemoteDiverged>()("RemoteDiverged", {
  /** The commit of the remote's `main`. */
  main: Schema.String
}) {
  override get message() {
    return `the remote has diverged: its main is at ${this.main}, which canonical main does not hold; nothing was pushed`
  }
}

/** The remote, or this installation, takes no such push; the reason says which. Asking again does not help. */
export class RemoteRefused extends Schema.TaggedError<RemoteRefused>()("RemoteRefused", { reason: Schema.String }) {
  override get message() {
    return `canonical main was not pushed: ${this.reason}`
  }
}

/** The remote does not answer, or not as one. Asking again may help. The reason holds nothing that the remote said. */
export class RemoteUnavailable extends Schema.TaggedError<RemoteUnavailable>()("RemoteUnavailable", {
  reason: Schema.String
}) {
  override get message() {
    return `the remote is away: ${this.reason}`
  }
}

/** What a push may fail with. */
export type RemoteFault = RemoteDiverged | RemoteRefused | RemoteUnavailable

/** What a release asks of the remote. */
export interface CanonicalRemoteShape {
  /**
   * Brings `main` of the remote to a commit that canonical holds, forward only; a remote without a `main` gets one. Where
   * its `main` is at that commit or beyond it, nothing happens. `remote` is a https, http or ssh URL without credentials.
   */
  readonly push: (options: {
    readonly project: string
    readonly remote: string
    readonly commit: string
  }) => Effect.Effect<void, RemoteFault>
}

/** Nothing is pushed anywhere; `remedy` says how to change that. */
export const none = (remedy?: string): CanonicalRemoteShape => {
  const fact = "this installation pushes to no remotes"
  return { push: () => new RemoteRefused({ reason: remedy === undefined ? fact : `${fact}: ${remedy}` }) }
}

/** Without one of its own a program pushes nowhere: every push is `RemoteRefused`. */
export const CanonicalRemote = Context.Reference("@pawl/core/release/CanonicalRemote", { defaultValue: () => none() })
