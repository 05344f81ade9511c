/** The process of one installation: it takes one order, says what it fetched and how it ended, and waits to be killed. */
import { createHash } from "node:crypto"
import { readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { isBelowAny } from "@pawl/core/packages/NpmLock"
import { type PackageProblem, PackagesRefused, type PackagesUnavailable } from "@pawl/core/packages/PackageStore"
import { Cause, Effect, type Result, Semaphore } from "effect"
import { LocalLimits } from "../LocalLimits.ts"
import type { InstallMessage, InstallOrder, OrderedPackage } from "./InstallMessages.ts"
import { scriptNeeded } from "./InstallScripts.ts"
import { assemble, Clash, type PlacedPackage } from "./LayerAssembly.ts"
import { make as makeClient, type RegistryClient } from "./RegistryClient.ts"
import { unpack } from "./Tarball.ts"
import { digestName, factsIn, factsOf, type UnpackedFacts, writeUnpacked } from "./UnpackedFolder.ts"

const say = (message: InstallMessage): void => {
  process.send?.(message)
}

const refused = (code: string, message: string): PackagesRefused =>
  new PackagesRefused({ problems: [{ code, message, file: null, line: null }] })

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
  if (!isSame(bytes, wanted.integrity))
    return yield* refused(
      "integrity_mismatch",
      `${wanted.name}@${wanted.version} is not what the lock says: what the registry sends has another digest than ${wanted.integrity.slice(0, 20)}…. It was changed there, or in the lock.`
    )
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
    const about = `${wanted.name}@${wanted.version}`
    const facts = yield* valueOf(factsOf(content, wanted), (words) =>
      refused("package_program", `${about} cannot be used: it ${words}.`)
    )
    yield* Effect.sync(() => writeUnpacked(folder, join(order.work, `unpacked-${digest}`), content, facts))
    return facts
  }).pipe(installation.slots.withPermits(1))
})

/** What of the packages is over a bound, with the biggest of them. */
const overLimit = (placed: ReadonlyArray<PlacedPackage>, leastBytes: number): PackageProblem | null => {
  const bytes = Math.max(
    leastBytes,
    placed.reduce((sum, { facts }) => sum + facts.bytes, 0)
  )
  const files = placed.reduce((sum, { facts }) => sum + facts.files.length, 0)
  const told = (what: string, size: (facts: UnpackedFacts) => number, code: string): PackageProblem => {
    const biggest = placed.toSorted((a, b) => size(b.facts) - size(a.facts)).slice(0, 3)
    const names = biggest.map(({ facts }) => `${facts.name}@${facts.version} (${size(facts)})`).join(", ")
    return { code, message: `${what}. The biggest are ${names}.`, file: null, line: biggest[0]?.ordered.line ?? null }
  }
  if (bytes > LocalLimits.layerBytes)
    return told(
      `The packages unpack to ${bytes} bytes or more; ${LocalLimits.layerBytes} may be installed`,
      (facts) => facts.bytes,
      "packages_over_limit"
    )
  if (files > LocalLimits.layerFiles)
    return told(
      `The packages have ${files} files or more; ${LocalLimits.layerFiles} may be installed`,
      (facts) => facts.files.length,
      "packages_over_limit"
    )
  return null
}

/** Refusals and packages as they are found; the order of the lock is restored at the end. */
class Found {
  readonly facts = new Map<string, UnpackedFacts>()
  readonly problems: Array<{ readonly at: number; readonly problem: PackageProblem }> = []
  readonly #order: InstallOrder
  constructor(order: InstallOrder) {
    this.#order = order
  }

  refuse(wanted: OrderedPackage, problems: ReadonlyArray<PackageProblem>): void {
    const at = this.#order.packages.indexOf(wanted)
    for (const problem of problems)
      this.problems.push({ at, problem: { ...problem, file: this.#order.file, line: wanted.line } })
  }

  /** The packages that stand in the layer, by path: without what is optional and cannot be used. */
  placed(): ReadonlyArray<PlacedPackage> {
    const leftOut = new Set<string>()
    const placed: Array<PlacedPackage> = []
    for (const ordered of this.#order.packages) {
      const facts = this.facts.get(ordered.integrity)
      if (facts === undefined) continue
      const folder = join(this.#order.unpacked, digestName(ordered.integrity))
      if (facts.name !== ordered.name || facts.version !== ordered.version)
        this.refuse(ordered, [
          refused(
            "package_not_as_locked",
            `${ordered.name}@${ordered.version} cannot be used: its archive is that of ${facts.name}@${facts.version}.`
          ).problems[0]!
        ])
      else if (!facts.needsScript) placed.push({ ordered, facts, folder })
      else if (ordered.optional) leftOut.add(ordered.path)
      else
        this.refuse(ordered, [
          refused("install_script_needed", scriptNeeded(ordered.name, ordered.version, facts.scripts)).problems[0]!
        ])
    }
    return leftOut.size === 0 ? placed : placed.filter(({ ordered }) => !isBelowAny(ordered.path, leftOut))
  }

  /** What is wrong, in the order of the lock. */
  wrong(): ReadonlyArray<PackageProblem> {
    return this.problems.sort((a, b) => a.at - b.at).map(({ problem }) => problem)
  }
}

const assembled = (order: InstallOrder, placed: ReadonlyArray<PlacedPackage>): InstallMessage => {
  try {
    const { boot, direct, links, work } = order
    assemble({ folder: join(work, "layer"), placed, links, direct: new Set(direct), boot })
    return { _tag: "Installed" }
  } catch (error) {
    if (!(error instanceof Clash)) throw error
    const { line, name, path, version } = error.placed.ordered
    const message = `${name}@${version} cannot stand at ${path}: files of another package are in its way.`
    return { _tag: "Refused", problems: [{ code: "package_place", message, file: order.file, line }] }
  }
}

const install = Effect.fnUntraced(function* (order: InstallOrder) {
  const client = yield* makeClient({ registry: new URL(order.registry), backoffMs: order.backoffMs })
  const slots = yield* Semaphore.make(LocalLimits.packagesUnpackedAtOnce)
  const installation = { order, client, slots, missing: new Set(order.missing) }
  const found = new Found(order)
  const wanted = [...new Map(order.packages.toReversed().map((each) => [each.integrity, each])).values()].toReversed()
  let bytes = 0
  const one = (each: OrderedPackage): Effect.Effect<void, PackagesUnavailable> =>
    bytes > LocalLimits.layerBytes
      ? Effect.void
      : unpacked(installation, each).pipe(
          Effect.map((facts) => {
            bytes += facts.bytes
            found.facts.set(each.integrity, facts)
          }),
          Effect.catchTag("PackagesRefused", ({ problems }) => Effect.sync(() => found.refuse(each, problems)))
        )
  yield* Effect.forEach(wanted, one, { concurrency: LocalLimits.registryConnections, discard: true })
  const placed = found.placed()
  const over = overLimit(placed, bytes)
  const problems = [...found.wrong(), ...(over === null ? [] : [{ ...over, file: order.file }])]
  if (problems.length > 0) return { _tag: "Refused", problems } satisfies InstallMessage
  return assembled(order, placed)
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
