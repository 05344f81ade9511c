import { mkdtempSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as FileSigner from "@pawl/adapters-local/signing/FileSigner"
import { makeKey, newKey, replaceFile } from "@pawl/adapters-local/signing/KeyFiles"
import { Signer } from "@pawl/core/provenance/Signer"
import { signerContract } from "@pawl/testing/contracts/provenance/SignerContract"

const folder = () => mkdtempSync(join(tmpdir(), "pawl-keys-"))
const withKeys = (algorithm: "ecdsa-p256-sha256" | "ed25519") => {
  const data = folder()
  makeKey(data, "statement", algorithm)
  makeKey(data, "log", algorithm)
  return data
}

signerContract("file, P-256", {
  layer: FileSigner.layer({ data: withKeys("ecdsa-p256-sha256") }),
  statement: "ecdsa-p256-sha256"
})
signerContract("file, Ed25519", { layer: FileSigner.layer({ data: withKeys("ed25519") }), statement: "ed25519" })

describe("key files", () => {
  const keys = Effect.flatMap(Signer, (signer) => signer.keys)

  it("are made once, readable by their owner alone, and never in place of one that is there", () => {
    const data = folder()
    expect(makeKey(data, "statement", "ed25519")).toBe(true)
    const made = statSync(join(data, "signing-key"))
    expect(made.mode & 0o777).toBe(0o600)
    expect(makeKey(data, "statement", "ed25519")).toBe(false)
    expect(statSync(join(data, "signing-key")).ino).toBe(made.ino)
  })

  it("are read anew: what a rotation puts there signs from then on", () => {
    const data = withKeys("ecdsa-p256-sha256")
    return Effect.runPromise(
      Effect.gen(function* () {
        const before = yield* keys
        replaceFile(join(data, "signing-key"), newKey("ecdsa-p256-sha256"))
        const after = yield* keys
        expect(after.statement.keyid).not.toBe(before.statement.keyid)
        expect(after.log).toEqual(before.log)
        expect((yield* (yield* Signer).sign("statement", new Uint8Array(1))).keyid).toBe(after.statement.keyid)
      }).pipe(Effect.provide(FileSigner.layer({ data })))
    )
  })

  it("that are gone, or hold no key, mean that the signer is away, in words without a path", () => {
    const data = withKeys("ecdsa-p256-sha256")
    const problem = Effect.map(Effect.flip(keys), (error) => error.message)
    return Effect.runPromise(
      Effect.gen(function* () {
        writeFileSync(join(data, "log-key"), "nothing")
        expect(yield* problem).toBe(
          "The signer is away: log-key in the data folder holds no private key of P-256 or Ed25519 in PEM"
        )
      }).pipe(
        Effect.andThen(problem.pipe(Effect.provide(FileSigner.layer({ data: folder() })))),
        Effect.map((text) => expect(text).toBe("The signer is away: signing-key in the data folder is not there")),
        Effect.provide(FileSigner.layer({ data }))
      )
    )
  })
})
