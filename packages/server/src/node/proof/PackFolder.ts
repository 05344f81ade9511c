/** A pack: everything that it takes to verify a Project, as a folder of files. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Limits } from "@pawl/core/primitives/Limits"
import {
  type Line,
  type Material,
  type MaterialUnreadable,
  type ProofRecord,
  type Trust
} from "@pawl/core/proof/Material"
import { readOnce } from "@pawl/core/primitives/StrictJson"
import { exactText } from "@pawl/core/primitives/Utf8"
import { Effect, Option, Schema, Stream } from "effect"
import { fileLines, keptFile, readWhole, smallFile, unreadable } from "./ProofFiles.ts"
import { gitSource } from "./GitSource.ts"
import { oddInPack } from "./OddFiles.ts"
import { Head } from "./KeptHeads.ts"

const Live = Schema.Struct({
  bundle: Schema.NullOr(Schema.String),
  generation: Schema.NullOr(Schema.Finite),
  channel: Schema.String,
  incarnation: Schema.Finite,
  assets: Schema.Record(Schema.String, Schema.String),
  entry: Schema.optionalKey(Schema.Finite),
  envelope: Schema.optionalKey(Schema.NullOr(Schema.String))
})

const TrustFile = Schema.Struct({
  keys: Schema.Array(Schema.String),
  log: Schema.Struct({ origin: Schema.String, spki: Schema.String }),
  origins: Schema.Array(Schema.String),
  outputsSince: Schema.optionalKey(Schema.String),
  waiting: Schema.optionalKey(Schema.Struct({ from: Schema.String, to: Schema.String })),
  /** What its maker could not read; of objects it has some then. */
  without: Schema.optionalKey(Schema.Array(Schema.Literals(["records", "objects"]))),
  /** What he could not read, and looked no further than. */
  unread: Schema.optionalKey(Schema.Array(Schema.Struct({ part: Schema.String, reason: Schema.String })))
})
/** Whom whoever made a pack believed, and what he could not read, as `trust.json` has it. */
export interface TrustFile extends Schema.Schema.Type<typeof TrustFile> {}

const LiveFile = Schema.Union([Live, Schema.Array(Live)])

const HeadsFile = Schema.Record(Schema.String, Head)

/**
 * Reads a small JSON file, where it is there. A field that nobody knows is refused: it may be one by another name, and what
 * that one says would be passed over.
 */
const jsonFile = Effect.fnUntraced(function* <A>(folder: string, name: string, schema: Schema.Codec<A, unknown>) {
  const text = yield* smallFile(join(folder, name), name, Limits.provenRecordBytes)
  if (text === null) return null
  const read = readOnce(text, Limits.provenRecordBytes)
  if ("problem" in read) return yield* unreadable(name, read.problem)
  const fields = Schema.decodeUnknownOption(schema)(read.value, { onExcessProperty: "error" })
  return Option.isSome(fields) ? fields.value : yield* unreadable(name, "it has not the fields that it should")
})

/** Where each record lies in `records.ndjson`: `["<kind> <id>", "<text>"]`, a line each. */
const recordsOf = Effect.fnUntraced(function* (folder: string) {
  const part = "records.ndjson"
  const path = join(folder, part)
  const places = new Map<string, { readonly at: number; readonly length: number }>()
  if (!existsSync(path)) return places
  let at = 0
  yield* Stream.runForEach(fileLines(path, part, 2 * Limits.provenRecordBytes), (lines) =>
    Effect.gen(function* () {
      for (const line of lines) {
        const [id] = pairOf(line) ?? []
        if (line === null || id === undefined || places.has(id)) return yield* unreadable(part, "a line is no record")
        const length = Buffer.byteLength(line)
        places.set(id, { at, length })
        at += length + 1
      }
    })
  )
  return places
})

const pairOf = (line: Line): readonly [id: string, text: string] | null => {
  const read = line === null ? null : readOnce(line, 2 * Limits.provenRecordBytes)
  if (read === null || !("value" in read) || !Array.isArray(read.value)) return null
  const [id, text, ...more]: ReadonlyArray<unknown> = read.value
  return typeof id === "string" && typeof text === "string" && more.length === 0 ? [id, text] : null
}

const recordIn =
  (folder: string, places: ReturnType<typeof recordsOf>) =>
  (kind: ProofRecord, id: string): Effect.Effect<string | null, MaterialUnreadable> =>
    Effect.map(places, (known) => {
      const place = known.get(`${kind} ${id}`)
      if (place === undefined) return null
      return pairOf(exactText(readWhole(join(folder, "records.ndjson"), place.at, place.length)))?.[1] ?? null
    })

const sha256Text = /^[0-9a-f]{64}$/

const projectOf = (origin: string) => /^(.+)\/log\/([^/]+)$/.exec(origin)?.[2]

/** Whether a folder is a pack. */
export const isPack = (folder: string): boolean => existsSync(join(folder, "statements.intoto.jsonl"))

/** Reads a pack, with what its `trust.json` says of whom to believe. Fails with `MaterialUnreadable`. */
export const readPack = Effect.fnUntraced(function* (folder: string) {
  const trusted = yield* jsonFile(folder, "trust.json", TrustFile)
  const project = projectOf(trusted?.log.origin ?? "")
  if (trusted === null || project === undefined) return yield* unreadable("trust.json", "it names no log of a Project")
  const trust: Trust = {
    keys: trusted.keys,
    project,
    origin: trusted.log.origin,
    logKey: trusted.log.spki,
    origins: trusted.origins,
    outputsSince: trusted.outputsSince,
    waiting: trusted.waiting
  }
  const { without = [] } = trusted
  const live = yield* jsonFile(folder, "live.json", LiveFile)
  // Nobody who looks at statements alone waits for them.
  const places = yield* Effect.cached(recordsOf(folder))
  const checkpoint = yield* smallFile(join(folder, "checkpoint"), "checkpoint", Limits.checkpointBytes)
  if (checkpoint === null) return yield* unreadable("checkpoint", "it is not there")
  const seen = yield* smallFile(join(folder, "seen"), "seen", Limits.checkpointBytes)
  const sources = join(folder, "repo.git")
  const repository = existsSync(sources) ? { folder: sources, main: "refs/heads/main" } : null
  const material: Material = {
    statements: fileLines(join(folder, "statements.intoto.jsonl"), "statements", Limits.envelopeBytes),
    keys: fileLines(join(folder, "keys.intoto.jsonl"), "keys", Limits.envelopeBytes),
    record: without.includes("records") ? null : recordIn(folder, places),
    object: ({ sha256 }) =>
      sha256Text.test(sha256) ? keptFile(join(folder, "objects", sha256), "objects") : Effect.succeed(null),
    someObjects: without.includes("objects"),
    checkpoint,
    keysCheckpoint: yield* smallFile(join(folder, "keys.checkpoint"), "keys.checkpoint", Limits.checkpointBytes),
    seen: seen === null ? [] : [seen],
    live: live === null ? [] : "bundle" in live ? [live] : live,
    source: repository === null ? null : yield* gitSource(repository, oddInPack),
    heads: yield* jsonFile(folder, "heads.json", HeadsFile),
    unread: trusted.unread
  }
  return { material, trust, repository }
})
