/** What a host serves now: what it says of itself, and the files that it hands out. None of it is believed. */
import { hash } from "node:crypto"
import { Bundle } from "@pawl/core/bundle/Bundle"
import { Limits } from "@pawl/core/primitives/Limits"
import { exactText } from "@pawl/core/primitives/Utf8"
import type { Live, Material, MaterialUnreadable } from "@pawl/core/proof/Material"
import { readOnce } from "@pawl/core/primitives/StrictJson"
import { HostPage } from "@pawl/core/proof/HostProof"
import { encodePath } from "@pawl/router/AssetPath"
import { statementPath } from "@pawl/router/ReleaseStatement"
import { type Site, siteOf, siteRoute } from "@pawl/router/Routes"
import { Effect, Option, Schema } from "effect"
import { ServerLimits } from "../../ServerLimits.ts"
import { askHost, below } from "./HostAnswers.ts"
import { unreadable } from "./ProofFiles.ts"

const part = "live"

/** What a host says of itself, as far as it is read. */
const Said = Schema.Struct({
  project: Schema.String,
  channel: Schema.String,
  incarnation: Schema.Finite,
  generation: Schema.NullOr(Schema.Finite),
  commit: Schema.NullOr(Schema.String),
  bundle: Schema.Struct({ sha256: Schema.NullOr(Schema.String) }),
  statement: Schema.NullOr(Schema.Struct({ payload: Schema.String }))
})
interface Said extends Schema.Schema.Type<typeof Said> {}

/** A host, as it was found. */
export interface ServedApp {
  /** The Project that it says that it serves; null where it serves nothing any more. */
  readonly project: string | null
  /** With the digests of its files, where the bundle.json can be had that names them. */
  readonly live: (object: Material["object"]) => Effect.Effect<Live, MaterialUnreadable>
}

const jsonOf = (text: string | null): unknown => {
  const read = text === null ? null : readOnce(text, Limits.provenObjectBytes)
  return read !== null && "value" in read ? read.value : null
}

const Entry = Schema.Struct({ predicate: Schema.Struct({ entry: Schema.Finite }) })

/** The entry that a host's statement says that it is. */
const entryOf = ({ statement }: Said): number | undefined => {
  const payload = statement === null ? null : exactText(Buffer.from(statement.payload, "base64"))
  const said = jsonOf(payload)
  return Schema.is(Entry)(said) ? said.predicate.entry : undefined
}

const moves = 3

/** The path at which a file is shown as it is; null for one that an app or a rule hides. */
const shownAt = (site: Site, path: string, hostname: string): string | null => {
  let pathname = encodePath(`/${path}`)
  for (let move = 0; move < moves; move++) {
    const route = siteRoute(site, { method: "GET", pathname, search: "", hostname }, false)
    if (route._tag === "File") return route.file === site.files.get(`/${path}`) ? pathname : null
    if (route._tag !== "Move" || !route.to.startsWith("/")) return null
    pathname = route.to
  }
  return null
}

const bundleJson = Effect.fnUntraced(function* ({ bundle: { sha256 }, commit }: Said, object: Material["object"]) {
  if (object === null || sha256 === null || commit === null) return null
  const kept = yield* object({ as: "bundle", sha256, commit })
  if (kept?.sha256 !== sha256) return null
  const text = exactText(yield* kept.bytes)
  return Option.getOrNull(Schema.decodeUnknownOption(Bundle)(jsonOf(text)))
})

const filesOf = Effect.fnUntraced(function* (address: string, bundle: Bundle) {
  const site = siteOf(bundle, "bundle.json")
  const { hostname } = new URL(address)
  const shown = Object.entries(bundle.assets.manifest).flatMap(([path, entry]) => {
    const pathname = shownAt(site, path, hostname)
    return pathname === null ? [] : [{ path, pathname, bytes: entry.size }]
  })
  const asked = yield* Effect.forEach(
    shown,
    ({ bytes, path, pathname }) =>
      // A few bytes more are no fault of the connection: they are others.
      askHost({ url: below(address, pathname), part, bytes: bytes + Limits.provenRecordBytes }).pipe(
        Effect.map(({ body, status }) => [path, status === 200 ? hash("sha256", body) : `status ${status}`] as const)
      ),
    { concurrency: ServerLimits.verifyFilesAtOnce }
  )
  return Object.fromEntries(asked)
})

const nothing: Live = { bundle: null, generation: null, channel: "production", incarnation: 0, assets: {} }

/** What a host answers when it is asked of itself; null where that is nothing. */
const asked = Effect.fnUntraced(function* (address: string) {
  const { body, status } = yield* askHost({ url: below(address, statementPath), part, bytes: 4 * Limits.envelopeBytes })
  return { status, said: status === 200 ? jsonOf(exactText(body)) : null }
})

/** What a host says of itself, all of it; null where it says nothing. */
export const readHostPage = Effect.fnUntraced(function* (address: string) {
  const { said } = yield* asked(address)
  return Schema.is(HostPage)(said) ? said : null
})

/** Asks a host what it serves. One that says nothing of itself is `MaterialUnreadable`, unless its app was removed. */
export const readApp = Effect.fnUntraced(function* (address: string) {
  const { said, status } = yield* asked(address)
  if (!Schema.is(Said)(said)) {
    const page = yield* askHost({ url: below(address, "/"), part, bytes: Limits.provenObjectBytes })
    const gone: ServedApp = { project: null, live: () => Effect.succeed(nothing) }
    if (status === 404 && page.status === 410) return gone
    return yield* unreadable(
      part,
      `${statementPath} of ${address} says nothing (it answers ${status}): no app is there, or PAWL_PROVENANCE_PUBLIC is none`
    )
  }
  const { bundle, channel, generation, incarnation, project } = said
  const live: ServedApp["live"] = (object) =>
    Effect.gen(function* () {
      const made = yield* bundleJson(said, object)
      const assets = made === null ? {} : yield* filesOf(address, made)
      const envelope = said.statement === null ? undefined : JSON.stringify(said.statement)
      return { bundle: bundle.sha256, generation, channel, incarnation, assets, entry: entryOf(said), envelope }
    })
  return { project, live } satisfies ServedApp
})
