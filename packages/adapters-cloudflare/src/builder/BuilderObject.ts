/**
 * The object that one build lives in, of a script of its own: what bundling takes of memory is not taken from a Project.
 * It remembers a build as long as it lives; one that is gone is started again by who asks for it.
 */
import { DurableObject } from "cloudflare:workers"
import {
  AppBuilder,
  type BuilderUnavailable,
  type BuildHandle,
  type BuildJob,
  type BuildState
} from "@pawl/core/bundle/AppBuilder"
import { Effect, ManagedRuntime } from "effect"
import { layer, type Options } from "./LoaderAppBuilder.ts"

/** An answer over RPC, on which errors lose their fields. */
export type Told<A> = { readonly _tag: "Done"; readonly value: A } | { readonly _tag: "Away"; readonly reason: string }

/** What may be asked of the object of a build. */
export interface BuildCalls {
  readonly start: (job: BuildJob) => Promise<Told<BuildHandle>>
  readonly poll: (handle: BuildHandle, waitMs: number) => Promise<Told<BuildState>>
  readonly cancel: (handle: BuildHandle) => Promise<void>
}

const told = <A>(effect: Effect.Effect<A, BuilderUnavailable, AppBuilder>): Effect.Effect<Told<A>, never, AppBuilder> =>
  effect.pipe(
    Effect.map((value): Told<A> => ({ _tag: "Done", value })),
    Effect.catchTag("BuilderUnavailable", ({ reason }) => Effect.succeed<Told<A>>({ _tag: "Away", reason }))
  )

/** A script names its own class below this one, which says where builds run. */
export abstract class BuilderObject<Env> extends DurableObject<Env> implements BuildCalls {
  private runtime: Promise<ManagedRuntime.ManagedRuntime<AppBuilder, never>> | null = null

  /** Where builds run. Asked for once. */
  protected abstract options(): Promise<Options>

  private async run<A>(effect: Effect.Effect<A, never, AppBuilder>): Promise<A> {
    this.runtime ??= this.options().then((options) => ManagedRuntime.make(layer(options)))
    return (await this.runtime).runPromise(effect)
  }

  start(job: BuildJob): Promise<Told<BuildHandle>> {
    return this.run(told(Effect.flatMap(AppBuilder, (builder) => builder.start(job))))
  }

  poll(handle: BuildHandle, waitMs: number): Promise<Told<BuildState>> {
    return this.run(told(Effect.flatMap(AppBuilder, (builder) => builder.poll(handle, waitMs))))
  }

  cancel(handle: BuildHandle): Promise<void> {
    return this.run(Effect.flatMap(AppBuilder, (builder) => builder.cancel(handle)))
  }
}
