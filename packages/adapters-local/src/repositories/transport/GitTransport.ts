/** What git clients are served with and what they push: for a server that speaks git's protocol to people. */
import type { Writable } from "node:stream"
import { Context, type Effect } from "effect"
import type {
  FileEdits,
  InvalidPath,
  ObjectNotFound,
  RepositoriesUnavailable,
  RepositoryRef,
  TreeTooLarge
} from "@pawl/core/project/Repositories"
import type { PackRefused } from "./PackBounds.ts"

/** A ref as a client is shown it, and where its commit is kept. */
export interface ShownRef {
  /** `refs/…` */
  readonly name: string
  readonly commit: string
  readonly at: RepositoryRef
}

/** A commit that was sent, in a place of its own. It is there only while it is looked at. */
export interface Pushed {
  readonly commit: string
  readonly tree: string
  /** Its message, as text. */
  readonly message: string
  /** Whether its history holds this commit of canonical. */
  readonly holds: (commit: string) => Effect.Effect<boolean, RepositoriesUnavailable>
  /** The trees of its newest commits that this commit of canonical does not hold: at most `LocalLimits.gitPushCommits`. */
  readonly treesSince: (commit: string) => Effect.Effect<ReadonlySet<string>, RepositoriesUnavailable>
  /** What makes its tree out of another, which is kept in `at`. Fails with `InvalidPath` where only a mode differs. */
  readonly editsFrom: (
    tree: string,
    at: RepositoryRef
  ) => Effect.Effect<FileEdits, InvalidPath | TreeTooLarge | ObjectNotFound | RepositoriesUnavailable>
}

/** The two services of git's protocol, without the HTTP around them. */
export class GitTransport extends Context.Service<
  GitTransport,
  {
    /**
     * Answers one request of a clone or a fetch with `git upload-pack`, out of the shown refs and nothing else. The
     * answer flows into `into`, which is left open. Interruption ends git, and all that it started.
     */
    readonly serve: (options: {
      readonly project: string
      /** `refs/heads/main` is where `HEAD` points. A ref whose repository is gone is left out. */
      readonly refs: ReadonlyArray<ShownRef>
      /** What the client asks, or `null` for the list of refs that a conversation begins with. */
      readonly request: Uint8Array | null
      /** Of git's protocol. */
      readonly version: 0 | 1 | 2
      readonly into: Writable
      /** Goes before the answer, as soon as there is going to be one. */
      readonly greeting: Uint8Array
    }) => Effect.Effect<void, ObjectNotFound | RepositoriesUnavailable>
    /**
     * Unpacks what was pushed in a place of its own that borrows from canonical, judges it, and lets it be looked at.
     * Canonical and its forks stay as they are. What a crash leaves is swept before the Project is written to again.
     */
    readonly receive: <A, E>(
      options: { readonly project: string; readonly commit: string; readonly pack: Uint8Array },
      look: (pushed: Pushed) => Effect.Effect<A, E>
    ) => Effect.Effect<A, E | PackRefused | InvalidPath | TreeTooLarge | ObjectNotFound | RepositoriesUnavailable>
  }
>()("@pawl/adapters-local/repositories/transport/GitTransport") {}
