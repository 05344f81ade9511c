/**
 * `Repositories` on Cloudflare's Artifacts, which is in beta: each repository and each fork is one there. Trees are merged by
 * the same code as without Artifacts. The commands of git are not needed.
 */
import { Effect, Layer } from "effect"
import type { Artifacts } from "./artifacts/Artifacts.ts"
import * as ArtifactsHeld from "./artifacts/ArtifactsHeld.ts"
import { fileByBinding } from "./artifacts/ArtifactsReads.ts"
import * as Doors from "./artifacts/Doors.ts"
import type { Fetch } from "./artifacts/GitRemote.ts"
import { type HeldPorts, ports } from "./HeldPorts.ts"

/** Repositories of a namespace. `fetch` sends what git says; the runtime's own, where none is given. */
export const layer = ({
  artifacts,
  fetch = (url, init) => globalThis.fetch(url, init)
}: {
  readonly artifacts: Artifacts
  readonly fetch?: Fetch
}): Layer.Layer<HeldPorts> =>
  Layer.effectContext(
    Effect.sync(() => {
      const held = ArtifactsHeld.make(fetch, Doors.make(artifacts, fetch))
      return ports(held, (plain) => fileByBinding(artifacts, held, plain))
    })
  )
