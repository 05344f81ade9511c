/** The contract of repositories on the simulator of Artifacts that Cloudflare itself makes, in workerd, spoken to over HTTP. */
import { repositoriesContract } from "@pawl/testing/contracts/repositories/RepositoriesContract"
import { base, scene, tagOf, textFiles } from "@pawl/testing/contracts/repositories/RepositoriesScene"
import { depth } from "@pawl/testing/Depth"
import { Repositories } from "@pawl/core/project/Repositories"
import { Effect, Layer } from "effect"
import { convertV4MiniflareOptions, Miniflare } from "miniflare"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Artifacts } from "@pawl/adapters-cloudflare/repositories/artifacts/Artifacts"
import { layer } from "@pawl/adapters-cloudflare/repositories/ArtifactsRepositories"

const options = convertV4MiniflareOptions({
  modules: true,
  script: "export default {}",
  compatibilityDate: "2026-07-01",
  cf: false
})
const [worker] = options.workers ?? []
// The older form of options knows only Artifacts of an account.
if (worker?.config !== undefined)
  worker.config.env = { ARTIFACTS: { type: "artifacts", namespace: "pawl", dev: { remote: false } } }

let simulator: Miniflare
let artifacts: Artifacts
beforeAll(async () => {
  simulator = new Miniflare(options)
  ;({ ARTIFACTS: artifacts } = await simulator.getBindings<{ ARTIFACTS: Artifacts }>())
})
afterAll(() => simulator.dispose())

/** Each test begins with nothing: its repositories have names of their own. */
const under = (prefix: string): Artifacts => ({
  create: (name, how) => artifacts.create(`${prefix}-${name}`, how),
  delete: (name) => artifacts.delete(`${prefix}-${name}`),
  get: async (name) => {
    const repository = await artifacts.get(`${prefix}-${name}`)
    return {
      info: () => repository.info(),
      createToken: (scope, ttl) => repository.createToken(scope, ttl),
      fork: (target, how) => repository.fork(`${prefix}-${target}`, how),
      readTree: (hash) => repository.readTree(hash),
      readBlob: (hash) => repository.readBlob(hash)
    }
  }
})

describe("Repositories on Cloudflare's simulator of Artifacts", () => {
  it("take a Project from its first commit to its second, and to its end", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const repositories = yield* Repositories
        const { canon, cand, edit, merge, project, s0, ws } = yield* scene(repositories)
        const one = yield* edit(ws(1), s0.commit, { "src/a.ts": "A\n" })
        const merged = yield* merge(cand(1), s0.commit, [ws(1), one.commit])
        yield* repositories.advance({ project, from: cand(1), expected: s0.commit, commit: merged.commit })
        expect(yield* repositories.main(project)).toEqual(merged)
        expect(yield* textFiles(repositories, canon, merged.tree)).toEqual({ ...base, "src/a.ts": "A\n" })
        yield* repositories.remove(canon)
        expect(yield* tagOf(repositories.main(project))).toBe("ObjectNotFound")
        expect(yield* tagOf(repositories.resolve(ws(1), one.commit))).toBe("ObjectNotFound")
      }).pipe(Effect.provide(Layer.suspend(() => layer({ artifacts: under("life") }))))
    ))
})

// Its processes take minutes for all of it.
let tests = 0
if (depth !== "quick")
  repositoriesContract("on Cloudflare's simulator of Artifacts", {
    layer: () => layer({ artifacts: under(`t${tests++}`) })
  })
