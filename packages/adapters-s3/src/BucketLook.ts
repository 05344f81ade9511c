/** Whether a bucket does all that the object store needs of it: each thing is tried once, under keys that are removed. */
import { randomUUID } from "node:crypto"
import type { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Effect, Result, Stream } from "effect"
import type { S3Options } from "./BucketAddress.ts"
import { S3Limits } from "./S3Limits.ts"
import * as BucketClient from "./BucketClient.ts"
import { forbiddenWords } from "./S3Failures.ts"
import * as S3ObjectStore from "./S3ObjectStore.ts"

/** What a bucket is like. */
export interface BucketReport {
  /** What it does as it must. */
  readonly does: ReadonlyArray<string>
  /** What it cannot do, or does wrongly, in words. Empty: it has all that is needed. */
  readonly lacks: ReadonlyArray<string>
  /** Some of that is what these credentials may not do: the bucket can perhaps. */
  readonly isForbidden: boolean
}

type Store = typeof ObjectStore.Service

/** A thing to try: null when it went as it must, else what was wrong. */
interface Trial {
  readonly name: string
  readonly run: (store: Store, at: string) => Effect.Effect<string | null, Error>
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const text = (body: Uint8Array): string => new TextDecoder().decode(body)
const unless = (isRight: boolean, problem: string): string | null => (isRight ? null : problem)

// In code points, not as UTF-16 has them, and no letters of one case before those of the other.
const inOrder = ["A", "a", "a b+%", "\uff5e", "😀"]

const trials: ReadonlyArray<Trial> = [
  {
    name: "put and get",
    run: Effect.fnUntraced(function* (store, at) {
      yield* store.put(`${at}one`, bytes("first"))
      yield* store.put(`${at}one`, bytes("0123456789"))
      return unless(text(yield* store.get(`${at}one`)) === "0123456789", "what was put is not what is read")
    })
  },
  {
    name: "head",
    run: Effect.fnUntraced(function* (store, at) {
      const { sizeBytes } = yield* store.head(`${at}one`)
      const none = yield* Effect.result(store.head(`${at}none`))
      // Who may not list is not told that it is not there.
      if (Result.isFailure(none) && none.failure._tag === "ObjectStoreUnavailable") return yield* none.failure
      const isMissing = Result.isFailure(none) && none.failure._tag === "ObjectMissing"
      return unless(sizeBytes === 10 && isMissing, "it says wrongly what is there")
    })
  },
  {
    name: "range",
    run: Effect.fnUntraced(function* (store, at) {
      const pieces = yield* Stream.runCollect(store.stream(`${at}one`, { start: 2, end: 5 }))
      return unless(pieces.map(text).join("") === "234", "a range has other bytes")
    })
  },
  {
    name: "conditional put",
    run: Effect.fnUntraced(function* (store, at) {
      const first = yield* store.create(`${at}new`, bytes("mine"))
      const second = yield* store.create(`${at}new`, bytes("theirs"))
      const kept = text(yield* store.get(`${at}new`))
      return unless(
        first && !second && kept === "mine",
        "If-None-Match is ignored: the second of two writers overwrites"
      )
    })
  },
  {
    name: "copy",
    run: Effect.fnUntraced(function* (store, at) {
      yield* store.copy(`${at}one`, `${at}copy of ü`)
      return unless(text(yield* store.get(`${at}copy of ü`)) === "0123456789", "a copy has other bytes")
    })
  },
  {
    name: "list",
    run: Effect.fnUntraced(function* (store, at) {
      for (const name of inOrder) yield* store.put(`${at}list/${name}`, bytes(name))
      const all = yield* store.list(`${at}list/`)
      const some = yield* store.list(`${at}list/`, { after: `${at}list/A`, limit: 2 })
      const names = (found: typeof all) => found.map(({ key }) => key.slice(`${at}list/`.length)).join("\n")
      if (names(all) !== inOrder.join("\n")) return "keys are not listed by their code points, or not all of them"
      return unless(names(some) === inOrder.slice(1, 3).join("\n"), "a list does not begin after the key that is named")
    })
  },
  {
    name: "delete",
    run: Effect.fnUntraced(function* (store, at) {
      yield* store.remove(`${at}one`)
      yield* store.removePrefix(at)
      return unless((yield* store.list(at)).length === 0, "what was deleted is still listed")
    })
  }
]

const tried = (store: Store, at: string, { name, run }: Trial): Effect.Effect<string | null> =>
  run(store, at).pipe(
    Effect.map((problem) => (problem === null ? null : `${name}: ${problem}`)),
    Effect.catch((failure) =>
      Effect.succeed(`${name}: ${"reason" in failure ? String(failure.reason) : failure.message}`)
    ),
    Effect.timeoutOrElse({
      duration: S3Limits.bucketTrialMs,
      orElse: () => Effect.succeed(`${name}: no answer in time`)
    })
  )

/** Tries everything. When nothing can be put, no more is tried: the rest would say the same. */
export const look = (options: S3Options): Effect.Effect<BucketReport> =>
  Effect.scoped(
    Effect.gen(function* () {
      const store = yield* Effect.flatMap(BucketClient.open(options), S3ObjectStore.of)
      const at = `doctor/${randomUUID()}/`
      const does: Array<string> = []
      const lacks: Array<string> = []
      for (const trial of trials) {
        const problem = yield* tried(store, at, trial)
        if (problem === null) does.push(trial.name)
        else lacks.push(problem)
        if (does.length === 0) break
      }
      if (does.length > 0) yield* Effect.ignore(store.removePrefix(at))
      const isForbidden = lacks.some((each) => each.endsWith(forbiddenWords(options)))
      return { does, lacks, isForbidden }
    })
  )
