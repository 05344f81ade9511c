/** What git clients are served with: for a server that speaks git's protocol to people. */
import type { Writable } from "node:stream"
import { Context, type Effect } from "effect"
import type { ObjectNotFound, RepositoriesUnavailable, RepositoryRef } from "@pawl/core/project/Repositories"

/** A ref as a client is shown it, and where its commit is kept. */
export interface ShownRef {
  /** `refs/…` */
  readonly name: string
  readonly commit: string
  readonly at: RepositoryRef
}

/** Serves what people clone and fetch, without the HTTP around it. */
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
  }
>()("@pawl/adapters-local/repositories/transport/GitTransport") {}
