import { Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { Bundle } from "@pawl/core/bundle/Bundle"
import * as BundleStore from "@pawl/core/bundle/BundleStore"
import { pointerKey } from "@pawl/core/model/Entities"
import { demand } from "@pawl/core/ledger/Decision"
import * as MemoryObjectStore from "@pawl/adapters-memory/MemoryObjectStore"
import * as Projects from "@pawl/core/project/Projects"
import { readFiles } from "@pawl/core/project/Source"
import { organizationId, person, run, settle } from "../kit/MemoryPawl.ts"
import { candidateOf, files } from "../kit/Scenes.ts"

/** Names that every object has from its prototype. */
const odd = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"]
const named = <A>(value: (name: string) => A): Readonly<Record<string, A>> =>
  Object.fromEntries(odd.map((name) => [name, value(name)]))

describe("Files whose names every object has", () => {
  it("are seeded, composed and built like any other", () =>
    run(
      Effect.gen(function* () {
        const source = { ...files, ...named((name) => `seeded ${name}`) }
        const project = yield* Projects.create(person, { organizationId, slug: "odd", files: source })
        yield* settle
        const head = (yield* demand("head", project.id)).record
        const seeded = yield* readFiles({ project: project.id }, head.tree)
        expect(odd.filter((name) => !seeded.has(name))).toEqual([])
        const edits = Object.fromEntries(odd.map((name) => [`public/${name}`, `edited ${name}`]))
        expect((yield* candidateOf(project.id, "r1", { ...edits, ...named((name) => `edited ${name}`) })).status).toBe(
          "verified"
        )
        expect((yield* demand("pointer", pointerKey(project.id, "production"))).record.status).toBe("live")
      })
    ))

  it("stand in a stored bundle, among its assets and its modules", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const sha256 = "a".repeat(64)
        const bundle = Schema.decodeUnknownSync(Bundle)({
          version: 1,
          project: "proj_00000000-0000-4000-8000-000000000001",
          commit: "1".repeat(40),
          tree: "2".repeat(40),
          builtAt: "2030-01-01T00:00:00.000Z",
          builder: { name: "b", version: "1" },
          mainModule: "__proto__",
          modules: named(() => ({ type: "esm", sha256, content: "" })),
          compatibilityDate: "2030-01-01",
          compatibilityFlags: [],
          assets: {
            notFoundHandling: "none",
            htmlHandling: "none",
            runWorkerFirst: false,
            manifest: named(() => ({ sha256, size: 1, contentType: "text/plain" }))
          }
        })
        const stored = yield* BundleStore.store("p/", { bundle, assets: new Map(), objects: new Map() })
        const found = (yield* BundleStore.load(stored.key, stored.digest)).bundle
        expect(Object.keys(found.assets.manifest).sort()).toEqual([...odd].sort())
        expect(Object.keys(found.modules).sort()).toEqual([...odd].sort())
      }).pipe(Effect.provide(MemoryObjectStore.layerMemory))
    ))
})

it("names the entry that is refused, by its own name", () => {
  const decode = Schema.decodeUnknownResult(Schema.Record(Schema.String, Schema.Finite))
  expect(String(decode(JSON.parse('{ "a": 1, "__proto__": "x" }')))).toContain("__proto__")
  expect(decode([1])._tag).toBe("Failure")
  const read = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.FiniteFromString))(
    JSON.parse('{ "__proto__": "7" }')
  )
  expect(Object.entries(read)).toEqual([["__proto__", 7]])
  expect(JSON.stringify(Schema.encodeSync(Schema.Record(Schema.String, Schema.FiniteFromString))(read))).toBe(
    '{"__proto__":"7"}'
  )
})
