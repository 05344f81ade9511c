import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { type Pack, PackLog } from "@pawl/core/project/PackLog"
import { slice } from "@pawl/testing/Depth"
import {
  projectId,
  scene,
  signature,
  tagOf,
  textFiles,
  unknownId
} from "@pawl/testing/contracts/repositories/RepositoriesScene"
import { filesBelow, loseCopies, type Machine, run } from "./PackWorld.ts"

const middleFlipped = (path: string): void => {
  const bytes = readFileSync(path)
  const at = Math.floor(bytes.length / 2)
  bytes[at] = (bytes[at] ?? 0) ^ 0xff
  writeFileSync(path, bytes, { mode: 0o600 })
}
const halved = (path: string): void => truncateSync(path, Math.floor(readFileSync(path).length / 2))

/** What may happen to a copy: which files of it, and what becomes of them. */
const damages: ReadonlyArray<readonly [what: string, which: RegExp, how: (path: string) => void]> = [
  ["indexes with a flipped byte", /\.idx$/, middleFlipped],
  ["indexes that are gone", /\.idx$/, (path) => rmSync(path)],
  ["packs with a flipped byte", /\.pack$/, middleFlipped],
  ["packs that are cut", /\.pack$/, halved],
  ["packs that are gone", /\.(pack|idx)$/, (path) => rmSync(path)],
  ["single objects that are cut", /objects\/[0-9a-f]{2}\//, halved],
  ["single objects that are gone", /objects\/[0-9a-f]{2}\//, (path) => rmSync(path)],
  ["forks that borrow nothing", /alternates$/, (path) => rmSync(path)],
  ["a main that is nonsense", /refs\/heads\/main$/, (path) => writeFileSync(path, "nonsense\n")],
  ["repositories without a head", /HEAD$/, (path) => rmSync(path)],
  ["settings that are nonsense", /config$/, (path) => writeFileSync(path, "[core\n")]
]

const damage = ({ root }: Machine, which: RegExp, how: (path: string) => void): number => {
  const hit = filesBelow(root).filter((path) => which.test(path))
  for (const path of hit) how(path)
  return hit.length
}

/** The one fork of a machine. */
const forkOf = ({ root }: Machine): string => {
  const head = filesBelow(root).find((path) => path.endsWith("/HEAD") && !path.endsWith("/canon.git/HEAD"))
  if (head === undefined) throw new Error("there is no fork")
  return dirname(head)
}

/** The pack of the commit that follows this one in a repository, as git makes it for who has this one. */
const thinAfter = (gitDir: string, commit: string): Pack => {
  const git = (args: ReadonlyArray<string>, input = ""): Buffer =>
    execFileSync("git", ["--git-dir", gitDir, ...args], { input, stdio: ["pipe", "pipe", "ignore"] })
  const all = git(["cat-file", "--batch-all-objects", "--batch-check"]).toString("latin1")
  const commits = [...all.matchAll(/^(\w+) commit/gm)].map(([, id = ""]) => id)
  const next = commits.find((id) => git(["cat-file", "commit", id]).includes(`parent ${commit}`))
  const body = git(["pack-objects", "--thin", "--revs", "--stdout"], `${next}\n^${commit}\n`)
  const digest = createHash("sha256").update(body).digest("hex")
  return { digest, sizeBytes: body.length, objects: body.readUInt32BE(8), body, object: null }
}

describe("Copies of repositories", () => {
  it.each(slice(damages, { quick: 4 }))(
    "give right answers out of %s, to who reads and to who writes",
    (_, which, how) =>
      run((world) =>
        Effect.gen(function* () {
          const here = yield* world.machine()
          const there = yield* world.machine()
          const s = yield* scene(here.git)
          const first = yield* s.edit(s.ws(1), s.s0.commit, { "src/a.ts": "a2\n" })
          const second = yield* s.edit(s.ws(2), s.s0.commit, { "src/b.ts": "b2\n" })
          const merged = yield* s.merge(s.cand(1), s.s0.commit, [s.ws(1), first.commit], [s.ws(2), second.commit])
          // The other machine has copies too, by reading: packs that were fetched.
          yield* there.git.files(s.cand(1), merged.tree)
          for (const machine of [here, there]) {
            const { git } = machine
            damage(machine, which, how)
            expect(yield* git.resolve(s.cand(1), merged.commit)).toEqual(merged)
            damage(machine, which, how)
            expect((yield* textFiles(git, s.cand(1), merged.tree))["src/a.ts"]).toBe("a2\n")
            damage(machine, which, how)
            expect((yield* git.diff(s.ws(1), s.s0.commit, first.commit)).map(({ path }) => path)).toEqual(["src/a.ts"])
            damage(machine, which, how)
            expect(yield* tagOf(git.resolve(s.cand(1), unknownId))).toBe("ObjectNotFound")
            damage(machine, which, how)
            expect(yield* s.merge(s.cand(2), s.s0.commit, [s.ws(1), first.commit], [s.ws(2), second.commit])).toEqual(
              merged
            )
          }
          damage(there, which, how)
          yield* there.git.advance({
            project: s.project,
            from: s.cand(1),
            expected: s.s0.commit,
            commit: merged.commit
          })
          damage(here, which, how)
          expect(yield* here.git.main(s.project)).toEqual(merged)
          const next = yield* here.git.commitTree({
            into: s.cand(2),
            tree: s.s0.tree,
            parents: [merged.commit],
            message: "back",
            signature: { name: "Pawl", email: "pawl@localhost", atMs: 1 }
          })
          damage(here, which, how)
          yield* here.git.advance({ project: s.project, from: s.cand(2), expected: merged.commit, commit: next.commit })
          expect(yield* (yield* world.machine()).git.main(s.project)).toEqual(next)
        })
      )
  )

  it("go away beneath forty readers and writers at once, and each is answered as if they had stayed", () =>
    run((world) =>
      Effect.gen(function* () {
        const here = yield* world.machine()
        const s = yield* scene(here.git)
        const made = yield* s.edit(s.ws(1), s.s0.commit, { "src/a.ts": "a2\n" })
        const reads = Array.from({ length: 30 }, () => textFiles(here.git, s.ws(1), made.tree))
        const writes = Array.from({ length: 10 }, (_, n) =>
          s.edit(s.ws(n + 2), made.commit, { n: `${n}\n` }, [s.ws(1)])
        )
        const losing = Effect.gen(function* () {
          for (let n = 0; n < 5; n++) {
            if (existsSync(here.root)) loseCopies(here)
            for (let turn = 0; turn < 20; turn++) yield* Effect.promise(() => new Promise(setImmediate))
          }
        })
        const [files, commits] = yield* Effect.all(
          [Effect.all(reads, { concurrency: "unbounded" }), Effect.all(writes, { concurrency: "unbounded" }), losing],
          { concurrency: "unbounded" }
        )
        for (const each of files) expect(each["src/a.ts"]).toBe("a2\n")
        const cold = yield* world.machine()
        for (const [n, each] of commits.entries())
          expect((yield* textFiles(cold.git, s.ws(n + 2), each.tree))["n"]).toBe(`${n}\n`)
      })
    ))

  it("are what the log says after a write whose answer from the database was lost, and after one that never got there", () =>
    run((world) =>
      Effect.gen(function* () {
        const log = yield* PackLog
        const here = yield* world.machine()
        const s = yield* scene(here.git)
        let fails: "before" | "after" | "no" = "no"
        const away = new LedgerUnavailable({ operation: "append", reason: "cut off" })
        const append: PackLog["Service"]["append"] = (options) =>
          fails === "no"
            ? log.append(options)
            : fails === "before"
              ? Effect.fail(away)
              : Effect.andThen(log.append(options), Effect.fail(away))
        const cut = yield* Effect.provideService(world.machine(), PackLog, { ...log, append })
        const into = s.ws(1)
        yield* cut.git.fork(into)
        for (const how of ["before", "after"] as const) {
          fails = how
          const edits = { "src/a.ts": `${how}\n` }
          const commit = cut.git.commit({
            into,
            base: s.s0.commit,
            edits,
            message: "edit",
            signature: { name: "a", email: "b", atMs: 1 }
          })
          expect(yield* tagOf(commit)).toBe("RepositoriesUnavailable")
          fails = "no"
          const made = yield* commit
          expect((yield* textFiles(here.git, into, made.tree))["src/a.ts"]).toBe(`${how}\n`)
          fails = how
          const advance = cut.git.advance({
            project: s.project,
            from: into,
            expected: s.s0.commit,
            commit: made.commit
          })
          expect(yield* tagOf(advance)).toBe("RepositoriesUnavailable")
          fails = "no"
          // What main did not come to nobody finds in canonical, this machine's copy too.
          if (how === "before") expect(yield* tagOf(cut.git.resolve(s.canon, made.commit))).toBe("ObjectNotFound")
          else expect(yield* here.git.main(s.project)).toEqual(made)
        }
      })
    ))

  it("of a write that was interrupted keep nothing that others do not have", () =>
    run((world) =>
      Effect.gen(function* () {
        const log = yield* PackLog
        const here = yield* world.machine()
        const s = yield* scene(here.git)
        let waits = false
        const reached = yield* Deferred.make<void>()
        const append: PackLog["Service"]["append"] = (options) =>
          waits ? Effect.andThen(Deferred.succeed(reached, undefined), Effect.never) : log.append(options)
        const cut = yield* Effect.provideService(world.machine(), PackLog, { ...log, append })
        const made = yield* s.edit(s.ws(1), s.s0.commit, { "src/a.ts": "a2\n" })
        waits = true
        const advance = { project: s.project, from: s.ws(1), expected: s.s0.commit, commit: made.commit }
        const fiber = yield* Effect.forkChild(cut.git.advance(advance))
        yield* Deferred.await(reached)
        yield* Fiber.interrupt(fiber)
        expect(Exit.isFailure(yield* Fiber.await(fiber))).toBe(true)
        waits = false
        expect(yield* tagOf(cut.git.resolve(s.canon, made.commit))).toBe("ObjectNotFound")
        expect(yield* cut.git.main(s.project)).toEqual(s.s0)
        yield* cut.git.advance(advance)
        expect(yield* here.git.main(s.project)).toEqual(made)
      })
    ))

  it("take about as much as they may: the Project that was used longest ago goes, and comes back when it is asked for", () =>
    run((world) =>
      Effect.gen(function* () {
        const maxBytes = 400_000
        const here = yield* world.machine()
        const small = yield* world.machine(maxBytes)
        const noise = (n: number) => ({
          "big.txt": Array.from({ length: 4000 }, (_, i) => `${Math.imul(i + n * 7919, 2654435761) >>> 0}`).join("\n")
        })
        const projects = Array.from({ length: 12 }, (_, n) => projectId(n + 1))
        const seeds = yield* Effect.forEach(projects, (project, n) =>
          Effect.map(scene(here.git, project, noise(n)), ({ s0 }) => s0)
        )
        for (let round = 0; round < 2; round++)
          for (const [n, project] of projects.entries())
            expect((yield* textFiles(small.git, { project }, seeds[n]?.tree ?? ""))["big.txt"]).toBe(
              noise(n)["big.txt"]
            )
        const sizes = filesBelow(small.root).map((path) => readFileSync(path).length)
        expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(maxBytes)
        expect(sizes.length).toBeGreaterThan(0)
      })
    ))

  it("are unpacked by two gits where there is much, also when a delta of the one stands on what the other unpacks", () =>
    run((world) =>
      Effect.gen(function* () {
        const log = yield* PackLog
        const here = yield* world.machine()
        const s = yield* scene(here.git)
        const into = s.ws(1)
        const noise = (n: number): string =>
          Array.from({ length: 3500 }, (_, i) => `${Math.imul(i + n * 7919, 2654435761) >>> 0}`).join("\n")
        let at = s.s0.commit
        for (let n = 0; n < 40; n++) at = (yield* s.edit(into, at, { [`noise${n}`]: noise(n) })).commit
        const packsOf = (machine: Machine) =>
          filesBelow(forkOf(machine)).filter((path) => path.endsWith(".pack")).length
        const cold = yield* world.machine()
        const whole = yield* here.git.resolve(into, at)
        expect((yield* textFiles(cold.git, into, whole.tree))["noise39"]).toBe(noise(39))
        expect(packsOf(cold)).toBe(2)

        // The pack of one more edit as git makes one for who has the commit before: of the file there is a delta alone.
        const append: PackLog["Service"]["append"] = (step) =>
          step.pack === null ? log.append(step) : log.append({ ...step, pack: thinAfter(forkOf(thin), at) })
        const thin: Machine = yield* Effect.provideService(world.machine(), PackLog, { ...log, append })
        const edits = { noise0: `${noise(0)}\nand one line more` }
        const made = yield* thin.git.commit({ into, base: at, edits, message: "more", signature })
        const colder = yield* world.machine()
        expect((yield* textFiles(colder.git, into, made.tree))["noise0"]).toBe(edits.noise0)
      })
    ))
})
