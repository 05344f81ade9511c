/** The process of one installation: it takes one order, says what it fetched and how it ended, and waits to be killed. */
import { createHash } from "node:crypto"
import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import type { PackagesRefused, PackagesUnavailable } from "@pawl/core/packages/PackageStore"
import { Cause, Effect, type Result, Semaphore } from "effect"
import { LocalLimits } from "../LocalLimits.ts"
import type { InstallMessage, InstallOrder, OrderedPackage } from "./InstallMessages.ts"
import { make as makeClient } from "./HttpRegistryClient.ts"
import { assemble, Clash, type PlacedPackage } from "./LayerAssembly.ts"
import { archivesOf, clashProblem, FoundPackages, otherDigest, wrongPrograms } from "./LayerParts.ts"
import { factsOf } from "./PackageFacts.ts"
import type { RegistryClient } from "./RegistryClient.ts"
import { unpack } from "./Tarball.ts"
import { digestName } from "./UnpackedFacts.ts"
import { factsIn, writeUnpacked } from "./UnpackedFolder.ts"

const say = (message: InstallMessage): void => {
  process.send?.(message)
}

const valueOf = <A>(result: Result.Result<A, string>, wrong: (words: string) => PackagesRefused) =>
  result._tag === "Success" ? Effect.succeed(result.success) : wrong(result.failure)

/** What all the packages of an order share. */
interface Installation {
  readonly order: InstallOrder
  readonly client: RegistryClient
  /** Few are unpacked at a time: each may be large. */
  readonly slots: Semaphore.Semaphore
  readonly missing: ReadonlySet<string>
}

const isSame = (bytes: Uint8Array, integrity: string): boolean => {
  const at = integrity.indexOf("-")
  return createHash(integrity.slice(0, at)).update(bytes).digest("base64") === integrity.slice(at + 1)
}

/** The archive of a package: the kept one, else fetched and held against its integrity. */
const archive = Effect.fnUntraced(function* ({ client, missing, order }: Installation, wanted: OrderedPackage) {
  const digest = digestName(wanted.integrity)
  const place = join(order.work, `${digest}.tgz`)
  if (!missing.has(digest)) return yield* Effect.sync(() => readFileSync(place))
  const bytes = yield* client.archive(wanted)
  if (!isSame(bytes, wanted.integrity)) return yield* otherDigest(wanted)
  yield* Effect.sync(() => {
    writeFileSync(`${place}.new`, bytes)
    renameSync(`${place}.new`, place)
    say({ _tag: "Fetched", digest })
  })
  return bytes
})

/** Unpacks one archive, unless it is there already; whoever asks for it, it must be the package that the lock names. */
const unpacked = Effect.fnUntraced(function* (installation: Installation, wanted: OrderedPackage) {
  const { missing, order } = installation
  const digest = digestName(wanted.integrity)
  const folder = join(order.unpacked, digest)
  const known = factsIn(folder)
  if (known !== null && !missing.has(digest)) return known
  const bytes = yield* archive(installation, wanted)
  if (known !== null) return known
  return yield* Effect.gen(function* () {
    const content = yield* unpack(bytes, wanted)
    const facts = yield* valueOf(factsOf(content, wanted), (words) => wrongPrograms(wanted, words))
    yield* Effect.sync(() => writeUnpacked(folder, join(order.work, `unpacked-${digest}`), content, facts))
    return facts
  }).pipe(installation.slots.withPermits(1))
})

const assembled = (order: InstallOrder, placed: ReadonlyArray<PlacedPackage>): InstallMessage => {
  try {
    const { boot, direct, links, work } = order
    assemble({ folder: join(work, "layer"), placed, links, direct: new Set(direct), boot })
    return { _tag: "Installed" }
  } catch (error) {
    if (!(error instanceof Clash)) throw error
    return { _tag: "Refused", problems: [clashProblem(error.placed.ordered, order.file)] }
  }
}

const install = Effect.fnUntraced(function* (order: InstallOrder) {
  const client = yield* makeClient({ registry: new URL(order.registry), backoffMs: order.backoffMs })
  const slots = yield* Semaphore.make(LocalLimits.packagesUnpackedAtOnce)
  const installation = { order, client, slots, missing: new Set(order.missing) }
  const bounds = { layerBytes: LocalLimits.layerBytes, layerFiles: LocalLimits.layerFiles }
  const found = new FoundPackages(order, bounds)
  const one = (each: OrderedPackage): Effect.Effect<void, PackagesUnavailable> =>
    found.isFull
      ? Effect.void
      : unpacked(installation, each).pipe(
          Effect.map((facts) => found.add(each, facts)),
          Effect.catchTag("PackagesRefused", ({ problems }) => Effect.sync(() => found.refuse(each, problems)))
        )
  yield* Effect.forEach(archivesOf(order.packages), one, {
    concurrency: LocalLimits.registryConnections,
    discard: true
  })
  const judged = found.judged()
  if ("problems" in judged) return { _tag: "Refused", problems: judged.problems } satisfies InstallMessage
  return assembled(
    order,
    judged.placed.map((each) => ({ ...each, folder: join(order.unpacked, digestName(each.ordered.integrity)) }))
  )
})

const answered = (order: InstallOrder): Promise<InstallMessage> =>
  Effect.runPromise(
    Effect.scoped(install(order)).pipe(
      Effect.catch(({ reason }) => Effect.succeed<InstallMessage>({ _tag: "Unavailable", reason })),
      Effect.catchCause((cause) =>
        Effect.succeed<InstallMessage>({ _tag: "Unavailable", reason: diskWords(Cause.squash(cause)) })
      )
    )
  )

/** The code of what the disk says: its message would name folders of this machine. */
const diskWords = (error: unknown): string =>
  error instanceof Error && "code" in error ? `the disk says ${String(error.code)}` : "what unpacks packages failed"

process.umask(0o022)
process.once("disconnect", () => process.exit())
process.once("message", (order: InstallOrder) => {
  if (order.certificates !== "") setDefaultCACertificates([...getCACertificates("default"), order.certificates])
  void answered(order).then(say)
})
