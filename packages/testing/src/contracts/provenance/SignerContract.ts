/** What every Signer promises: signatures that its public keys verify, in the forms that envelopes and notes hold. */
import { Effect, type Layer } from "effect"
import { describe, expect, it } from "vitest"
import { utf8 } from "@pawl/core/primitives/Digest"
import { Limits } from "@pawl/core/primitives/Limits"
import { keyidOf, rawEd25519, rawOf, verifies } from "@pawl/core/provenance/PublicKeys"
import { base64Bytes } from "@pawl/core/primitives/StrictBase64"
import { Signer, type SignerUnavailable } from "@pawl/core/provenance/Signer"

/** Declares the suite; `name` names the adapter in its title. */
export const signerContract = (
  name: string,
  fixture: { readonly layer: Layer.Layer<Signer>; readonly statement: "ecdsa-p256-sha256" | "ed25519" }
): void => {
  const run = (body: (signer: Signer["Service"]) => Effect.Effect<void, SignerUnavailable>) =>
    Effect.runPromise(Effect.provide(Effect.flatMap(Signer, body), fixture.layer))
  const bytesOf = (text: string) => base64Bytes(text) ?? expect.fail(`no base64: ${text}`)

  describe(`${name}: Signer`, () => {
    it("names its keys by the SHA-256 of their SPKI, and signs the log with Ed25519", () =>
      run((signer) =>
        Effect.gen(function* () {
          const { log, statement } = yield* signer.keys
          for (const { keyid, spki } of [log, statement]) expect(keyidOf(bytesOf(spki))).toBe(keyid)
          expect(statement.algorithm).toBe(fixture.statement)
          expect(log.algorithm).toBe("ed25519")
          expect(rawEd25519(log.spki)).toHaveLength(32)
          expect(log.keyid).not.toBe(statement.keyid)
        })
      ))

    it("answers the same keys each time", () =>
      run((signer) =>
        Effect.gen(function* () {
          expect(yield* signer.keys).toEqual(yield* signer.keys)
        })
      ))

    it("signs messages of all sizes, with the key that it names", () =>
      run((signer) =>
        Effect.gen(function* () {
          const keys = yield* signer.keys
          for (const use of ["statement", "log"] as const)
            for (const size of [0, 1, 1000, Limits.signedBytes]) {
              const message = new Uint8Array(size).fill(7)
              const { keyid, sig } = yield* signer.sign(use, message)
              expect(keyid).toBe(keys[use].keyid)
              expect(yield* verifies(keys[use], message, bytesOf(sig))).toBe(true)
              const other = new Uint8Array(size + 1).fill(7)
              expect(yield* verifies(keys[use], other, bytesOf(sig))).toBe(false)
            }
        })
      ))

    it("writes signatures of P-256 strictly in DER, those of Ed25519 in 64 bytes", () =>
      run((signer) =>
        Effect.gen(function* () {
          for (let turn = 0; turn < 6; turn++) {
            const sig = bytesOf((yield* signer.sign("statement", utf8(`message ${turn}`))).sig)
            if (fixture.statement === "ed25519") expect(sig).toHaveLength(64)
            else expect(rawOf(sig)).not.toBeNull()
          }
          expect(bytesOf((yield* signer.sign("log", utf8("note"))).sig)).toHaveLength(64)
        })
      ))

    it("signs for many at once", () =>
      run((signer) =>
        Effect.gen(function* () {
          const { statement } = yield* signer.keys
          const messages = Array.from({ length: 8 }, (_, index) => utf8(`message ${index}`))
          const all = yield* Effect.forEach(messages, (message) => signer.sign("statement", message), {
            concurrency: "unbounded"
          })
          for (const [index, { sig }] of all.entries())
            expect(yield* verifies(statement, messages[index]!, bytesOf(sig))).toBe(true)
        })
      ))
  })
}
