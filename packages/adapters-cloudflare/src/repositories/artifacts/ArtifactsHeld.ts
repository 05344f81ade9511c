/**
 * Repositories on Artifacts, each one a repository of its own there. Each call asks for the refs, and fetches what is new as
 * one pack; what a write made is pushed as one pack, and the ref that moves is compared by Artifacts itself. A fork has its
 * own copy of what it was made of, so what is pushed to it may be more than what is new here.
 */
import { Effect } from "effect"
import { ObjectNotFound, type RepositoriesUnavailable, type RepositoryRef } from "@pawl/core/project/Repositories"
import { CloudflareLimits } from "../../CloudflareLimits.ts"
import { closure } from "../Ancestry.ts"
import { commitLinks, type GitObject } from "../GitObject.ts"
import {
  away,
  type HeldRepositories,
  type Kept,
  KeptRepositories,
  type Line,
  type Made,
  takeIn,
  tooLarge,
  unpacked
} from "../HeldRepositories.ts"
import { packOf } from "../Pack.ts"
import type { Objects } from "../Tree.ts"
import { forkRef, forksIn, keepRef, mainRef, repositoryName } from "./ArtifactsNames.ts"
import type { Doors, Seen } from "./Doors.ts"
import { fetched, type Fetch, pushed, type RefMove } from "./GitRemote.ts"

/** What is kept of a repository. */
interface KeptRepository extends Kept {
  /** Tips that were seen. */
  readonly tips: Set<string>
  /** What the repository itself has: of a fork also what canonical has as well. */
  readonly has: Set<string>
}

interface Brought {
  readonly seen: Seen
  readonly held: KeptRepository
}

type Bring = (
  ref: RepositoryRef,
  behind: KeptRepository | null
) => Effect.Effect<Brought | null, RepositoriesUnavailable>

const missing = (ref: RepositoryRef) => new ObjectNotFound({ what: "repository", id: ref.fork ?? ref.project })
const broken = away("Artifacts has a commit without all that it is made of")

const bringing = (fetch: Fetch, doors: Doors, kept: KeptRepositories<KeptRepository>): Bring =>
  Effect.fnUntraced(function* (ref, behind) {
    const seen = yield* doors.see(repositoryName(ref))
    if (seen === null) {
      kept.forget(ref)
      return null
    }
    const { capabilities, door, refs } = seen
    const known = kept.get(ref)
    const held: KeptRepository =
      known !== null && known.born === door.born
        ? known
        : { born: door.born, objects: new Map(), bytes: 0, tips: new Set(), has: new Set() }
    const get = (id: string) => held.objects.get(id) ?? behind?.objects.get(id)
    const tips = new Set(refs.values())
    const wanted = [...tips].filter((id) => get(id) === undefined)
    if (wanted.length > 0) {
      const there = [...tips].filter((id) => get(id) !== undefined)
      const told = new Set([...there, ...held.tips, ...(behind?.tips ?? [])])
      const pack = yield* Effect.catchTag(
        fetched(fetch, door, { capabilities, wanted, known: [...told] }),
        "DoorClosed",
        () => away("the repository went away while it was read")
      )
      takeIn(held, yield* unpacked(pack, get))
      if (held.bytes > CloudflareLimits.repositoryBytes) return yield* tooLarge
    }
    for (const tip of tips) {
      held.tips.add(tip)
      if (held.has.has(tip)) continue
      const whole = closure({ get }, tip, (id) => held.has.has(id))
      if (whole === null) return yield* broken
      for (const id of whole.keys()) held.has.add(id)
    }
    kept.keep(ref, held)
    return { seen, held }
  })

/** The commits among new objects that no other of them rests on. */
const newest = (objects: ReadonlyMap<string, GitObject>): ReadonlyArray<string> => {
  const commits = Array.from(objects.values()).filter(({ type }) => type === "commit")
  const below = new Set(commits.flatMap(({ body }) => commitLinks(body).parents))
  return commits.flatMap(({ id }) => (below.has(id) ? [] : [id]))
}

/** The refs that keep what was made, and `main`. */
const movesOf = ({ main, objects }: Made): ReadonlyArray<RefMove & { readonly to: string }> => [
  ...newest(objects)
    .filter((id) => id !== main?.to)
    .map((to) => ({ ref: keepRef(to), from: null, to })),
  ...(main === null ? [] : [{ ref: mainRef, ...main }])
]

/** What a repository lacks of these commits; null when some of that is not at hand. */
const lacking = (objects: Objects, { has }: KeptRepository, commits: ReadonlyArray<string>) => {
  const found = new Map<string, GitObject>()
  for (const commit of commits) {
    const whole = closure(objects, commit, (id) => has.has(id) || found.has(id))
    if (whole === null) return null
    for (const [id, object] of whole) found.set(id, object)
  }
  return found
}

/** Moves refs of a repository that was seen; false where another was quicker, or it is gone. */
const moving =
  (fetch: Fetch, doors: Doors) =>
  (name: string, { door }: Seen, moves: ReadonlyArray<RefMove>, pack: Uint8Array | null) =>
    Effect.catchTag(pushed(fetch, door, moves, pack), "DoorClosed", () =>
      Effect.sync(() => {
        doors.forget(name)
        return false
      })
    )

type Move = ReturnType<typeof moving>

/** Adds to a repository that was brought. */
const adding = (move: Move) =>
  Effect.fnUntraced(function* (ref: RepositoryRef, line: Line, { held, seen }: Brought, made: Made) {
    const moves = movesOf(made)
    const objects = { get: (id: string) => made.objects.get(id) ?? line.get(id) }
    const sent = lacking(
      objects,
      held,
      moves.map(({ to }) => to)
    )
    if (sent === null) return yield* broken
    const pack = packOf([...sent.values()])
    if (pack.length > CloudflareLimits.repositoryBytes) return yield* tooLarge
    if (!(yield* move(repositoryName(ref), seen, moves, pack))) return false
    takeIn(held, made.objects.values())
    for (const id of sent.keys()) held.has.add(id)
    for (const { to } of moves) held.tips.add(to)
    return true
  })

/** Makes a fork, of which the canonical repository is told before: who deletes that deletes its forks. */
const forking = (doors: Doors, move: Move) =>
  Effect.fnUntraced(function* (ref: RepositoryRef) {
    const [source, name] = [repositoryName({ project: ref.project }), repositoryName(ref)]
    const canonical = yield* doors.see(source)
    const [first] = canonical?.refs.values() ?? []
    if (canonical === null || first === undefined) return false
    if (!canonical.refs.has(forkRef(name))) {
      const moves = [{ ref: forkRef(name), from: null, to: canonical.refs.get(mainRef) ?? first }]
      const isTold = yield* move(source, canonical, moves, packOf([]))
      // Another made the same fork.
      if (!isTold && (yield* doors.see(source))?.refs.has(forkRef(name)) !== true)
        return yield* away("the canonical repository was not told of a fork")
    }
    if ((yield* doors.see(name)) !== null) return true
    yield* canonical.refs.has(mainRef) ? doors.fork(source, name) : doors.create(name)
    return true
  })

const dropping = (doors: Doors, move: Move) =>
  Effect.fnUntraced(function* (ref: RepositoryRef) {
    const [source, name] = [repositoryName({ project: ref.project }), repositoryName(ref)]
    const canonical = yield* doors.see(source)
    if (ref.fork === undefined) {
      // Forks first: nothing else knows of them.
      const options = { concurrency: CloudflareLimits.artifactsDeletesAtOnce, discard: true }
      yield* Effect.forEach(forksIn(canonical?.refs.keys() ?? []), doors.remove, options)
      return yield* doors.remove(source)
    }
    yield* doors.remove(name)
    const told = canonical?.refs.get(forkRef(name))
    if (canonical !== null && told !== undefined)
      yield* move(source, canonical, [{ ref: forkRef(name), from: told, to: null }], null)
  })

/** Repositories on Artifacts. */
export interface HeldOnArtifacts extends HeldRepositories {
  /** Whether a repository is in memory already. */
  readonly holds: (ref: RepositoryRef) => boolean
}

/** Repositories of a namespace, reached through these. Nothing is kept yet. */
export const make = (fetch: Fetch, doors: Doors): HeldOnArtifacts => {
  const kept = new KeptRepositories<KeptRepository>()
  const brought = new WeakMap<Line, Brought>()
  const bring = bringing(fetch, doors, kept)
  const move = moving(fetch, doors)
  const add = adding(move)
  const fork = forking(doors, move)
  const drop = dropping(doors, move)
  return {
    holds: (ref) => kept.get(ref) !== null,
    line: Effect.fnUntraced(function* (ref: RepositoryRef) {
      const isFork = ref.fork !== undefined
      const behind = isFork ? ((yield* bring({ project: ref.project }, null))?.held ?? null) : null
      const own = (yield* bring(ref, behind)) ?? (yield* missing(ref))
      const { held, seen } = own
      const line: Line = {
        own: { born: held.born, bytes: held.bytes, main: isFork ? null : (seen.refs.get(mainRef) ?? null) },
        get: (id) => held.objects.get(id) ?? behind?.objects.get(id)
      }
      brought.set(line, own)
      return line
    }),
    open: (ref) => (ref.fork === undefined ? Effect.as(doors.create(repositoryName(ref)), true) : fork(ref)),
    add: (ref, line, made) => {
      const own = brought.get(line)
      return own === undefined ? Effect.die("a line of another repository") : add(ref, line, own, made)
    },
    compact: (ref) =>
      Effect.flatMap(doors.see(repositoryName(ref)), (seen): Effect.Effect<void, ObjectNotFound> =>
        seen === null ? Effect.fail(missing(ref)) : Effect.void
      ),
    drop: (ref) =>
      Effect.andThen(
        drop(ref),
        Effect.sync(() => kept.forget(ref))
      )
  }
}
