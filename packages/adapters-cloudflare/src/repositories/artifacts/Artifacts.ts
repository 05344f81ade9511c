/**
 * What is used of Artifacts, as a Worker is bound to it. The shapes are those of Cloudflare's own types:
 * https://developers.cloudflare.com/artifacts/api/workers-binding/.
 */
import { Data, Effect, Schedule } from "effect"
import type { RepositoriesUnavailable } from "@pawl/core/project/Repositories"
import { CloudflareLimits } from "../../CloudflareLimits.ts"
import { away } from "../HeldRepositories.ts"

/** One repository. It is a stub of RPC, which is let go of after use. */
export interface ArtifactsRepository {
  /** `id` is another one each time a repository of this name is made. */
  readonly info: () => Promise<{ readonly id: string; readonly remote: string }>
  /** `ttl` in seconds. */
  readonly createToken: (scope: "write", ttl: number) => Promise<{ readonly plaintext: string }>
  /** Makes another repository with the history of this one's default branch. */
  readonly fork: (name: string, options: { readonly defaultBranchOnly: true }) => Promise<unknown>
  /** The entries of a directory; null for a tree that is not there. */
  readonly readTree: (
    hash: string
  ) => Promise<ReadonlyArray<{ readonly name: string; readonly mode: string; readonly hash: string }> | null>
  /** Null for a file that is not there. */
  readonly readBlob: (hash: string) => Promise<Blob | null>
  readonly [Symbol.dispose]?: () => void
}

/** A namespace of repositories. What it refuses is thrown as an `ArtifactsError` with a `code`. */
export interface Artifacts {
  readonly create: (name: string, options: { readonly setDefaultBranch: string }) => Promise<unknown>
  readonly get: (name: string) => Promise<ArtifactsRepository>
  /** False where there is none of this name. */
  readonly delete: (name: string) => Promise<boolean>
}

/** Artifacts refused a call. */
export class ArtifactsRefused extends Data.TaggedError("ArtifactsRefused")<{
  readonly operation: string
  readonly code: string
}> {}

/** The code of what was thrown. A message is nobody's to read: it may name what is secret. */
const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : "INTERNAL_ERROR"

/** Nothing waits for ever. */
export const inTime = <A, E>(operation: string, work: Effect.Effect<A, E>) =>
  Effect.timeoutOrElse(work, {
    duration: CloudflareLimits.artifactsTimeoutMs,
    orElse: () => Effect.fail(away(`Artifacts did not answer in time (${operation})`))
  })

/** One call of the binding. */
export const calling = <A>(
  operation: string,
  work: () => Promise<A>
): Effect.Effect<A, ArtifactsRefused | RepositoriesUnavailable> =>
  inTime(
    operation,
    Effect.tryPromise({
      // What RPC answers is no promise of the language's own.
      try: async () => await work(),
      catch: (error) => new ArtifactsRefused({ operation, code: codeOf(error) })
    })
  )

/** A refusal that nothing else was made of. */
export const refused = ({ code, operation }: ArtifactsRefused): RepositoriesUnavailable =>
  away(`Artifacts refused it (${operation}): ${code}`)

/** Whether it will be there in a moment. */
const isBeingMade = (error: ArtifactsRefused | RepositoriesUnavailable): boolean =>
  error._tag === "ArtifactsRefused" && error.code.endsWith("_IN_PROGRESS")

/** Uses a repository; null where there is none of this name. One that is being made is waited for. */
export const using = <A>(
  artifacts: Artifacts,
  name: string,
  use: (repository: ArtifactsRepository) => Effect.Effect<A, ArtifactsRefused | RepositoriesUnavailable>
): Effect.Effect<A | null, ArtifactsRefused | RepositoriesUnavailable> =>
  Effect.acquireUseRelease(
    calling("get", () => artifacts.get(name)).pipe(
      Effect.retry({
        while: isBeingMade,
        times: CloudflareLimits.artifactsReadyTries,
        schedule: Schedule.spaced(CloudflareLimits.artifactsReadyMs)
      })
    ),
    use,
    (repository) => Effect.sync(() => repository[Symbol.dispose]?.())
  ).pipe(
    Effect.catchTag("ArtifactsRefused", (error): Effect.Effect<null, ArtifactsRefused> =>
      error.code === "NOT_FOUND" ? Effect.succeed(null) : Effect.fail(error)
    )
  )
