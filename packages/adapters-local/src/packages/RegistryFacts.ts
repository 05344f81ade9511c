/**
 * What a registry says of versions: when they were published, whether they are deprecated, which advisories are known.
 * It is kept for a while. It is the registry's word, and nobody's proof.
 */
import { gzip } from "node:zlib"
import type { PackageFacts, PackagesUnavailable } from "@pawl/core/packages/PackageStore"
import { Cache, Clock, Duration, Effect, Exit, Result } from "effect"
import semver from "semver"
import { LocalLimits } from "../LocalLimits.ts"
import { advisoriesAddress } from "./RegistryAddress.ts"
import type { PackageVersion, RegistryClient } from "./RegistryClient.ts"
import { foreignJson, isObject } from "./TarballManifest.ts"

/** What is kept of a packument: by version, when it came and why nobody should use it. */
interface History {
  readonly publishedAtMs: ReadonlyMap<string, number>
  readonly deprecated: ReadonlyMap<string, string>
}

type Advisory = PackageFacts["advisories"][number]

const nothing: History = { publishedAtMs: new Map(), deprecated: new Map() }

/** Words of the registry, for people: one line, bounded. */
const words = (value: unknown): string =>
  (typeof value === "string" || typeof value === "number" ? String(value) : "")
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e]+/g, " ")
    .slice(0, LocalLimits.registryWordsLength)

const entriesOf = (value: unknown): ReadonlyArray<[string, unknown]> => (isObject(value) ? Object.entries(value) : [])

const historyOf = (packument: Readonly<Record<string, unknown>>): History => {
  const publishedAtMs = new Map<string, number>()
  for (const [version, at] of entriesOf(packument["time"])) {
    const ms = typeof at === "string" ? Date.parse(at) : NaN
    if (Number.isFinite(ms)) publishedAtMs.set(version, ms)
  }
  const deprecated = new Map<string, string>()
  for (const [version, known] of entriesOf(packument["versions"])) {
    const said = isObject(known) ? known["deprecated"] : undefined
    if (typeof said === "string" && said !== "") deprecated.set(version, words(said))
    else if (said === true) deprecated.set(version, "deprecated")
  }
  return { publishedAtMs, deprecated }
}

/** A web address, or nothing: it is shown as a link. */
const linkOf = (value: unknown): string => {
  const url = typeof value === "string" ? URL.parse(value) : null
  return url !== null && (url.protocol === "https:" || url.protocol === "http:") ? words(url.href) : ""
}

/** The advisories of an answer that are about a version. */
const advisoriesFor = (answer: unknown, { name, version }: PackageVersion): ReadonlyArray<Advisory> => {
  const told = isObject(answer) && Object.hasOwn(answer, name) ? answer[name] : undefined
  if (!Array.isArray(told)) return []
  return told
    .filter(isObject)
    .filter(({ vulnerable_versions: range }) => {
      const bounded = typeof range === "string" && range.length <= LocalLimits.registryWordsLength
      return bounded && semver.satisfies(version, range, { includePrerelease: true, loose: true })
    })
    .slice(0, LocalLimits.registryAdvisories)
    .map(({ id, severity, title, url }) => ({
      id: words(id),
      title: words(title),
      severity: words(severity),
      url: linkOf(url)
    }))
}

const packed = (text: string) =>
  Effect.callback<Buffer>((resume) =>
    gzip(text, (error, bytes) => resume(error === null ? Effect.succeed(bytes) : Effect.die(error)))
  )

/** Asks for the advisories of versions; by `name@version`. A registry that has none to tell is no error. */
const advisoriesOf = Effect.fnUntraced(function* (client: RegistryClient, asked: ReadonlyArray<PackageVersion>) {
  const byName = new Map<string, Array<string>>()
  for (const { name, version } of asked) byName.set(name, [...(byName.get(name) ?? []), version])
  const body = yield* packed(JSON.stringify(Object.fromEntries(byName)))
  const answer = yield* client
    .ask(
      {
        url: advisoriesAddress(client.url),
        accept: "application/json",
        mayBePacked: true,
        maxBytes: LocalLimits.registryAdvisoriesBytes,
        body
      },
      "advisories"
    )
    .pipe(Effect.option)
  const read = foreignJson(
    answer._tag === "Some" && answer.value.status === 200 ? new TextDecoder().decode(answer.value.body) : "{}"
  )
  return new Map(
    asked.map((each) => [
      `${each.name}@${each.version}`,
      advisoriesFor(
        Result.getOrElse(read, () => ({})),
        each
      )
    ])
  )
})

/** Asks a client for facts, as `PackageStore.facts` has them. What is refused or unknown has none. */
export const make = Effect.fnUntraced(function* (client: RegistryClient) {
  const histories = yield* Cache.makeWith(
    (name: string) =>
      client.packument(name, "full").pipe(
        Effect.map((packument) => (packument === null ? nothing : historyOf(packument))),
        Effect.catchTag("PackagesRefused", () => Effect.succeed(nothing))
      ),
    {
      capacity: LocalLimits.registryFactsKept,
      timeToLive: (exit: Exit.Exit<History, PackagesUnavailable>) =>
        Exit.isSuccess(exit) ? Duration.millis(LocalLimits.registryFactsMs) : Duration.zero
    }
  )
  const known = new Map<string, { readonly untilMs: number; readonly advisories: ReadonlyArray<Advisory> }>()

  /** The advisories of versions, asked for together where none are kept. */
  const advisories = Effect.fnUntraced(function* (packages: ReadonlyArray<PackageVersion>) {
    const nowMs = yield* Clock.currentTimeMillis
    for (const [key, { untilMs }] of known)
      if (untilMs <= nowMs || known.size > LocalLimits.registryFactsKept) known.delete(key)
    const unknown = packages.filter(({ name, version }) => !known.has(`${name}@${version}`))
    const found =
      unknown.length === 0 ? new Map<string, ReadonlyArray<Advisory>>() : yield* advisoriesOf(client, unknown)
    const untilMs = nowMs + LocalLimits.registryFactsMs
    for (const [key, each] of found) known.set(key, { untilMs, advisories: each })
    return (key: string) => found.get(key) ?? known.get(key)?.advisories ?? []
  })

  return Effect.fn("RegistryFacts.facts")(function* (packages: ReadonlyArray<PackageVersion>) {
    const found = yield* Effect.forEach(packages, ({ name }) => Cache.get(histories, name), {
      concurrency: LocalLimits.registryConnections
    })
    const told = yield* advisories(packages)
    return packages.map(({ name, version }, at): PackageFacts => ({
      name,
      version,
      publishedAtMs: found[at]?.publishedAtMs.get(version) ?? null,
      deprecated: found[at]?.deprecated.get(version) ?? null,
      advisories: told(`${name}@${version}`)
    }))
  })
})
