/**
 * Makes the layer of a lock: what is kept is taken, the rest is fetched, held against its integrity, unpacked elsewhere and
 * kept. One call fetches so much; whoever asks goes on until the layer is whole.
 */
import type { OrderedPackage } from "@pawl/adapters-local/packages/InstallMessages"
import {
  archivesOf,
  clashProblem,
  FoundPackages,
  otherDigest,
  wrongPrograms
} from "@pawl/adapters-local/packages/LayerParts"
import { digestName } from "@pawl/adapters-local/packages/UnpackedFacts"
import type { RegistryClient } from "@pawl/adapters-local/packages/RegistryClient"
import type { PackageLock } from "@pawl/core/packages/PackageLock"
import { PackagesRefused, PackagesUnavailable } from "@pawl/core/packages/PackageStore"
import { Effect } from "effect"
import { Base64 } from "effect/encoding"
import { CloudflareLimits } from "../CloudflareLimits.ts"
import { keepLayer, keepUnpacked, type KeptFacts, keptFacts, type KeptLayer } from "./KeptPackages.ts"
import { laidOut } from "./LayerLayout.ts"
import type { UnpackAnswer } from "./UnpackMessages.ts"

/** What makes layers. */
export interface LayerMaking {
  readonly registry: RegistryClient
  /** Unpacks an archive where it can do no harm. */
  readonly unpack: (archive: Uint8Array, wanted: OrderedPackage) => Effect.Effect<UnpackAnswer, PackagesUnavailable>
  /** What is known of archives since the first of the calls that make one layer, by their digests. */
  readonly known: Map<string, KeptFacts>
}

const algorithms: ReadonlyMap<string, string> = new Map([
  ["sha512", "SHA-512"],
  ["sha384", "SHA-384"],
  ["sha256", "SHA-256"]
])

/** Whether bytes are what an integrity says. One by a digest that is not known here never is. */
const isSame = (bytes: Uint8Array, integrity: string): Effect.Effect<boolean> =>
  Effect.promise(async () => {
    const at = integrity.indexOf("-")
    const algorithm = algorithms.get(integrity.slice(0, at))
    if (algorithm === undefined) return false
    const digest = await crypto.subtle.digest(algorithm, bytes.slice())
    return Base64.encode(new Uint8Array(digest)) === integrity.slice(at + 1)
  })

/** Fetches an archive that is not kept, and keeps what it unpacks to. */
const fetched = Effect.fnUntraced(function* ({ registry, unpack }: LayerMaking, wanted: OrderedPackage) {
  const archive = yield* registry.archive(wanted)
  if (!(yield* isSame(archive, wanted.integrity))) return yield* otherDigest(wanted)
  const answer = yield* unpack(archive, wanted)
  switch (answer._tag) {
    case "Refused":
      return yield* new PackagesRefused({ problems: answer.problems })
    case "WrongPrograms":
      return yield* wrongPrograms(wanted, answer.words)
    case "Unpacked":
      return yield* keepUnpacked(digestName(wanted.integrity), answer)
  }
})

/** What is known of the packages of a lock. `isWhole`: nothing is left for another call. */
const gathered = Effect.fnUntraced(function* (
  making: LayerMaking,
  file: string,
  packages: ReadonlyArray<OrderedPackage>
) {
  const found = new FoundPackages(
    { file, packages },
    { layerBytes: CloudflareLimits.keptLayerBytes, layerFiles: CloudflareLimits.keptLayerFiles }
  )
  let [left, isWhole]: [number, boolean] = [CloudflareLimits.packagesPerCall, true]
  const one = Effect.fnUntraced(function* (wanted: OrderedPackage) {
    if (found.isFull) return
    const digest = digestName(wanted.integrity)
    let known = making.known.get(digest) ?? (yield* keptFacts(digest))
    if (known === null && left-- <= 0) return void (isWhole = false)
    known ??= yield* fetched(making, wanted)
    making.known.set(digest, known)
    found.add(wanted, known.facts)
  })
  yield* Effect.forEach(
    archivesOf(packages),
    (wanted) =>
      one(wanted).pipe(
        Effect.catchTag("PackagesRefused", ({ problems }) => Effect.sync(() => found.refuse(wanted, problems)))
      ),
    { concurrency: CloudflareLimits.packagesAtOnce, discard: true }
  )
  return { judged: found.judged(), isWhole }
})

/**
 * The layer of this lock under this id, made and kept; null when there is more to be fetched by another call. Fails with
 * `PackagesRefused` as soon as anything is wrong.
 */
export const made = Effect.fn("PackageStore.made")(
  function* (making: LayerMaking, id: string, { file, links, packages }: PackageLock) {
    const { isWhole, judged } = yield* gathered(making, file, packages)
    if ("problems" in judged) return yield* new PackagesRefused({ problems: judged.problems })
    if (!isWhole) return null
    const end = laidOut(judged.placed, links, making.known)
    if ("clash" in end) return yield* new PackagesRefused({ problems: [clashProblem(end.clash, file)] })
    yield* keepLayer(id, end.layer)
    return end.layer satisfies KeptLayer
  },
  Effect.catchTags({
    ObjectStoreUnavailable: ({ message }) => Effect.fail(new PackagesUnavailable({ reason: message })),
    InvalidKey: ({ message }) => Effect.fail(new PackagesUnavailable({ reason: message }))
  })
)
