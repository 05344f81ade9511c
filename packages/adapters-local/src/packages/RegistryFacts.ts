/**
 * What a registry says of versions: when they were published, whether they are deprecated and ask for scripts, which
 * advisories are known.
 * It is kept for a while. It is the registry's word, and nobody's proof.
 */
import { gzip } from "node:zlib"
import { type PackageFacts, PackagesUnavailable } from "@pawl/core/packages/PackageStore"
import { steadyMillis } from "@pawl/core/primitives/Time"
import { Effect, Result } from "effect"
import semver from "semver"
import { LocalLimits } from "../LocalLimits.ts"
import { advisoriesAddress, packumentAddress, wrongPackage } from "./RegistryAddress.ts"
import type { PackageVersion, RegistryClient } from "./RegistryClient.ts"
import { HistoryReader, type VersionHistory } from "./RegistryHistory.ts"
import { foreignJson, isObject } from "./TarballManifest.ts"
import { textOf } from "@pawl/core/primitives/Utf8"

type Advisory = NonNullable<PackageFacts["advisories"]>[number]

/** Words of the registry, for people: one line, bounded. */
const words = (value: unknown): string =>
  (typeof value === "string" || typeof value === "number" ? String(value) : "")
    .replace(/[\p{Cc}\u2028-\u202e]+/gu, " ")
    .slice(0, LocalLimits.registryWordsLength)

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

/** What a registry says against some versions, by `name@version`. */
interface Advised {
  /** Null when it said nothing that can be read. */
  readonly advisories: ReadonlyMap<string, ReadonlyArray<Advisory>> | null
  /** Whether it would say the same a moment later: an answer, or that it has none for anybody. */
  readonly isLasting: boolean
}

/** Asks for the advisories of versions. A registry that has none to tell is no error, and nothing is known then. */
const advisoriesOf = Effect.fnUntraced(function* (
  client: RegistryClient,
  asked: ReadonlyArray<PackageVersion>,
  names: ReadonlyMap<string, ReadonlySet<string>>
): Effect.fn.Return<Advised> {
  const question = Object.fromEntries([...names].map(([name, versions]) => [name, [...versions]]))
  const body = yield* packed(JSON.stringify(question))
  const answer = yield* client
    .ask(
      {
        url: advisoriesAddress(client.url),
        accept: "application/json",
        mayBePacked: true,
        maxBytes: LocalLimits.registryAdvisoriesBytes,
        body,
        into: null
      },
      "advisories"
    )
    .pipe(Effect.option)
  if (answer._tag === "None") return { advisories: null, isLasting: false }
  if (answer.value.status !== 200) return { advisories: null, isLasting: true }
  const read = foreignJson(textOf(answer.value.body))
  if (Result.isFailure(read) || !isObject(read.success)) return { advisories: null, isLasting: false }
  const said = read.success
  return { advisories: new Map(asked.map((each) => [keyOf(each), advisoriesFor(said, each)])), isLasting: true }
})

/** What the registry's document of a package says of some versions. What is refused or unknown has nothing in it. */
const historyOf = Effect.fnUntraced(function* (client: RegistryClient, name: string, versions: ReadonlySet<string>) {
  const none: ReadonlyMap<string, VersionHistory> = new Map()
  if (wrongPackage({ name, version: "0.0.0" }) !== null) return none
  let reader = new HistoryReader(versions)
  const answer = yield* client
    .ask(
      {
        url: packumentAddress(client.url, name),
        accept: "application/json",
        mayBePacked: true,
        maxBytes: LocalLimits.registryHistoryBytes,
        body: null,
        into: () => (reader = new HistoryReader(versions))
      },
      name
    )
    .pipe(Effect.catchTag("PackagesRefused", () => Effect.succeed({ status: 404 })))
  if (answer.status !== 200) return none
  try {
    return reader.end()
  } catch {
    return yield* new PackagesUnavailable({ reason: `${name}: what the registry says ends in the middle` })
  }
})

/** Versions by their package's name. */
const byName = (packages: ReadonlyArray<PackageVersion>): ReadonlyMap<string, ReadonlySet<string>> => {
  const names = new Map<string, Set<string>>()
  for (const { name, version } of packages) names.set(name, (names.get(name) ?? new Set<string>()).add(version))
  return names
}

const keyOf = ({ name, version }: PackageVersion): string => `${name}@${version}`

interface Kept {
  readonly untilMs: number
  readonly facts: PackageFacts
}

/** Asks a client for facts, as `PackageStore.facts` has them. What is refused or unknown has none. */
export const make = (client: RegistryClient) =>
  Effect.sync(() => {
    const kept = new Map<string, Kept>()

    const fetched = Effect.fnUntraced(function* (packages: ReadonlyArray<PackageVersion>) {
      const wanted = byName(packages)
      const histories = new Map(
        yield* Effect.forEach(
          wanted,
          ([name, versions]) => Effect.map(historyOf(client, name, versions), (history) => [name, history] as const),
          { concurrency: LocalLimits.registryConnections }
        )
      )
      const { advisories, isLasting } = yield* advisoriesOf(client, packages, wanted)
      const found = packages.map((each): PackageFacts => {
        const history = histories.get(each.name)?.get(each.version)
        const deprecated = history?.deprecated ?? null
        return {
          name: each.name,
          version: each.version,
          publishedAtMs: history?.publishedAtMs ?? null,
          deprecated: deprecated === null ? null : words(deprecated),
          installScript: history?.installScript ?? null,
          advisories: advisories?.get(keyOf(each)) ?? null
        }
      })
      return { found, isLasting }
    })

    return Effect.fnUntraced(function* (packages: ReadonlyArray<PackageVersion>) {
      const nowMs = yield* steadyMillis
      for (const [key, { untilMs }] of kept)
        if (untilMs <= nowMs || kept.size > LocalLimits.registryFactsKept) kept.delete(key)
      const unknown = packages.filter((each) => !kept.has(keyOf(each)))
      const { found, isLasting } = unknown.length === 0 ? { found: [], isLasting: true } : yield* fetched(unknown)
      const fresh = new Map(found.map((facts) => [keyOf(facts), facts]))
      if (isLasting)
        for (const [key, facts] of fresh) kept.set(key, { untilMs: nowMs + LocalLimits.registryFactsMs, facts })
      const nothing = { publishedAtMs: null, deprecated: null, installScript: null, advisories: null }
      return packages.map(
        ({ name, version }): PackageFacts =>
          fresh.get(keyOf({ name, version })) ??
          kept.get(keyOf({ name, version }))?.facts ?? { name, version, ...nothing }
      )
    })
  })
