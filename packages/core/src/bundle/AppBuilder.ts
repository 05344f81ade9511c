/** Turns a source tree into a Bundle. `start`, `poll` and `cancel` with a handle, so that a remote builder fits. */
import { Context, Effect, Option, Schema } from "effect"
import type { PackageLayer } from "../packages/PackageStore.ts"
import type { HeldPackage } from "../packages/Sbom.ts"
import type { Bundle } from "./Bundle.ts"

/** One reason a build was refused: what, where and why, in words that a person or an agent can act on. */
export const BuildProblem = Schema.Struct({
  /** A snake_case word for programs. */
  code: Schema.String,
  /** For people. */
  message: Schema.String,
  /** Path from the root of the source; null when it is about no file. */
  file: Schema.NullOr(Schema.String),
  /** From 1 on; null when unknown. */
  line: Schema.NullOr(Schema.Finite),
  /** From 1 on; null when unknown. */
  column: Schema.NullOr(Schema.Finite)
})
export interface BuildProblem extends Schema.Schema.Type<typeof BuildProblem> {}

/** The builder itself failed: a child that could not start. Try again. */
export class BuilderUnavailable extends Schema.TaggedError<BuilderUnavailable>()("BuilderUnavailable", {
  reason: Schema.String
}) {
  override get message() {
    return `the builder could not run: ${this.reason}`
  }
}

/** The tree to be built, whole. A file's path has no slash in front. */
export interface BuildJob {
  /** The domain's id of this build; starting one that runs already answers its handle. */
  readonly id: string
  readonly project: string
  readonly commit: string
  readonly tree: string
  /** The committer's time of the commit, so that a second build gives the same bytes. */
  readonly builtAtMs: number
  readonly files: ReadonlyMap<string, { readonly content: Uint8Array; readonly executable: boolean }>
  /** The `node_modules` that the lock file names. */
  readonly packages?: PackageLayer
  /** What the build command left, by path: it stands over `files`, and none of it counts as source. */
  readonly generated?: BuildJob["files"]
}

/** What has to run before a tree can be bundled. */
export type BuildCommand =
  /** Nothing: its files are bundled as they stand. */
  | { readonly _tag: "None" }
  /** A shell line that leaves what is bundled at these paths. Not all of them need to be there afterwards. */
  | { readonly _tag: "Command"; readonly command: string; readonly collect: ReadonlyArray<string> }
  /** It cannot be told: the source says it in a way that cannot be read. */
  | { readonly _tag: "Refused"; readonly problems: ReadonlyArray<BuildProblem> }

/** A build that was started. */
export interface BuildHandle {
  readonly id: string
}

/** How a build ended: a whole bundle, or why there is none. */
export type BuildResult =
  | {
      readonly _tag: "Built"
      readonly bundle: Bundle
      /** Bytes of the assets, by the paths of the manifest. */
      readonly assets: ReadonlyMap<string, Uint8Array>
      /** Bytes of modules that are not inline, by the `object` names of the bundle. */
      readonly objects: ReadonlyMap<string, Uint8Array>
      readonly warnings: ReadonlyArray<BuildProblem>
      /** The packages of which the bundle holds something. Not there when the builder cannot tell. */
      readonly packages?: ReadonlyArray<HeldPackage>
    }
  /** The source cannot be built: the work failed. */
  | { readonly _tag: "Refused"; readonly problems: ReadonlyArray<BuildProblem> }
  /** The bundler died, hung or ran out of memory: nothing is known about the work. */
  | { readonly _tag: "Crashed"; readonly reason: string }

/** What `poll` answers. */
export type BuildState = { readonly _tag: "Running" } | { readonly _tag: "Finished"; readonly result: BuildResult }

/** Builds sources that anyone may have written: it runs none of their code. */
export class AppBuilder extends Context.Service<
  AppBuilder,
  {
    /** Name and exact version of the bundler. */
    readonly version: { readonly name: string; readonly version: string }
    /** The packages that come along with every build, in these versions: apps import them without a lock. */
    readonly vendored: ReadonlyArray<{ readonly name: string; readonly version: string }>
    /**
     * The folder of a tree whose files a build serves to anyone, without slashes at its ends; null for none, and for
     * settings that cannot be built. `settings` are the files of settings at the root, by name. It builds nothing. Fails
     * where what reads them is away.
     */
    readonly assetsFolder: (tree: {
      readonly settings: ReadonlyMap<string, Uint8Array>
      readonly folders: ReadonlySet<string>
    }) => Effect.Effect<string | null, BuilderUnavailable>
    /** What has to run before a tree can be bundled, as its own files say. It runs nothing. Fails where what reads them is away. */
    readonly commandOf: (files: BuildJob["files"]) => Effect.Effect<BuildCommand, BuilderUnavailable>
    /**
     * A build of this job will be started once its build command has run: what does not depend on what that leaves may be
     * done meanwhile. A hint, answered at once: with it or without, a build ends the same. What was begun ends with the
     * build of this id, or when that is cancelled.
     */
    readonly expect: (job: BuildJob) => Effect.Effect<void>
    /** Starts a build, or answers the handle of one of this id that runs already. */
    readonly start: (job: BuildJob) => Effect.Effect<BuildHandle, BuilderUnavailable>
    /** Waits up to `waitMs` for the end. A finished result can be polled again until it is cancelled. */
    readonly poll: (handle: BuildHandle, waitMs: number) => Effect.Effect<BuildState, BuilderUnavailable>
    /** Kills the build if it runs and forgets it. Cancelling what is gone succeeds. */
    readonly cancel: (handle: BuildHandle) => Effect.Effect<void>
  }
>()("@pawl/core/bundle/AppBuilder") {}

/** Names of the packages that come along with every build; none where a host builds nothing. */
export const vendoredNames: Effect.Effect<ReadonlyArray<string>> = Effect.map(
  Effect.serviceOption(AppBuilder),
  Option.match({ onNone: () => [], onSome: ({ vendored }) => vendored.map(({ name }) => name) })
)
