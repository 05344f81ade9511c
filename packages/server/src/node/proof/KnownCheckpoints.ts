/**
 * What whoever verifies remembers: the newest checkpoint of each chain, and the keys that were pinned. It lies in a folder of
 * state of the person (XDG Base Directory), apart from what is verified, which chooses no path in it.
 */
import { hash } from "node:crypto"
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { isOlder, SeenRelease } from "@pawl/core/proof/HostProof"
import { type Checkpoint, readCheckpoint } from "@pawl/core/provenance/Checkpoint"
import { Data, Effect, Option, Schema } from "effect"

/** What is remembered cannot be read, or nothing can be written there. */
export class MemoryUnusable extends Data.TaggedError("MemoryUnusable")<{ readonly reason: string }> {
  override get message() {
    return this.reason
  }
}

const unusable = (error: unknown) =>
  new MemoryUnusable({ reason: error instanceof Error ? error.message : String(error) })

/** Where it lies: `$XDG_STATE_HOME/pawl`, else `~/.local/state/pawl`. */
export const stateFolder = (): string => {
  const { XDG_STATE_HOME: given = "" } = process.env
  return join(given.startsWith("/") ? given : join(homedir(), ".local", "state"), "pawl")
}

/** An id as the name of a file: what is none (it stands in hostile material) by its digest. */
const fileOf = (id: string): string => (/^[\w-]{1,100}$/.test(id) ? id : hash("sha256", id))

/** A chain as it is remembered: by its Project's id, or `instance`, never by the name of its log, which whoever writes it chooses. */
export interface KnownChain {
  readonly chain: string
  /** The first key of the history of keys: who makes one up under a key of their own is remembered apart. */
  readonly key: string
}

const checkpointPath = (state: string, { chain, key }: KnownChain): string =>
  join(state, "checkpoints", fileOf(chain), fileOf(key))
const pinsPath = (state: string, project: string): string => join(state, "pinned", fileOf(project))

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT"

const readText = (path: string): Effect.Effect<string | null, MemoryUnusable> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(readFileSync(path, "utf8"))
    } catch (error) {
      return isMissing(error) ? Effect.succeed(null) : Effect.fail(unusable(error))
    }
  })

const write = (path: string, text: string): Effect.Effect<void, MemoryUnusable> =>
  Effect.try({
    try: () => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      writeFileSync(`${path}.new`, text, { mode: 0o600 })
      renameSync(`${path}.new`, path)
    },
    catch: unusable
  })

/** The newest checkpoints of a chain that were seen, where its history of keys began with one of these. */
export const seenOf = (
  state: string,
  chain: string,
  keys: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<string>, MemoryUnusable> =>
  Effect.map(
    Effect.forEach(keys, (key) => readText(checkpointPath(state, { chain, key }))),
    (found) => found.filter((each) => each !== null)
  )

const epochOf = ({ origin }: Checkpoint): number => Number(/\/log\/[^/]+\/([0-9]+)$/.exec(origin)?.[1] ?? 1)

/** Whether a checkpoint covers more than another: of a later epoch, or more of the same one. */
const coversMore = (one: string, other: string): boolean => {
  const [ours, theirs] = [readCheckpoint(one), readCheckpoint(other)]
  if (ours === null || theirs === null) return ours !== null
  const later = epochOf(ours) - epochOf(theirs)
  return later === 0 ? ours.size > theirs.size : later > 0
}

/** Remembers a checkpoint, where none is remembered that covers more. */
export const remember = Effect.fnUntraced(function* (state: string, chain: KnownChain, checkpoint: string) {
  const path = checkpointPath(state, chain)
  const before = yield* readText(path)
  if (before === null || !coversMore(before, checkpoint)) yield* write(path, checkpoint)
})

/**
 * The chain under which is remembered what a host alone has shown of a log: without the entries nobody could see whether it
 * goes on from what was remembered of it before, so it takes the place of nothing.
 */
export const shownBy = (project: string): string => `host-${project}`

const releasePath = (state: string, { chain, key }: KnownChain): string =>
  join(state, "releases", fileOf(chain), fileOf(key))

const readRelease = Schema.decodeUnknownOption(Schema.fromJsonString(SeenRelease))

/** The newest release that hosts of a Project were seen to serve, where the history of keys began with one of these. */
export const releaseSeen = Effect.fnUntraced(function* (state: string, project: string, keys: ReadonlyArray<string>) {
  const texts = yield* Effect.forEach(keys, (key) => readText(releasePath(state, { chain: project, key })))
  const found = texts.flatMap((text) => (text === null ? [] : Option.toArray(readRelease(text))))
  return found.toSorted((one, other) => other.epoch - one.epoch || other.entry - one.entry)[0] ?? null
})

/** Remembers a release. One that was put back, as the newest allows, is none that is newer. */
export const rememberRelease = Effect.fnUntraced(function* (state: string, chain: KnownChain, release: SeenRelease) {
  const before = yield* releaseSeen(state, chain.chain, [chain.key])
  if (before === null || !isOlder(release, before)) yield* write(releasePath(state, chain), JSON.stringify(release))
})

/** The ids of keys in a text, as `pawl key show` and pinned files have them. */
export const keyidsIn = (text: string): ReadonlyArray<string> => text.match(/SHA256:[A-Za-z0-9+/]{43}/g) ?? []

/** The keys that were pinned for a Project. */
export const pinnedKeys = (state: string, project: string): Effect.Effect<ReadonlyArray<string>, MemoryUnusable> =>
  Effect.map(readText(pinsPath(state, project)), (text) => keyidsIn(text ?? ""))

/** Pins a key for a Project, and for no other one. */
export const pin = Effect.fnUntraced(function* (state: string, project: string, keyid: string) {
  const keys = new Set([...(yield* pinnedKeys(state, project)), keyid])
  yield* write(pinsPath(state, project), [...keys].map((each) => `${each}\n`).join(""))
})
