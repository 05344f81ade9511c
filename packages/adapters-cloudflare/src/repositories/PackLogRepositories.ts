/**
 * `Repositories` without git: the log of packs is what they are, and their objects are read, merged and written by code
 * that runs on any engine. A repository is held whole in memory while it is worked on, within `repositoryBytes`.
 */
import { Effect, Layer } from "effect"
import type { ObjectStore } from "@pawl/core/objects/ObjectStore"
import type { PackLog } from "@pawl/core/project/PackLog"
import { type HeldPorts, ports } from "./HeldPorts.ts"
import * as PackLogHeld from "./PackLogHeld.ts"

/** Repositories over the log of packs. Any number of Workers may work on one log. */
export const layer: Layer.Layer<HeldPorts, never, PackLog | ObjectStore> = Layer.effectContext(
  Effect.map(PackLogHeld.make, (held) => ports(held))
)
