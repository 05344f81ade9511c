/**
 * `Repositories` on Cloudflare's Artifacts, which is in beta: each repository and each fork is one there. Trees are merged by
 * the same code as without Artifacts. The commands of git are not needed.
 */
import { Layer } from "effect"
import { Repositories } from "@pawl/core/project/Repositories"
import type { Artifacts } from "./artifacts/Artifacts.ts"
import * as ArtifactsHeld from "./artifacts/ArtifactsHeld.ts"
import { fileByBinding } from "./artifacts/ArtifactsReads.ts"
import * as Doors from "./artifacts/Doors.ts"
import type { Fetch } from "./artifacts/GitRemote.ts"
import { canonicalWrites } from "./CanonicalWrites.ts"
import { forkWrites } from "./ForkWrites.ts"
import { reads } from "./RepositoryReads.ts"

/** Repositories of a namespace. `fetch` sends what git says; the runtime's own, where none is given. */
export const layer = ({
  artifacts,
  fetch = (url, init) => globalThis.fetch(url, init)
}: {
  readonly artifacts: Artifacts
  readonly fetch?: Fetch
}): Layer.Layer<Repositories> =>
  Layer.sync(Repositories, () => {
    const held = ArtifactsHeld.make(fetch, Doors.make(artifacts, fetch))
    const plain = { ...reads(held), ...forkWrites(held), ...canonicalWrites(held) }
    return { ...plain, read: fileByBinding(artifacts, held, plain.read) }
  })
