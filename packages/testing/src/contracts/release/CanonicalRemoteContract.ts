/** What every CanonicalRemote promises: the remote's `main` follows canonical, forward only, and nothing of anyone is lost. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Repositories } from "@pawl/core/project/Repositories"
import { CanonicalRemote, type RemoteFault } from "@pawl/core/release/CanonicalRemote"
import { scene } from "../repositories/RepositoriesScene.ts"

/** One remote, and what happens to it. */
export interface RemoteHands {
  readonly url: string
  /** The commit of its `main`; null when it has none. */
  readonly main: () => string | null
  /** Someone else pushes a commit of their own over whatever is there; answers it. */
  readonly overwrite: () => string
  /** It does not let us push any more. */
  readonly refuse: () => void
  /** It does not answer as a remote any more. */
  readonly leave: () => void
}

/** How an adapter's test makes a remote for this contract. */
export interface CanonicalRemoteFixture {
  /** Runs a program beside repositories and an empty remote that takes what we push. */
  readonly play: (program: (hands: RemoteHands) => Effect.Effect<unknown, unknown, Repositories>) => Promise<unknown>
}

/** Canonical S0, S1 and S2. */
export const threeGenerations = Effect.gen(function* () {
  const repositories = yield* Repositories
  const { cand, edit, merge, project, s0, ws } = yield* scene(repositories)
  const commits = [s0.commit]
  for (const n of [1, 2]) {
    const base = commits[n - 1] ?? ""
    const made = yield* edit(ws(n), base, { [`${n}.txt`]: `${n}` })
    const merged = yield* merge(cand(n), base, [ws(n), made.commit])
    yield* repositories.advance({ project, from: cand(n), expected: base, commit: merged.commit })
    commits.push(merged.commit)
  }
  const [zero = "", one = "", two = ""] = commits
  return { project, zero, one, two }
})

/** Declares the suite; `name` names the adapter in its title. */
export const canonicalRemoteContract = (name: string, { play }: CanonicalRemoteFixture): void => {
  const playing = (
    program: (
      hands: RemoteHands,
      push: (commit: string) => Effect.Effect<void, RemoteFault>,
      line: Effect.Success<typeof threeGenerations>
    ) => Effect.Effect<unknown, unknown, Repositories>
  ) =>
    play((hands) =>
      Effect.gen(function* () {
        const line = yield* threeGenerations
        const remote = yield* CanonicalRemote
        const push = (commit: string) => remote.push({ project: line.project, remote: hands.url, commit })
        yield* program(hands, push, line)
      })
    )

  describe(`${name}: CanonicalRemote`, () => {
    it("makes main where there is none, moves it forward, and may be asked again and out of order", () =>
      playing((hands, push, { one, two, zero }) =>
        Effect.gen(function* () {
          expect(hands.main()).toBeNull()
          yield* push(zero)
          expect(hands.main()).toBe(zero)
          yield* push(zero)
          yield* push(two)
          expect(hands.main()).toBe(two)
          for (const earlier of [one, zero, two]) yield* push(earlier)
          expect(hands.main()).toBe(two)
        })
      ))

    it("never overwrites what someone else pushed", () =>
      playing((hands, push, { one, two }) =>
        Effect.gen(function* () {
          yield* push(one)
          const main = hands.overwrite()
          for (const commit of [one, two])
            expect(yield* Effect.flip(push(commit))).toMatchObject({ _tag: "RemoteDiverged", main })
          expect(hands.main()).toBe(main)
        })
      ))

    it("tells a remote that is away from one that takes no push of ours", () =>
      playing((hands, push, { one, two }) =>
        Effect.gen(function* () {
          yield* push(one)
          hands.refuse()
          expect(yield* Effect.flip(push(two))).toMatchObject({ _tag: "RemoteRefused" })
          hands.leave()
          expect(yield* Effect.flip(push(two))).toMatchObject({ _tag: "RemoteUnavailable" })
          expect(hands.main()).toBe(one)
        })
      ))
  })
}
