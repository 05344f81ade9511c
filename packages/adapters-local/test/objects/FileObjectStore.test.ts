import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { ObjectStore } from "@pawl/core/objects/ObjectStore"
import { objectStoreContract } from "@pawl/testing/contracts/stores/ObjectStoreContract"
import { layer } from "../../src/objects/FileObjectStore.ts"
import { oneFile } from "../OneFile.ts"

const root = mkdtempSync(join(tmpdir(), "objects-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let count = 0
const fresh = () => join(root, `${count++}`)
const run = <A, E>(directory: string, use: (store: typeof ObjectStore.Service) => Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.provide(Effect.flatMap(ObjectStore, use), layer({ directory })))
const filesUnder = (directory: string) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)

objectStoreContract("files", { layer: () => layer({ directory: fresh() }) })

describe("FileObjectStore", () => {
  it("keeps objects over a restart and removes what a killed process left half written", async () => {
    const directory = fresh()
    await run(directory, (store) => store.put("a/b", new Uint8Array([1])))
    writeFileSync(join(directory, "tmp", "left-behind"), "half")
    expect(await run(directory, (store) => store.get("a/b"))).toEqual(new Uint8Array([1]))
    expect(readdirSync(join(directory, "tmp"))).toEqual([])
  })

  it("follows no link out of its folder, to read, write, list or remove", async () => {
    const [directory, outside] = [fresh(), fresh()]
    await run(directory, (store) => store.put("in/x", new Uint8Array([1])))
    mkdirSync(outside)
    writeFileSync(join(outside, "x="), "secret")
    symlinkSync(outside, join(directory, "objects", "out"))
    symlinkSync(join(outside, "x="), join(directory, "objects", "leaf="))
    await run(directory, (store) =>
      Effect.gen(function* () {
        for (const key of ["out/x", "leaf"]) {
          expect(yield* Effect.flip(store.get(key))).toMatchObject({ _tag: "ObjectStoreUnavailable", reason: "ELOOP" })
          expect(yield* Effect.flip(store.head(key))).toMatchObject({ _tag: "ObjectStoreUnavailable" })
          expect(yield* Effect.flip(store.copy(key, "copied"))).toMatchObject({ _tag: "ObjectStoreUnavailable" })
        }
        for (const failed of [
          store.put("out/new", new Uint8Array()),
          store.create("out/new/deep", new Uint8Array()),
          store.remove("out/x"),
          store.removePrefix("out/")
        ])
          expect(yield* Effect.flip<unknown, { readonly _tag: string }, never>(failed)).toMatchObject({
            _tag: "ObjectStoreUnavailable"
          })
        expect(yield* store.list("")).toMatchObject([{ key: "in/x", sizeBytes: 1 }])
        // A put gives the name to a file of its own: the link goes, what it pointed to stays.
        yield* store.put("leaf", new Uint8Array([2]))
      })
    )
    expect(filesUnder(outside)).toEqual(["x="])
    expect(readFileSync(join(outside, "x="), "utf8")).toBe("secret")
  })

  it("leaves no empty folder and no temporary file behind", async () => {
    const directory = fresh()
    await run(directory, (store) =>
      Effect.gen(function* () {
        for (const key of ["a/b/c", "a/d", "e"]) yield* store.create(key, new Uint8Array([1]))
        yield* store.create("e", new Uint8Array([1]))
        yield* store.copy("e", "f/g")
        yield* store.copy("e", "e")
        yield* store.removePrefix("a/")
        yield* store.removePrefix("f/")
        yield* store.remove("e")
      })
    )
    expect(readdirSync(directory, { recursive: true })).toEqual(expect.arrayContaining(["objects", "tmp"]))
    expect(readdirSync(directory, { recursive: true })).toHaveLength(2)
  })

  it("loses nothing acknowledged and keeps no half object when it is killed at any point", async () => {
    const directory = fresh()
    const acknowledged: Array<string> = []
    const program = await oneFile(fileURLToPath(new URL("./StoreForever.ts", import.meta.url)))
    for (let round = 0; round < 6; round++) {
      const child = spawn(process.execPath, [program, directory, String(round)], {
        stdio: ["ignore", "pipe", "inherit"]
      })
      for await (const line of createInterface(child.stdout)) {
        acknowledged.push(JSON.parse(line))
        if (acknowledged.length % 7 === 6) child.kill("SIGKILL")
      }
    }
    expect(acknowledged.length).toBeGreaterThan(30)
    await run(directory, (store) =>
      Effect.gen(function* () {
        const listed = yield* store.list("round/")
        expect(listed.map(({ key }) => key)).toEqual(expect.arrayContaining(acknowledged))
        for (const { key, sizeBytes } of listed) {
          expect(sizeBytes).toBe(200_000)
          expect((yield* store.get(key)).every((byte) => byte === Number(key.split("/")[2]) % 256)).toBe(true)
        }
      })
    )
    expect(readdirSync(join(directory, "tmp"))).toEqual([])
  })

  const child = (script: string, prefix: ReadonlyArray<string> = []) => {
    const [command, ...args] = [
      ...prefix,
      process.execPath,
      "--conditions=pawl-source",
      "--input-type=module",
      "-e",
      script
    ]
    return spawn(command, args, { stdio: ["ignore", "pipe", "inherit"], cwd: import.meta.dirname })
  }
  const program = (directory: string, body: string) => `
    import { Effect } from "effect"
    import { ObjectStore } from "@pawl/core/objects/ObjectStore"
    import { layer } from ${JSON.stringify(new URL("../../src/objects/FileObjectStore.ts", import.meta.url).href)}
    import { writeSync } from "node:fs"
    const say = (value) => writeSync(1, JSON.stringify(value) + "\\n")
    await Effect.runPromise(Effect.provide(Effect.gen(function* () { const store = yield* ObjectStore; ${body} }), layer({ directory: ${JSON.stringify(directory)} })))`

  // A file system of one mebibyte, in a mount namespace of its own.
  const small = [
    "unshare",
    "--user",
    "--map-root-user",
    "--mount",
    "sh",
    "-c",
    'mount -t tmpfs -o size=1m none "$0" && exec "$@"'
  ]
  it("answers ObjectStoreUnavailable with nothing stored when the disk is full, and works again when there is room", async () => {
    const directory = fresh()
    mkdirSync(directory)
    const process = child(
      program(
        directory,
        `
        yield* store.put("kept", new Uint8Array(600_000).fill(7))
        for (const failed of [store.put("kept", new Uint8Array(700_000)), store.create("new", new Uint8Array(700_000))]) {
          const error = yield* Effect.flip(failed)
          say([error._tag, error.reason])
        }
        say((yield* store.get("kept")).every((byte) => byte === 7))
        say(yield* store.list(""))
        yield* store.remove("kept")
        say(yield* store.create("new", new Uint8Array(700_000)))`
      ),
      [...small, directory]
    )
    const lines: Array<unknown> = []
    for await (const line of createInterface(process.stdout)) lines.push(JSON.parse(line))
    expect(lines).toMatchObject([
      ["ObjectStoreUnavailable", "ENOSPC"],
      ["ObjectStoreUnavailable", "ENOSPC"],
      true,
      [{ key: "kept", sizeBytes: 600_000 }],
      true
    ])
  })
})
