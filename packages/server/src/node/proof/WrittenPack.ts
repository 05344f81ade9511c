/**
 * Writes a pack of what a verification reads, while it reads it: what was found of the material is found of the pack again,
 * by this program and by `tools/verify.py`.
 */
import { appendFileSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { Limits } from "@pawl/core/primitives/Limits"
import { readOnce } from "@pawl/core/primitives/StrictJson"
import type {
  Heads,
  KeptThing,
  Line,
  Material,
  MaterialUnreadable,
  Thing,
  Trust,
  Unread
} from "@pawl/core/proof/Material"
import { isSigned, readCheckpoint } from "@pawl/core/provenance/Checkpoint"
import { publicKeyOf } from "@pawl/core/provenance/PublicKeys"
import { Data, Effect, Schema, Stream } from "effect"
import { gitOnce } from "./GitSource.ts"
import { oddFiles } from "./OddFiles.ts"
import type { TrustFile } from "./PackFolder.ts"
import type { Subject } from "./Subjects.ts"

/** A pack cannot be written there, or not of that. */
export class PackRefused extends Data.TaggedError("PackRefused")<{ readonly reason: string }> {
  override get message() {
    return this.reason
  }
}

const refuse = (reason: string) => new PackRefused({ reason })

const trying = <A>(work: () => A): Effect.Effect<A, PackRefused> =>
  Effect.try({ try: work, catch: (error) => refuse(error instanceof Error ? error.message : String(error)) })

/** Appends lines to a file. One that cannot be read stands there as an empty one, which is none either. */
const kept = (path: string, lines: ReadonlyArray<Line>): void =>
  appendFileSync(path, lines.map((line) => `${line ?? ""}\n`).join(""))

const keptStream = (stream: Material["statements"], path: string): Material["statements"] =>
  Stream.tap(stream, (lines) => Effect.sync(() => kept(path, lines)))

/**
 * Objects of a pack. It has each once: where one copy of several is another one, or cannot be read, it is that which tells.
 * What cannot be read stands there as a folder, which no program can read as an object either.
 */
const objectsOf = (folder: string) => {
  const known = new Map<string, "good" | "other" | "unread">()
  const pathOf = ({ sha256 }: Thing): string | null =>
    /^[0-9a-f]{64}$/.test(sha256) ? join(folder, "objects", sha256) : null
  return {
    keep: (thing: Thing, found: KeptThing | null): Effect.Effect<void, MaterialUnreadable> => {
      const path = pathOf(thing)
      if (found === null || path === null) return Effect.void
      const [before, now] = [known.get(thing.sha256), found.sha256 === thing.sha256 ? "good" : "other"] as const
      if (before !== undefined && (now === "good" || before !== "good")) return Effect.void
      return Effect.map(found.bytes, (bytes) => {
        known.set(thing.sha256, now)
        writeFileSync(path, bytes)
      })
    },
    miss: (thing: Thing): void => {
      const path = pathOf(thing)
      if (path === null || known.get(thing.sha256) === "unread") return
      known.set(thing.sha256, "unread")
      rmSync(path, { force: true })
      mkdirSync(path)
    }
  }
}

/** The material; whatever is read of it is written down. */
const recorded = (material: Material, folder: string): Material => {
  const { object, record } = material
  const records = new Set<string>()
  const objects = objectsOf(folder)
  return {
    ...material,
    statements: keptStream(material.statements, join(folder, "statements.intoto.jsonl")),
    keys: keptStream(material.keys, join(folder, "keys.intoto.jsonl")),
    record:
      record === null
        ? null
        : (kind, id) =>
            Effect.tap(record(kind, id), (text) =>
              Effect.sync(() => {
                const name = `${kind} ${id}`
                if (text === null || records.has(name)) return
                records.add(name)
                kept(join(folder, "records.ndjson"), [JSON.stringify([name, text])])
              })
            ),
    object:
      object === null
        ? null
        : (thing) =>
            Effect.tapError(
              Effect.tap(object(thing), (found) => objects.keep(thing, found)),
              () => Effect.sync(() => objects.miss(thing))
            )
  }
}

const LogKey = Schema.Struct({ predicate: Schema.Struct({ use: Schema.Literal("log"), spki: Schema.String }) })
const Envelope = Schema.Struct({ payload: Schema.String })

const jsonOf = (text: string): unknown => {
  const read = readOnce(text, Limits.envelopeBytes)
  return "value" in read ? read.value : null
}

/** The log's key: the one that signed the checkpoint, else the newest of the history. */
const logKeyOf = Effect.fnUntraced(function* (keys: ReadonlyArray<Line>, checkpoint: string) {
  const note = readCheckpoint(checkpoint)
  let newest = ""
  for (const line of keys) {
    const envelope = line === null ? null : jsonOf(line)
    const said = Schema.is(Envelope)(envelope) ? jsonOf(Buffer.from(envelope.payload, "base64").toString()) : null
    if (!Schema.is(LogKey)(said)) continue
    newest = said.predicate.spki
    const key = publicKeyOf(newest)
    if (note !== null && key !== null && (yield* Effect.promise(() => isSigned(note, [key])))) return newest
  }
  return newest
})

const isOf = (origin: string, log: string): boolean => origin === log || origin.startsWith(`${log}/`)

/** Those of the Project's log, and of the key history's. */
const ownHeads = (heads: Heads, origin: string): Heads => {
  const ofKeys = `${origin.slice(0, origin.lastIndexOf("/") + 1)}instance`
  return Object.fromEntries(Object.entries(heads).filter(([name]) => isOf(name, origin) || isOf(name, ofKeys)))
}

/** What a kept checkpoint of a log covers; nothing for one of another log. */
const sizeOf = (text: string, log: string): number => {
  const note = readCheckpoint(text)
  return note !== null && isOf(note.origin, log) ? note.size : -1
}

/** What git needs of a repository to read it: no settings, no hooks, no links to elsewhere, and nothing that is no file. */
const copyRepository = ({ folder, main }: NonNullable<Subject["repository"]>, to: string, head: string | null) => {
  if (existsSync(join(folder, "objects", "info", "alternates")))
    throw new Error("this repository borrows objects from another one: run git repack -ad in it first")
  mkdirSync(to)
  const filter = (path: string) => {
    const found = lstatSync(path)
    return (found.isFile() || found.isDirectory()) && !basename(path).startsWith("tmp_") && !path.endsWith(".lock")
  }
  for (const name of ["objects", "refs", "packed-refs"])
    if (existsSync(join(folder, name))) cpSync(join(folder, name), join(to, name), { recursive: true, filter })
  // Of a repository that is lost, an empty one.
  for (const name of ["objects", "refs"]) mkdirSync(join(to, name), { recursive: true })
  writeFileSync(join(to, "HEAD"), "ref: refs/heads/main\n")
  writeFileSync(join(to, "config"), "[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
  // What it was when it was looked at: a server may have moved it meanwhile.
  if (head !== null) gitOnce(to, ["update-ref", "refs/heads/main", head])
  else if (main !== "refs/heads/main") gitOnce(to, ["update-ref", "-d", "refs/heads/main"])
}

/** What could not be read, for whoever reads the pack: what stopped the reading, and what git would have waited for. */
const unreadOf = (stopped: Unread | null, repository: Subject["repository"]): ReadonlyArray<Unread> => {
  const odd = repository === null ? [] : oddFiles(repository.folder).slice(0, Limits.findingsKept)
  return [
    ...(stopped === null ? [] : [stopped]),
    ...odd.map((name) => ({ part: "repo.git", reason: `${name} is no file` }))
  ]
}

/** A pack that is being written. */
export interface Packing {
  /** To verify by: all that is read of it is written. */
  readonly material: Material
  /** Writes the rest, once all was read, or what could not be read had stopped it. */
  readonly end: (trust: Trust, stopped: Unread | null) => Effect.Effect<void, PackRefused>
}

/** Begins a pack in a new folder. */
export const beginPack = Effect.fnUntraced(function* (folder: string, { material, origin, repository }: Subject) {
  const { checkpoint, seen } = material
  if (checkpoint === null)
    return yield* refuse("--pack: there is no checkpoint yet, and a pack has one: ask again when the server has run")
  if (existsSync(folder) && (yield* trying(() => readdirSync(folder))).length > 0)
    return yield* refuse(`--pack: ${folder} is not empty`)
  yield* trying(() => mkdirSync(join(folder, "objects"), { recursive: true }))
  const lines: Array<Line> = []
  let head: string | null = null
  const { source } = material
  const reading = recorded(
    {
      ...material,
      keys: Stream.tap(material.keys, (some) => Effect.sync(() => void lines.push(...some))),
      source:
        source === null
          ? null
          : { ...source, main: Effect.tap(source.main, (found) => Effect.sync(() => void (head = found))) }
    },
    folder
  )
  const write = (name: string, content: unknown) => writeFileSync(join(folder, name), JSON.stringify(content))
  const end = Effect.fnUntraced(function* (trust: Trust, stopped: Unread | null) {
    const spki = yield* logKeyOf(lines, checkpoint)
    const without = [
      ...(material.record === null ? (["records"] as const) : []),
      ...(material.object === null || material.someObjects === true ? (["objects"] as const) : [])
    ]
    const unread = unreadOf(stopped, repository)
    const file: TrustFile = {
      keys: trust.keys,
      log: { origin, spki },
      origins: trust.origins,
      ...(trust.outputsSince === undefined ? {} : { outputsSince: trust.outputsSince }),
      ...(trust.waiting === undefined ? {} : { waiting: trust.waiting }),
      ...(without.length === 0 ? {} : { without }),
      ...(unread.length === 0 ? {} : { unread })
    }
    yield* trying(() => {
      for (const name of ["statements.intoto.jsonl", "keys.intoto.jsonl"]) kept(join(folder, name), [])
      write("trust.json", file)
      writeFileSync(join(folder, "checkpoint"), checkpoint)
      if (material.keysCheckpoint !== null) writeFileSync(join(folder, "keys.checkpoint"), material.keysCheckpoint)
      // A pack has one: of its own log the one that covers most; before that one of a log by another name, which is a finding.
      const keysOf = origin.replace(/[^/]*$/, "instance")
      const others = seen.filter((each) => sizeOf(each, origin) < 0 && sizeOf(each, keysOf) < 0)
      const [newest] = [...others, ...seen.toSorted((one, other) => sizeOf(other, origin) - sizeOf(one, origin))]
      if (newest !== undefined && (others.length > 0 || sizeOf(newest, origin) >= 0))
        writeFileSync(join(folder, "seen"), newest)
      const { live } = material
      if (live.length > 0) write("live.json", live.length === 1 ? live[0] : live)
      if (material.heads !== null) write("heads.json", ownHeads(material.heads, origin))
      if (repository !== null) copyRepository(repository, join(folder, "repo.git"), head)
    })
  })
  return { material: reading, end } satisfies Packing
})
