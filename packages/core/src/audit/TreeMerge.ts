/**
 * The three-way merge of trees, path by path over their listings: the audit's own way to a merged tree. It shares no
 * code with the merge that composes Candidates; only where both sides changed one file are contents looked at.
 */
import { Effect } from "effect"
import { sameBytes } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"
import { wholeText } from "../primitives/Utf8.ts"
import { Repositories, type RepositoryRef } from "../project/Repositories.ts"
import { isMerge, type MergedTexts } from "./LineMerge.ts"

interface Entry {
  readonly id: string
  readonly executable: boolean
}
type Entries = ReadonlyMap<string, Entry>

interface Tree {
  readonly id: string
  readonly entries: Entries
}

/** Trees by their git object ids, and the repository that holds them. */
export interface MergedTrees {
  readonly ref: RepositoryRef
  readonly base: string
  readonly ours: string
  readonly theirs: string
  /** The tree that is said to be the merge of the others. */
  readonly result: string
}

const load = (ref: RepositoryRef, id: string) =>
  Effect.map(
    Effect.flatMap(Repositories, (repositories) => repositories.list(ref, id)),
    (entries): Tree => ({
      id,
      entries: new Map(
        entries.flatMap(({ path, type, id: blob, executable }) =>
          type === "file" ? [[path, { id: blob, executable }] as const] : []
        )
      )
    })
  )

const same = (one: Entry | undefined, other: Entry | undefined): boolean =>
  one?.id === other?.id && one?.executable === other?.executable

/** What is not `base` of two; `ours` when both are not. */
const chosen = <A>(base: A, ours: A, theirs: A): A => (ours === base ? theirs : ours)

interface Sides {
  readonly base: string | null
  readonly ours: string
  readonly theirs: string
}

/** The paths at which the result is not the merge. Empty: it is. */
export const differences = Effect.fnUntraced(function* (trees: MergedTrees) {
  const { ref } = trees
  const base = yield* load(ref, trees.base)
  const ours = yield* load(ref, trees.ours)
  const theirs = yield* load(ref, trees.theirs)
  const result = yield* load(ref, trees.result)
  const merges = contentMerge(ref, { base, ours, theirs, result })
  const wrong = new Set<string>()
  for (const path of new Set([base, ours, theirs, result].flatMap(({ entries }) => [...entries.keys()]))) {
    const [b, o, t, r] = [base, ours, theirs, result].map(({ entries }) => entries.get(path))
    if (same(o, t) || same(t, b) ? same(r, o) : same(o, b) ? same(r, t) : false) continue
    const oneSided = same(o, t) || same(t, b) || same(o, b)
    const merged =
      !oneSided &&
      o !== undefined &&
      t !== undefined &&
      r?.executable === chosen(b?.executable ?? false, o.executable, t.executable) &&
      (yield* merges({ base: b === undefined ? null : path, ours: path, theirs: path }, path))
    if (!merged) wrong.add(path)
  }
  yield* explainMoves({ base, ours, theirs, result }, wrong, merges)
  return [...wrong]
})

interface Trees {
  readonly base: Tree
  readonly ours: Tree
  readonly theirs: Tree
  readonly result: Tree
}

/** Whether the result's file at a path holds the merge of three files at theirs. */
const contentMerge = (ref: RepositoryRef, trees: Trees) =>
  Effect.fnUntraced(function* (from: Sides, at: string) {
    const entry = (tree: Tree, path: string | null) => (path === null ? undefined : tree.entries.get(path))
    const [b, o, t] = [entry(trees.base, from.base), entry(trees.ours, from.ours), entry(trees.theirs, from.theirs)]
    const r = entry(trees.result, at)
    if (o === undefined || t === undefined || r === undefined) return false
    if (o.id === t.id || t.id === b?.id) return r.id === o.id
    if (o.id === b?.id) return r.id === t.id
    const repositories = yield* Repositories
    const read = (tree: Tree, path: string | null) =>
      path === null
        ? Effect.succeed(new Uint8Array())
        : repositories.read(ref, tree.id, path).pipe(Effect.catchTag("InvalidPath", Effect.die))
    const contents = {
      base: yield* read(trees.base, from.base),
      ours: yield* read(trees.ours, from.ours),
      theirs: yield* read(trees.theirs, from.theirs)
    }
    const result = yield* read(trees.result, at)
    const merged = yield* repositories.mergeFile(ref, contents)
    return (merged !== null && sameBytes(merged, result)) || isTextMerge({ ...contents, result })
  })

/** The second opinion where the merge of one file comes to something else: two programs pair repeated lines differently. */
const isTextMerge = (contents: Readonly<Record<keyof MergedTexts, Uint8Array>>): boolean => {
  const { base, ours, theirs, result } = contents
  const all = [base, ours, theirs, result]
  if (all.some((bytes) => bytes.includes(0))) return false
  const [b = null, o = null, t = null, r = null] = all.map(wholeText)
  if (b === null || o === null || t === null || r === null) return false
  return isMerge({ base: b, ours: o, theirs: t, result: r })
}

/**
 * A file that one side moved and the other changed is merged under its new name, which a merge by path cannot see. The
 * result says where it should have gone: it is so when that file holds the merge, and the old name is gone.
 */
const explainMoves = Effect.fnUntraced(function* (
  trees: Trees,
  wrong: Set<string>,
  merges: ReturnType<typeof contentMerge>
) {
  const { base, ours, theirs, result } = trees
  if (wrong.size === 0) return
  const added = [...result.entries.keys()].filter((path) => !base.entries.has(path))
  const left = [...base.entries.keys()].filter(
    (path) => !result.entries.has(path) && !(ours.entries.has(path) && theirs.entries.has(path))
  )
  let tries = 0
  for (const from of left) {
    // What is unexplained is the likelier place: a file that explains itself may look like a merge by chance.
    const likely = [...added.filter((path) => wrong.has(path)), ...added.filter((path) => !wrong.has(path))]
    for (const to of likely) {
      if (!wrong.has(from) && !wrong.has(to)) continue
      let isMoved = false
      for (const sides of movesOf(trees, from, to)) {
        if (++tries > Limits.auditMoves) return
        isMoved = yield* merges(sides, to)
        if (isMoved) break
      }
      if (!isMoved) continue
      wrong.delete(to)
      wrong.delete(from)
      break
    }
  }
})

/**
 * Where the sides may have the file that went from one place to another: at the new place, or still at the old one. A side
 * that has both may have put another file there: then git merges what stands at the old one.
 */
const movesOf = ({ ours, theirs }: Trees, from: string, to: string): ReadonlyArray<Sides> => {
  const places = ({ entries }: Tree) => [to, from].filter((path) => entries.has(path))
  return places(ours).flatMap((one) => places(theirs).map((other): Sides => ({ base: from, ours: one, theirs: other })))
}
