/** `TargetProbeClient` over a map of answers. */
import { Layer } from "effect"
import type { ProbeAnswer } from "@pawl/core/release/ProbeClient"
import { TargetProbeClient } from "@pawl/core/release/TargetProbeClient"
import { lookUp } from "./MemoryProbeClient.ts"

/** What the one target answers, by path with its query. A path that is missing does not answer. The caller may change the map. */
export const layerMemory = (answers: ReadonlyMap<string, ProbeAnswer>): Layer.Layer<never> =>
  Layer.succeed(TargetProbeClient, { get: lookUp(answers) })
