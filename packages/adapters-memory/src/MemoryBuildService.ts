/** `BuildService` in memory. */
import { Effect, Layer } from "effect"
import {
  BuildService,
  type BuildServiceFault,
  type ServiceBuild,
  type ServiceDeployment
} from "@pawl/core/release/BuildService"

/** What a build service in memory holds, for one target. The caller may change it. */
export interface MemoryBuilds {
  builds: ReadonlyArray<ServiceBuild>
  hasTrigger: boolean
  deployment: ServiceDeployment | null
  /** What every question fails with, while it is set. */
  fault: BuildServiceFault | null
}

/** Answers from `state`, newest build first; every question fails with `state.fault` while that is set. */
export const layerMemory = (state: MemoryBuilds): Layer.Layer<never> => {
  const answer = <A>(read: () => A): Effect.Effect<A, BuildServiceFault> =>
    Effect.suspend(() => (state.fault === null ? Effect.succeed(read()) : Effect.fail(state.fault)))
  return Layer.succeed(BuildService, {
    builds: (_target, commit) =>
      answer(() =>
        state.builds
          .filter((build) => build.commit === commit)
          .toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1))
      ),
    hasTrigger: () => answer(() => state.hasTrigger),
    newestDeployment: () => answer(() => state.deployment)
  })
}
