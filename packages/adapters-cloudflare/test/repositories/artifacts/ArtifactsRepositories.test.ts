/** The contract of repositories on a stand-in for Artifacts, and what differs from packs in rows: names, races, troubles. */
import { repositoriesContract } from "@pawl/testing/contracts/repositories/RepositoriesContract"
import { base, projectId, scene, tagOf, text, textFiles } from "@pawl/testing/contracts/repositories/RepositoriesScene"
import { numbers, rounds, slice } from "@pawl/testing/Depth"
import { Repositories } from "@pawl/core/project/Repositories"
import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { afterAll, describe, expect, it } from "vitest"
import { CloudflareLimits } from "@pawl/adapters-cloudflare/CloudflareLimits"
import { forkRef, repositoryName } from "@pawl/adapters-cloudflare/repositories/artifacts/ArtifactsNames"
import { layer } from "@pawl/adapters-cloudflare/repositories/ArtifactsRepositories"
import { ArtifactsStandIn, type Operation, type Trouble } from "./ArtifactsStandIn.ts"

const standIns: Array<ArtifactsStandIn> = []
const standIn = () => {
  const made = new ArtifactsStandIn()
  standIns.push(made)
  return made
}
afterAll(() => standIns.forEach((each) => each.remove()))

const on = (artifacts: ArtifactsStandIn) => layer({ artifacts: artifacts.binding, fetch: artifacts.fetch })

/** A Worker that comes new. */
const worker = (artifacts: ArtifactsStandIn) =>
  Effect.map(Effect.scoped(Layer.build(Layer.fresh(on(artifacts)))), (built) => Context.get(built, Repositories))

repositoriesContract("on a stand-in for Artifacts", { layer: () => on(standIn()) })

describe("Repositories on Artifacts", () => {
  it("have names that Artifacts allows, of which none is another's", async () => {
    const artifacts = standIn()
    const made = await Effect.runPromise(
      Effect.gen(function* () {
        const repositories = yield* worker(artifacts)
        const [one, two] = [yield* scene(repositories, projectId(1)), yield* scene(repositories, projectId(2))]
        for (const each of [one, two])
          yield* Effect.forEach([each.ws(1), each.ws(2), each.cand(1)], (fork) => repositories.fork(fork))
        return [one.canon, two.canon, one.ws(1), one.ws(2), one.cand(1), two.ws(1), two.ws(2), two.cand(1)]
      })
    )
    expect([...artifacts.names()].sort()).toEqual(made.map(repositoryName).sort())
    expect(new Set(artifacts.names()).size).toBe(8)
    // As they are they would be too long.
    const { fork = "", project } = made[2]!
    expect(`${project}-${fork}`.length).toBeGreaterThan(CloudflareLimits.artifactsNameLength)
    for (const name of artifacts.names()) expect(name).toMatch(/^(pr|ws)-[0-9a-f]{40}$/)
    expect(artifacts.names()[0]!.length).toBeLessThanOrEqual(CloudflareLimits.artifactsNameLength)
  })

  it("are whole for git itself, and their merges are pushed as one pack", async () => {
    const artifacts = standIn()
    const { candidate, canon, merged } = await Effect.runPromise(
      Effect.gen(function* () {
        const { cand, canon, edit, merge, project, s0, ws } = yield* scene(yield* worker(artifacts))
        const one = yield* edit(ws(1), s0.commit, { "src/a.ts": "A\n" })
        const two = yield* edit(ws(2), s0.commit, { "src/b.ts": "B\n" })
        yield* (yield* worker(artifacts)).fork(cand(1))
        const before = artifacts.counts.get("push") ?? 0
        const merged = yield* merge(cand(1), s0.commit, [ws(1), one.commit], [ws(2), two.commit])
        expect(artifacts.counts.get("push")).toBe(before + 1)
        const options = { project, from: cand(1), expected: s0.commit, commit: merged.commit }
        yield* (yield* worker(artifacts)).advance(options)
        return { canon, merged, candidate: cand(1) }
      })
    )
    for (const name of [repositoryName(canon), repositoryName(candidate)])
      expect((await artifacts.git(name, ["fsck", "--strict", "--full"])).trim()).toBe("")
    expect((await artifacts.git(repositoryName(canon), ["rev-parse", "main^{commit}", "main^{tree}"])).trim()).toBe(
      `${merged.commit}\n${merged.tree}`
    )
  })

  it("let one of two promotions at once win, of Workers that know nothing of each other, each time", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const artifacts = standIn()
        for (let n = 1; n <= rounds({ quick: 1, deep: 8, long: 20 }); n++) {
          const { cand, edit, merge, project, s0, ws } = yield* scene(yield* worker(artifacts), projectId(n))
          const made = yield* Effect.forEach([1, 2], (at) =>
            Effect.flatMap(edit(ws(at), s0.commit, { x: `${at}` }), ({ commit }) =>
              merge(cand(at), s0.commit, [ws(at), commit])
            )
          )
          const ends = yield* Effect.forEach(
            made,
            ({ commit }, at) =>
              Effect.flatMap(worker(artifacts), (each) =>
                Effect.result(each.advance({ project, from: cand(at + 1), expected: s0.commit, commit }))
              ),
            { concurrency: "unbounded" }
          )
          const winner = ends.findIndex(({ _tag }) => _tag === "Success")
          expect(ends.map((end) => (end._tag === "Failure" ? end.failure._tag : "won")).sort()).toEqual([
            "NotFastForward",
            "won"
          ])
          expect(yield* (yield* worker(artifacts)).main(project)).toEqual(made[winner])
        }
      })
    ))

  it("read one file by the binding where a Worker holds nothing, and fetch no pack for it", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const artifacts = standIn()
        const { canon, s0 } = yield* scene(yield* worker(artifacts))
        const newcomer = yield* worker(artifacts)
        artifacts.counts.clear()
        expect(text(yield* newcomer.read(canon, s0.tree, "src/deep/c.ts"))).toBe("c\n")
        expect([artifacts.counts.get("readTree"), artifacts.counts.get("readBlob")]).toEqual([3, 1])
        expect(artifacts.counts.has("fetch")).toBe(false)
        expect(yield* Effect.flip(newcomer.read(canon, s0.tree, "src"))).toMatchObject({ what: "path" })
        expect(yield* textFiles(newcomer, canon, s0.tree)).toEqual(base)
      })
    ))
})

/** A step of the main path, and what it must have come to. */
const life = (artifacts: ArtifactsStandIn) =>
  Effect.gen(function* () {
    // A Worker for each step: nothing is known from before.
    const from = yield* worker(artifacts)
    const { canon, cand, edit, merge, project, s0, ws } = yield* scene(from)
    const one = yield* edit(ws(1), s0.commit, { "src/a.ts": "A\n" })
    const merged = yield* merge(cand(1), s0.commit, [ws(1), one.commit])
    yield* from.advance({ project, from: cand(1), expected: s0.commit, commit: merged.commit })
    const files = yield* textFiles(yield* worker(artifacts), canon, merged.tree)
    for (const ref of [ws(1), cand(1)]) yield* from.remove(ref)
    return { main: yield* from.main(project), merged, files, canon }
  })

const troubles = (["create", "get", "delete", "info", "createToken", "fork", "refs", "fetch", "push"] as const).flatMap(
  (operation) => (["refused", "lost"] as const).map((trouble) => [operation, trouble] as const)
)

/** What is asked once more when it goes wrong. */
const questions: ReadonlyArray<Operation> = ["refs", "fetch"]

/** Goes wrong with the nth call of its kind, and where that is asked once more, with the next too. */
const nth = (artifacts: ArtifactsStandIn, operation: Operation, n: number, trouble: Trouble): void => {
  let seen = 0
  const last = questions.includes(operation) ? n + 1 : n
  artifacts.trouble = (asked) => (asked === operation && ++seen >= n && seen <= last ? trouble : null)
}

describe("An Artifacts that is in trouble", () => {
  for (const [operation, trouble] of slice(troubles, { quick: 2 }))
    it(`is a typed failure wherever ${operation} is ${trouble}, and the same again comes to the same end`, () =>
      Effect.runPromise(
        Effect.gen(function* () {
          const artifacts = standIn()
          const plain = yield* life(artifacts)
          const calls = artifacts.counts.get(operation) ?? 0
          const { canon } = plain
          yield* (yield* worker(artifacts)).remove(canon)
          let failures = 0
          for (const n of numbers(calls, { quick: 2 })) {
            nth(artifacts, operation, n, trouble)
            const first = yield* Effect.result(life(artifacts))
            artifacts.trouble = () => null
            if (first._tag === "Failure") {
              failures++
              expect(first.failure._tag).toBe("RepositoriesUnavailable")
            }
            // Done once more, as commands are: what was done before is there, and what was not is done.
            expect(yield* life(artifacts)).toEqual(plain)
            yield* (yield* worker(artifacts)).remove(canon)
            expect(artifacts.names()).toEqual([])
          }
          expect(failures).toBeGreaterThan(0)
        })
      ))

  it("is waited for while it makes a repository", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const artifacts = standIn()
        let left = 2
        artifacts.trouble = (operation) => (operation === "get" && left-- > 0 ? "busy" : null)
        const { project, s0 } = yield* scene(yield* worker(artifacts))
        expect(yield* (yield* worker(artifacts)).main(project)).toEqual(s0)
      })
    ))

  for (const operation of ["get", "refs", "push"] as const)
    it(`is waited for no longer than its bound when ${operation} is never answered`, () =>
      Effect.runPromise(
        Effect.gen(function* () {
          const artifacts = standIn()
          const { edit, s0, ws } = yield* scene(yield* worker(artifacts))
          const repositories = yield* worker(artifacts)
          const reached = Promise.withResolvers<void>()
          artifacts.trouble = (asked) => {
            if (asked !== operation) return null
            reached.resolve()
            return "never"
          }
          const asking = yield* Effect.forkChild(Effect.flip(repositories.fork(ws(1))))
          yield* Effect.promise(() => reached.promise)
          yield* TestClock.adjust(CloudflareLimits.artifactsTimeoutMs)
          expect(yield* Fiber.join(asking)).toMatchObject({
            _tag: "RepositoriesUnavailable",
            reason: expect.stringContaining("in time")
          })
          artifacts.trouble = () => null
          const made = yield* edit(ws(1), s0.commit, { x: "1" })
          expect(yield* (yield* worker(artifacts)).resolve(ws(1), made.commit)).toEqual(made)
        }).pipe(Effect.provide(TestClock.layer()))
      ))

  it("may know of a fork that was never made, and the end of the Project is the end of that too", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const artifacts = standIn()
        const { canon, ws } = yield* scene(yield* worker(artifacts))
        nth(artifacts, "fork", 1, "refused")
        expect(yield* tagOf((yield* worker(artifacts)).fork(ws(1)))).toBe("RepositoriesUnavailable")
        const refs = yield* Effect.promise(() => artifacts.git(repositoryName(canon), ["for-each-ref"]))
        expect(refs).toContain(forkRef(repositoryName(ws(1))))
        yield* (yield* worker(artifacts)).remove(canon)
        expect(artifacts.names()).toEqual([])
      })
    ))
})
