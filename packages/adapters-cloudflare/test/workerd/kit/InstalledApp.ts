/** Apps whose bundles are in the tests' bucket. */
import type { AppVersion } from "@pawl/core/app/AppRuntime"
import { type Bundle, bundlePrefix } from "@pawl/core/bundle/Bundle"
import * as BundleStore from "@pawl/core/bundle/BundleStore"
import { sha256, utf8 } from "@pawl/core/primitives/Digest"
import { Effect } from "effect"
import * as R2ObjectStore from "../../../src/objects/R2ObjectStore.ts"
import { bound } from "./Bound.ts"

const project = "proj_00000000-0000-4000-8000-000000000001"

/** What an app has besides its module. */
export interface AppParts {
  /** Fields of its bundle that are others than those of the smallest app. */
  readonly fields?: Partial<Bundle>
  /** By path without a leading slash. */
  readonly files?: Readonly<Record<string, Uint8Array>>
}

/** Stores an app; the commit is made of its name and of its world. */
export const install = (
  source: string,
  id: string,
  world: number,
  { fields, files = {} }: AppParts = {}
): Promise<AppVersion> =>
  Effect.gen(function* () {
    const commit = (yield* sha256(utf8(`${world} ${id} ${source}`))).slice(0, 40)
    const manifest: Record<string, Bundle["assets"]["manifest"][string]> = {}
    for (const [path, body] of Object.entries(files))
      manifest[path] = { sha256: yield* sha256(body), size: body.length, contentType: "text/plain; charset=utf-8" }
    const { digest, key } = yield* BundleStore.store(bundlePrefix("apps", project, commit), {
      bundle: {
        version: 1,
        project,
        commit,
        tree: commit,
        builtAt: "2030-01-01T00:00:00.000Z",
        builder: { name: "test", version: "1" },
        mainModule: "index.js",
        modules: { "index.js": { type: "esm", sha256: yield* sha256(utf8(source)), content: source } },
        compatibilityDate: "2026-01-01",
        compatibilityFlags: [],
        assets: { notFoundHandling: "none", htmlHandling: "auto-trailing-slash", runWorkerFirst: false, manifest },
        ...fields
      },
      assets: new Map(Object.entries(files)),
      objects: new Map()
    })
    return { id, project, channel: "production", bundleKey: key, bundleDigest: digest, incarnation: world } as const
  }).pipe(Effect.provide(R2ObjectStore.layer(bound.BUCKET)), Effect.runPromise)
