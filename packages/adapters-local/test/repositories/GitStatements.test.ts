import { execFileSync } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { layer } from "@pawl/adapters-local/repositories/GitRepositories"
import { GitStatements } from "@pawl/adapters-local/repositories/transport/GitStatements"
import { statementsRef } from "@pawl/adapters-local/repositories/transport/StatementFiles"
import { Repositories } from "@pawl/core/project/Repositories"
import type { CheckpointPublisher } from "@pawl/core/provenance/CheckpointPublisher"
import { checkpointPublishersContract } from "@pawl/testing/contracts/provenance/CheckpointPublishersContract"
import { repositoryFixture } from "./RepositoryFixture.ts"

const project = "proj_00000000-0000-4000-8000-000000000001" as const
const signature = { name: "x", email: "x@x", atMs: Date.parse("2026-01-01T00:00:00Z") }

const fixture = repositoryFixture()

/** A seeded Project, its publisher, and git on its repository. */
const world = Effect.suspend(() => {
  const { directory, git, gitDir } = fixture()
  const on = <A, E>(use: Effect.Effect<A, E, Repositories | GitStatements>) => Effect.provide(use, layer({ directory }))
  const publisher: CheckpointPublisher = {
    name: "git",
    publish: (publication) =>
      Effect.orDie(on(Effect.flatMap(GitStatements, (statements) => statements.publish(publication))))
  }
  const seed = Effect.flatMap(Repositories, (repositories) =>
    repositories.seed({ project, files: { "a.txt": "a" }, message: "seed", signature })
  )
  const show = (path: string) => git({ project }, ["show", `${statementsRef}:${path}`])
  return Effect.as(Effect.orDie(on(seed)), { publisher, git, gitDir: gitDir({ project }), show })
})

checkpointPublishersContract(
  "git",
  Effect.map(world, ({ git, publisher, show }) => ({
    publisher,
    project,
    read: Effect.sync(() => ({
      checkpoint: `${show("checkpoint")}\n`,
      keys: `${show("keys.intoto.jsonl")}\n`,
      keysCheckpoint: `${show("keys.checkpoint")}\n`,
      // Each is one line, between the lines in which git names them.
      statements: git(
        { project },
        ["cat-file", "--batch"],
        git({ project }, ["ls-tree", "-r", "--format=%(objectname)", statementsRef, "statements"])
      )
        .split("\n")
        .filter((line) => line.startsWith("{"))
    }))
  }))
)

describe("refs/pawl/statements", () => {
  const publication = (from: number, mark: string | null, word = "said") => ({
    chain: project,
    from,
    envelopes: [JSON.stringify({ payload: `${word} ${from}` })],
    keys: ["{}"],
    keysCheckpoint: null,
    checkpoint: `note ${from}\n`,
    at: "2026-01-01T12:00:00.000Z",
    mark
  })

  it("is fetched by git as it goes on, and refused once it was rewritten", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { gitDir, publisher } = yield* world
        const clone = mkdtempSync(join(tmpdir(), "pawl-clone-"))
        execFileSync("git", ["init", "-q", "--bare", clone])
        const fetch = () =>
          execFileSync("git", ["-C", clone, "fetch", gitDir, `${statementsRef}:${statementsRef}`], {
            encoding: "utf8",
            stdio: ["ignore", "pipe", "pipe"]
          })
        const first = yield* publisher.publish(publication(0, null))
        fetch()
        const second = yield* publisher.publish(publication(1, first))
        fetch()
        const log = execFileSync("git", ["-C", clone, "log", "--format=%H %s", statementsRef], { encoding: "utf8" })
        expect(log).toBe(`${second} Statements 1 to 1\n${first} Statements 0 to 0\n`)
        yield* publisher.publish(publication(1, first, "another"))
        expect(fetch).toThrow(/rejected.*non-fast-forward/s)
      })
    ))

  it("waits for a repository: a Project without one has nothing to show yet", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { directory } = fixture()
        const published = Effect.flatMap(GitStatements, (statements) => statements.publish(publication(0, null)))
        expect(yield* Effect.provide(published, layer({ directory }))).toBeNull()
      })
    ))
})
