/** What tests of locks share: documents of a registry, and locks made with and without a process of their own. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { make } from "@pawl/adapters-local/packages/locking/LockMaker"
import { lockAnswer } from "@pawl/adapters-local/packages/locking/LockMaking"
import { type LockRequest, PackagesRefused, PackagesUnavailable } from "@pawl/core/packages/PackageStore"
import { utf8 } from "@pawl/core/primitives/Digest"
import { Effect } from "effect"
import { type Documents, type Registry, registryOf } from "./Documents.ts"

export const documents: Documents = {
  a: { "1.0.0": {}, "1.1.0": { dependencies: { "@s/deep": "^1.0.0" } }, "2.0.0": {} },
  b: { "1.0.0": { peerDependencies: { a: "^1.0.0" } } },
  c: { "1.0.0": { peerDependencies: { d: "1" } } },
  d: { "1.0.0": { peerDependencies: { c: "1" } } },
  "@s/deep": { "1.0.0": { scripts: { postinstall: "evil" }, bin: { deep: "deep.js" } }, "2.0.0": {} },
  optional: { "1.0.0": { optionalDependencies: { mac: "1.0.0", linux: "1.0.0" } } },
  mac: { "1.0.0": { os: ["darwin"] } },
  linux: { "1.0.0": { os: ["linux"], cpu: ["x64", "arm64"], libc: ["glibc"] } },
  gits: { "1.0.0": { dependencies: { far: "git+https://example.test/far.git" } } },
  lonely: { "1.0.0": { os: ["win32"] } }
}

export const manifest = (fields: Readonly<Record<string, unknown>>): Uint8Array =>
  utf8(JSON.stringify({ name: "app", version: "1.2.3", ...fields }))
export const needs = (dependencies: Readonly<Record<string, unknown>>): Uint8Array => manifest({ dependencies })

const request = (given: Partial<LockRequest> & Pick<LockRequest, "manifest">): LockRequest => ({
  format: "npm",
  workspace: null,
  locks: [],
  offline: false,
  ...given
})

type Given = Partial<LockRequest> & Pick<LockRequest, "manifest">

/** A lock as the server makes it, by a process of its own. */
export const lockByProcess = (registry: string, given: Given) =>
  Effect.flatMap(make(registry), (making) => making(request(given)))

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "pawl-lock-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The same without the process: to read npm's code anew for each lock would take most of the time. */
export const lock = (registry: string, given: Given) =>
  Effect.scoped(
    Effect.gen(function* () {
      const order = { ...request(given), registry, certificates: "", folder: yield* folder }
      const answer = yield* Effect.promise(() => lockAnswer(order, () => undefined))
      if (answer._tag === "Locked") return utf8(answer.text)
      if (answer._tag === "Refused") return yield* new PackagesRefused({ problems: answer.problems })
      return yield* new PackagesUnavailable({ reason: answer._tag === "Unavailable" ? answer.reason : "" })
    })
  )

export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
export const packagesOf = (bytes: Uint8Array): Readonly<Record<string, { readonly version: string }>> =>
  JSON.parse(text(bytes)).packages
export const versions = (bytes: Uint8Array) =>
  Object.fromEntries(
    Object.entries(packagesOf(bytes)).flatMap(([path, { version }]) => (path === "" ? [] : [[path.slice(13), version]]))
  )

/** Works beside a registry. */
export const within = <A>(
  work: (registry: Registry) => Effect.Effect<A, unknown>,
  ...given: Parameters<typeof registryOf> | []
) => Effect.runPromise(Effect.scoped(Effect.flatMap(registryOf(given[0] ?? documents, given[1]), work)))

/** Why there is no lock: problems with their codes, or that it waits. */
export const problemsOf = (registry: string, given: Given, make: typeof lock | typeof lockByProcess = lock) =>
  make(registry, given).pipe(
    Effect.flip,
    Effect.map((error) =>
      error._tag === "PackagesRefused"
        ? error.problems.map(({ code, message }) => `${code}: ${message}`)
        : [error.message]
    )
  )

/** What nobody listens at. */
export const nowhere = "http://127.0.0.1:1/"
