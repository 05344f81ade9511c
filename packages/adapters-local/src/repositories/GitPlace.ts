/** Where repositories lie on this machine, for whoever runs a git of its own there. */
import { Context, type Effect, type Scope } from "effect"
import type { RepositoriesUnavailable, RepositoryRef } from "@pawl/core/project/Repositories"

/** The folder of repositories. What is in it may be copies, which come and go. */
export class GitPlace extends Context.Service<
  GitPlace,
  {
    /** Absolute. */
    readonly root: string
    /** Has repositories of one Project there, as new as they are anywhere, until the scope ends. */
    readonly brought: (refs: ReadonlyArray<RepositoryRef>) => Effect.Effect<void, RepositoriesUnavailable, Scope.Scope>
  }
>()("@pawl/adapters-local/repositories/GitPlace") {}
