import { layerMemory, pnpmLockText } from "@pawl/adapters-memory/MemoryPackageStore"
import type { Part } from "@pawl/core/agent/Models"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { call, inAgentWorld, inTurn, Killed, nothingKept } from "../kit/AgentWorld.ts"

const files = {
  "pawl.json": JSON.stringify({ checks: [{ id: "test", command: "x" }], probes: [{ path: "/" }] }),
  "src/index.js": "export const one = 1\n",
  "result.txt": "fine\n",
  "package.json": '{\n  "name": "app"\n}\n'
}
const registry = (isThere: () => boolean = () => true) =>
  layerMemory({ packages: [{ name: "zod", version: "4.0.0" }], isThere })
const adding = (name = "zod", more: object = {}) => call("add_package", { name, range: "^4.0.0", ...more })
const done = call("done", { message: "It is done" })
const words = (part: Part | undefined): string => (part === undefined || part._tag === "Assistant" ? "" : part.text)

const manifest = '{\n  "name": "app",\n  "dependencies": {\n    "zod": "^4.0.0"\n  }\n}\n'

describe("The tool add_package", () => {
  it("edits package.json and makes the lock, so that an agent writes none", () =>
    inAgentWorld(files, (works) =>
      Effect.gen(function* () {
        const kept = nothingKept()
        const made = yield* works(inTurn(adding(), done), { kept }).pipe(Effect.provide(registry()))
        expect(words(kept.asked[1]?.parts.at(-1))).toBe("zod is in package.json, and its lock is made")
        expect(made).toMatchObject({
          _tag: "Published",
          edits: { "package.json": manifest, "package-lock.json": expect.stringContaining('"node_modules/zod"') }
        })
      })
    ))

  it("makes the lock of pnpm where that is the Project's", () =>
    inAgentWorld({ ...files, "pnpm-lock.yaml": pnpmLockText(files["package.json"], []) }, (works) =>
      Effect.gen(function* () {
        const kept = nothingKept()
        const made = yield* works(inTurn(adding(), done), { kept }).pipe(Effect.provide(registry()))
        expect(words(kept.asked[1]?.parts.at(-1))).toBe("zod is in package.json, and its lock is made")
        expect(made).toMatchObject({
          _tag: "Published",
          edits: { "package.json": manifest, "pnpm-lock.yaml": expect.stringContaining("'zod@4.0.0'") }
        })
        expect(Object.keys("edits" in made ? made.edits : {})).not.toContain("package-lock.json")
      })
    ))

  it("holds up nobody while the registry is away: composing makes the lock", () =>
    inAgentWorld(files, (works) =>
      Effect.gen(function* () {
        const kept = nothingKept()
        const made = yield* works(inTurn(adding(), done), { kept }).pipe(Effect.provide(registry(() => false)))
        expect(words(kept.asked[1]?.parts.at(-1))).toContain("the lock is made when your work is composed")
        expect(made).toMatchObject({ _tag: "Published", edits: { "package.json": manifest } })
        expect(Object.keys("edits" in made ? made.edits : {})).toEqual(["package.json"])
      })
    ))

  it.each<readonly [what: string, files: Record<string, string>, asked: ReturnType<typeof adding>, said: RegExp]>([
    ["there is no such package", files, adding("nothing"), /nothing was changed: .*nothing/],
    ["it comes from git", files, adding("zod", { range: "someone/zod" }), /from the registry alone/],
    ["the name is none", files, adding("../up"), /no name of a package/]
  ])("changes nothing and says why when %s", (_, given, asked, said) =>
    inAgentWorld(given, (works) =>
      Effect.gen(function* () {
        const kept = nothingKept()
        const made = yield* works(inTurn(asked, call("give_up", { reason: "x" })), { kept }).pipe(
          Effect.provide(registry())
        )
        expect(words(kept.asked[1]?.parts.at(-1))).toMatch(said)
        expect(made).toMatchObject({ _tag: "Failed" })
      })
    )
  )

  it("makes the same files when a run goes on after a kill, with the lock that was made then", () =>
    inAgentWorld(files, (works) =>
      Effect.gen(function* () {
        const kept = nothingKept()
        const model = inTurn(adding(), call("read", { path: "package-lock.json" }), done)
        let steps = 0
        const step = () => {
          if (++steps === 4) throw new Killed()
        }
        yield* Effect.exit(works(model, { kept, step }).pipe(Effect.provide(registry())))
        const made = yield* works(model, { kept }).pipe(Effect.provide(registry(() => false)))
        expect(made).toMatchObject({
          _tag: "Published",
          edits: { "package.json": manifest, "package-lock.json": expect.stringContaining('"node_modules/zod"') }
        })
      })
    ))

  it("is none of a Task that only looks", () =>
    inAgentWorld(files, (works) =>
      Effect.gen(function* () {
        const kept = nothingKept()
        yield* works(inTurn(adding(), call("answer", { text: "x" })), { kept, planned: { kind: "research" } })
        expect(words(kept.asked[1]?.parts.at(-1))).toContain("there is no tool")
      })
    ))
})
