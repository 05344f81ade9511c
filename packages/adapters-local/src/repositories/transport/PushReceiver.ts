/** What git clients push: for a server that speaks git's protocol to people. */
import { Context, Data, type Effect } from "effect"
import type {
  FileEdits,
  InvalidPath,
  ObjectNotFound,
  RepositoriesUnavailable,
  RepositoryRef,
  TreeTooLarge
} from "@pawl/core/project/Repositories"

/** The pack is no pack, or comes to more than Pawl takes. It was given to nobody. */
export class PackRefused extends Data.TaggedError("PackRefused")<{ readonly reason: string }> {}

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

/** Takes what people push, without the HTTP around it. */
export class PushReceiver extends Context.Service<
  PushReceiver,
  {
    /**
     * Unpacks what was pushed in a place of its own that borrows from canonical, judges it, and lets it be looked at.
     * Canonical and its forks stay as they are. What a crash leaves is swept before the Project is written to again.
     */
    readonly receive: <A, E>(
      options: { readonly project: string; readonly commit: string; readonly pack: Uint8Array },
      look: (pushed: Pushed) => Effect.Effect<A, E>
    ) => Effect.Effect<A, E | PackRefused | InvalidPath | TreeTooLarge | ObjectNotFound | RepositoriesUnavailable>
  }
>()("@pawl/adapters-local/repositories/transport/PushReceiver") {}
