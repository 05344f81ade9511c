import { SourceImport } from "@pawl/core/project/SourceImport"
import { GitPlace } from "@pawl/adapters-local/repositories/GitPlace"
import * as ImportHosts from "@pawl/server/node/ImportHosts"
import { Effect, Layer, Result } from "effect"
import { describe, expect, it } from "vitest"

describe("The hosts of PAWL_IMPORT_HOSTS", () => {
  it("are names between commas, with a port where it is not the usual one", () => {
    expect(ImportHosts.hostsOf("")).toEqual([])
    expect(ImportHosts.hostsOf(" GitHub.com , git.example.com:8443,127.0.0.1:3000,a.test:443")).toEqual([
      "github.com",
      "git.example.com:8443",
      "127.0.0.1:3000",
      "a.test"
    ])
  })

  it.each(["https://github.com", "github.com/acme", "a b", "user@github.com", "github.com,", "*", "a:99999"])(
    "are not %s",
    (text) => {
      expect(ImportHosts.hostsOf(text)).toMatch(/^importHosts \(PAWL_IMPORT_HOSTS\): use host names/)
    }
  )

  it("that name none import nothing, and the refusal names the option", async () => {
    const taken = Effect.flatMap(SourceImport, (source) =>
      Effect.result(source.files({ git: "https://github.com/a/b" }))
    ).pipe(
      Effect.provide(
        Layer.provide(ImportHosts.layer([]), Layer.succeed(GitPlace, { root: "/nowhere", brought: () => Effect.void }))
      )
    )
    const failure = Result.getOrThrow(Result.flip(await Effect.runPromise(taken)))
    expect(failure.message).toContain("PAWL_IMPORT_HOSTS")
  })
})
