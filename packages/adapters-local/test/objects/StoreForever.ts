/** Stores objects of a round without end in a folder, and says each key as JSON as soon as it was answered. */
import { writeSync } from "node:fs"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { Effect } from "effect"
import { layer } from "../../src/objects/FileObjectStore.ts"

const [directory = "", round = ""] = process.argv.slice(2)

const forever = Effect.gen(function* () {
  const store = yield* ObjectStore
  for (let n = 0; ; n++) {
    const key = `round/${round}/${n}`
    const bytes = new Uint8Array(200_000).fill(n)
    yield* n % 2 === 1 ? store.put(key, bytes) : store.create(key, bytes)
    writeSync(1, `${JSON.stringify(key)}\n`)
  }
})

await Effect.runPromise(Effect.provide(forever, layer({ directory })))
