import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import * as CommandSigner from "@pawl/adapters-local/signing/CommandSigner"
import { makeKey } from "@pawl/adapters-local/signing/KeyFiles"
import { LocalLimits } from "@pawl/adapters-local/LocalLimits"
import { Signer } from "@pawl/core/provenance/Signer"
import { signerContract } from "@pawl/testing/contracts/provenance/SignerContract"

/** A folder with keys, and a program there. */
const place = (body: string) => {
  const data = mkdtempSync(join(tmpdir(), "pawl-signer-"))
  makeKey(data, "statement", "ecdsa-p256-sha256")
  makeKey(data, "log", "ed25519")
  const path = join(data, "signer")
  writeFileSync(path, `#!/bin/sh\nset -e\ncd ${data}\n${body}\n`)
  chmodSync(path, 0o700)
  return { data, path }
}

const program = `
const { createPrivateKey, createPublicKey, sign } = require("node:crypto")
const { readFileSync } = require("node:fs")
const [what, use] = process.argv.slice(1)
const key = createPrivateKey(readFileSync("signing-key"))
if (what === "public" && use === "statement")
  process.stdout.write(createPublicKey(key).export({ type: "spki", format: "pem" }))
if (what === "sign") console.log(sign("sha256", readFileSync(0), key).toString("base64"))`
const node = (script: string) => `"${process.execPath}" -e '${script}' "$1" "$2"`

signerContract("command", { layer: CommandSigner.layer(place(node(program))), statement: "ecdsa-p256-sha256" })

/** A process that has ended, or is only waited for any more. */
const isGone = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.startsWith("Z") === true
  } catch {
    return true
  }
}

const nextTurn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

describe("a command that does not sign", () => {
  const problem = (body: string) =>
    Effect.flatMap(Signer, (signer) => Effect.flip(signer.sign("statement", new Uint8Array(3)))).pipe(
      Effect.map((error) => error.reason),
      Effect.provide(CommandSigner.layer(place(body))),
      Effect.runPromise
    )

  it.each([
    ["exit 3", "the command of PAWL_SIGNER ended with 3 (public statement)"],
    ["echo hello", "the command of PAWL_SIGNER wrote no public key of P-256 or Ed25519 in PEM (public statement)"],
    ["yes", "the command of PAWL_SIGNER answered too much (public statement)"],
    [
      `if [ "$1" = sign ]; then echo aGVsbG8=; exit; fi\n${node(program)}`,
      "the command of PAWL_SIGNER wrote a signature that is not its public key's (sign statement)"
    ]
  ])("is away: %s", async (body, reason) => expect(await problem(body)).toBe(reason))

  it("is away where there is no such program", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const error = yield* Effect.flip((yield* Signer).keys)
        expect(error.reason).toBe("the command of PAWL_SIGNER cannot be started: ENOENT (public log)")
      }).pipe(Effect.provide(CommandSigner.layer({ data: "/nowhere", path: "/nowhere/signer" })))
    ))

  it("is ended, with all that it started, when it takes too long", () => {
    const { data, path } = place("sleep 600 & echo $! > pid; wait")
    return Effect.runPromise(
      Effect.gen(function* () {
        const asked = yield* Effect.forkChild(Effect.flip((yield* Signer).sign("statement", new Uint8Array(3))))
        while (!existsSync(join(data, "pid")) || readFileSync(join(data, "pid"), "utf8") === "") yield* nextTurn
        yield* TestClock.adjust(LocalLimits.signerTimeoutMs)
        expect((yield* Fiber.join(asked)).reason).toBe(
          "the command of PAWL_SIGNER did not answer within 3 s (public statement)"
        )
        const pid = Number(readFileSync(join(data, "pid"), "utf8"))
        while (!isGone(pid)) yield* nextTurn
      }).pipe(Effect.provide(CommandSigner.layer({ data, path })), Effect.provide(TestClock.layer()))
    )
  })

  it("is left alone for a while after it failed, and asked again then", () => {
    const { data, path } = place(`echo asked >> asked\nexit 1`)
    const asked = () => readFileSync(join(data, "asked"), "utf8").split("\n").length - 1
    return Effect.runPromise(
      Effect.gen(function* () {
        const signer = yield* Signer
        const once = Effect.flip(signer.sign("statement", new Uint8Array(3)))
        yield* once
        const before = asked()
        expect((yield* once).reason).toContain("ended with 1")
        expect(asked()).toBe(before)
        yield* TestClock.adjust(LocalLimits.signerSpareMs)
        yield* once
        expect(asked()).toBeGreaterThan(before)
      }).pipe(Effect.provide(CommandSigner.layer({ data, path })), Effect.provide(TestClock.layer()))
    )
  })
})
