/**
 * The client of one npm registry, which is not trusted: it reaches no other place, its answers are bounded, and what it says counts only where nothing better is known. An archive is held against its integrity by who
 * asks for it.
 */
import { type PackagesRefused, PackagesUnavailable } from "@pawl/core/packages/PackageStore"
import { Effect, Result, Schedule, Semaphore } from "effect"
import { LocalLimits } from "../LocalLimits.ts"
import { archiveAddress, ownAddress, packumentAddress, redirected, wrongPackage } from "./RegistryAddress.ts"
import { refusedPackage } from "./LayerParts.ts"
import {
  Misled,
  NotAnswered,
  type RegistryAnswer,
  type RegistryLine,
  type RegistryQuestion
} from "./RegistryQuestion.ts"
import { foreignJson, isObject } from "./TarballManifest.ts"
import { textOf } from "@pawl/core/primitives/Utf8"

/** A version of a package. */
export interface PackageVersion {
  readonly name: string
  readonly version: string
}

/** Asks one registry. */
export interface RegistryClient {
  /** The registry, with a slash at the end. */
  readonly url: URL
  /**
   * The archive of a version as it is sent. Fails with `PackagesRefused` (`package_missing`, `package_too_big`,
   * `package_address`, `package_name`) when asking again changes nothing.
   */
  readonly archive: (wanted: PackageVersion) => Effect.Effect<Uint8Array, PackagesRefused | PackagesUnavailable>
  /** Sends a question, follows where its answer leads, and asks again after what passes. `about` is for sentences. */
  readonly ask: (
    question: RegistryQuestion,
    about: string
  ) => Effect.Effect<RegistryAnswer, PackagesRefused | PackagesUnavailable>
}

/** What a client is made of. */
export interface RegistryClientOptions {
  /** By `registryAddress`. */
  readonly registry: URL
  readonly line: RegistryLine
  /** The first wait between two tries, in milliseconds. */
  readonly backoffMs: number
  /** Questions on their way at once. */
  readonly connections: number
  /** The most that is read of an archive, and of what is said of one package. */
  readonly archiveBytes: number
  readonly packumentBytes: number
}

/** The short document of a package, that installers read. */
const forInstallers = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8"

const isMissing = (status: number): boolean => status === 404 || status === 410
const isElsewhere = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)

/** An answer that can be used, also as a no; everything else may be better the next time. */
const usable = (answer: RegistryAnswer): Effect.Effect<RegistryAnswer, NotAnswered> => {
  const { status } = answer
  if (status === 401 || status === 403)
    return Effect.fail(
      new NotAnswered({
        reason: `wants to know who asks (status ${status}): use a registry in PAWL_NPM_REGISTRY that asks for no credentials`,
        lasting: true
      })
    )
  const isNo = status >= 400 && status < 500 && status !== 408 && status !== 429
  if (status === 200 || isElsewhere(status) || isNo) return Effect.succeed(answer)
  return Effect.fail(new NotAnswered({ reason: `answers with status ${status}`, lasting: status < 400 }))
}

const versionIn = (packument: Readonly<Record<string, unknown>>, version: string): unknown => {
  const versions = packument["versions"]
  return isObject(versions) && Object.hasOwn(versions, version) ? versions[version] : undefined
}

/** The address that a registry gives for the archive of a version; null when it does not know the version. */
const saidAddress = (registry: URL, packument: Readonly<Record<string, unknown>>, version: string): URL | null => {
  const known = versionIn(packument, version)
  const dist = isObject(known) ? known["dist"] : undefined
  const said = isObject(dist) ? dist["tarball"] : undefined
  return typeof said === "string" ? ownAddress(registry, said) : null
}

/** What the registry says of a package, as JSON; null when it does not know it. */
const packument = Effect.fnUntraced(function* (
  { packumentBytes: maxBytes, registry }: RegistryClientOptions,
  asked: RegistryClient["ask"],
  name: string
) {
  const url = packumentAddress(registry, name)
  const question = { url, accept: forInstallers, mayBePacked: true, maxBytes, body: null, into: null }
  const answer = yield* asked(question, name)
  if (answer.status !== 200) return null
  const read = foreignJson(textOf(answer.body))
  if (Result.isSuccess(read) && isObject(read.success)) return read.success
  const what = Result.isFailure(read) ? read.failure : "is not an object"
  return yield* new PackagesUnavailable({ reason: `${name}: what the registry says ${what} (${registry.href})` })
})

/** `RegistryClient.archive`, by what asks. */
const archive = Effect.fnUntraced(function* (
  options: RegistryClientOptions,
  asked: RegistryClient["ask"],
  wanted: PackageVersion
) {
  const { archiveBytes, registry } = options
  const about = `${wanted.name}@${wanted.version}`
  const wrong = wrongPackage(wanted)
  if (wrong !== null) return yield* refusedPackage("package_name", `${JSON.stringify(about)} ${wrong}`)
  const missing = (words: string) =>
    refusedPackage("package_missing", `${about} cannot be had: the registry ${words} (${registry.href})`)
  const fetched = (url: URL) =>
    asked(
      {
        url,
        accept: "application/octet-stream, */*;q=0.8",
        mayBePacked: false,
        maxBytes: archiveBytes,
        body: null,
        into: null
      },
      about
    )
  const usual = yield* fetched(archiveAddress(registry, wanted))
  if (usual.status === 200) return usual.body
  if (!isMissing(usual.status)) return yield* missing(`refuses it with status ${usual.status}`)
  const known = yield* packument(options, asked, wanted.name)
  if (known === null) return yield* missing("does not know the package")
  const url = saidAddress(registry, known, wanted.version)
  if (url === null) return yield* missing("does not know this version")
  const said = yield* fetched(url)
  return said.status === 200 ? said.body : yield* missing("knows it and has no archive of it")
})

/** Asks a registry by way of a line. */
export const over = (options: RegistryClientOptions): RegistryClient => {
  const { backoffMs, connections, line, registry } = options
  const atOnce = Semaphore.makeUnsafe(connections)

  const followed = Effect.fnUntraced(function* (question: RegistryQuestion) {
    let url = question.url
    for (let left: number = LocalLimits.registryRedirects; ; left--) {
      const answer = yield* Effect.flatMap(line({ ...question, url }), usable)
      if (!isElsewhere(answer.status)) return answer
      const misled = (reason: string) => new Misled({ code: "package_address", reason })
      if (left === 0) return yield* misled(`leads on more than ${LocalLimits.registryRedirects} times`)
      if (question.body !== null) return yield* misled("leads a question on that has a body")
      const next = redirected(registry, url, answer.location ?? "")
      if (Result.isFailure(next)) return yield* misled(`leads ${next.failure}`)
      url = next.success
    }
  })

  const asked: RegistryClient["ask"] = (question, about) =>
    followed(question).pipe(
      Effect.retry({
        times: LocalLimits.registryTries - 1,
        schedule: Schedule.exponential(backoffMs),
        while: (failure) => failure._tag === "NotAnswered" && !failure.lasting
      }),
      atOnce.withPermits(1),
      Effect.catchTags({
        Misled: ({ code, message }) => Effect.fail(refusedPackage(code, `${about} cannot be had: ${message}`)),
        NotAnswered: ({ message }) =>
          Effect.fail(new PackagesUnavailable({ reason: `${about}: ${message} (${registry.href})` }))
      })
    )

  return { url: registry, archive: (wanted) => archive(options, asked, wanted), ask: asked }
}
