import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Layer, Redacted } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import * as Installations from "../../src/node/installations/Installations.ts"

const data = mkdtempSync(join(tmpdir(), "pawl-test-"))
afterAll(() => rmSync(data, { recursive: true, force: true }))

const embedded = Installations.of({ data, databaseUrl: null, databaseSchema: "pawl", notices: { _tag: "Database" } })
const nowhere = Installations.of({
  data,
  databaseUrl: Redacted.make("postgres://pawl:secret@127.0.0.1:1/pawl"),
  databaseSchema: "pawl",
  notices: { _tag: "Database" }
})

const built = <A, E>(layer: Layer.Layer<A, E>) => Effect.runPromiseExit(Effect.scoped(Layer.build(layer)))

describe("An installation", () => {
  it("is asked for in one place: nothing else looks whether there is a database URL", () => {
    const sources = new URL("../../src/node/", import.meta.url)
    const asking = readdirSync(sources, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .filter((path) => /databaseUrl [!=]== null/.test(readFileSync(new URL(path, sources), "utf8")))
    // The options are judged where they are read: roles, and the form of the URL.
    expect(asking.toSorted()).toEqual(["Options.ts", "installations/Installations.ts"])
  })

  it("on one machine has its folder to itself, and refuses a second process", async () => {
    const twice = Effect.andThen(embedded.enter, Effect.exit(embedded.enter))
    const second = await Effect.runPromise(Effect.scoped(twice))
    expect(Exit.isFailure(second)).toBe(true)
    expect(embedded).toMatchObject({ sharesRepositories: false, signsWithOthers: false })
  })

  it("on Postgres lets several into a folder, of which the first is alone", async () => {
    const entered = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const first = yield* nowhere.enter
          yield* first.settled
          const second = yield* nowhere.enter
          return [first.alone, second.alone]
        })
      )
    )
    expect(entered).toEqual([true, false])
    expect(nowhere).toMatchObject({ sharesRepositories: true, signsWithOthers: true })
  })

  it("says that its database is away, without its password", async () => {
    const exit = await built(nowhere.state)
    expect(Exit.isFailure(exit) && String(exit.cause)).toContain("The database cannot be used")
    expect(JSON.stringify(exit)).not.toContain("secret")
    const { found, remedy, state } = await Effect.runPromise(nowhere.look)
    expect(state).toBe("missing")
    expect(found).not.toContain("secret")
    expect(remedy).toContain("PAWL_DATABASE_URL")
  })

  it("looks at no database beside a folder that has none, and makes none", async () => {
    const exit = await built(embedded.beside)
    expect(Exit.isFailure(exit) && String(exit.cause)).toContain("name the data folder with --data")
    expect(readdirSync(data).filter((name) => name.startsWith("pawl.db"))).toEqual([])
  })
})
