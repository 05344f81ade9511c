/**
 * `Signer` by a program of the operator's: a key in PKCS #11, Vault, a TPM or a YubiKey. It is started for each question:
 *
 * - `<path> public statement` writes the public key, SPKI in PEM. So does `<path> public log`, or it writes nothing: then
 *   the log's key is the file of the data folder.
 * - `<path> sign statement` and `<path> sign log` read the message on standard input and write its signature as base64: of
 *   P-256 over the SHA-256 of the message and in DER, of Ed25519 its 64 bytes.
 *
 * Any other exit than 0, an answer that is too long or comes too late, and a signature that the public key does not verify
 * mean that the signer is away. It gets the server's environment without what begins with `PAWL_`.
 */
import { spawn } from "node:child_process"
import { createPublicKey } from "node:crypto"
import { type PublicKey, publicKeyOf, verifies } from "@pawl/core/provenance/PublicKeys"
import { base64Bytes } from "@pawl/core/primitives/StrictBase64"
import { type SignatureUse, Signer, SignerUnavailable } from "@pawl/core/provenance/Signer"
import { sparing } from "@pawl/core/provenance/SparedSigner"
import { Effect, Layer } from "effect"
import { Base64 } from "effect/encoding"
import { LocalLimits } from "../LocalLimits.ts"
import { keyReader } from "./FileSigner.ts"
import { killGroup } from "../ProcessGroup.ts"

const environment = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("PAWL_")))

const away = (args: ReadonlyArray<string>, what: string) =>
  new SignerUnavailable({ reason: `the command of PAWL_SIGNER ${what} (${args.join(" ")})` })

/** Runs the command once; whatever it started ends with it. */
const ask = (path: string, args: ReadonlyArray<string>, message: Uint8Array) =>
  Effect.callback<string, SignerUnavailable>((resume) => {
    const child = spawn(path, args, { env: environment(), detached: true, stdio: ["pipe", "pipe", "ignore"] })
    const said: Array<Buffer> = []
    let bytes = 0
    const kill = () => {
      if (child.pid !== undefined) killGroup(child.pid)
    }
    const refuse = (what: string) => {
      kill()
      resume(Effect.fail(away(args, what)))
    }
    child.once("error", (error) => refuse(`cannot be started: ${"code" in error ? String(error.code) : error.message}`))
    // Who reads none of it, or ends before the end, is judged by the answer.
    child.stdin.on("error", () => {})
    child.stdin.end(message)
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      said.push(chunk)
      if (bytes > LocalLimits.signerAnswerBytes) refuse("answered too much")
    })
    child.once("close", (code, signal) => {
      if (code !== 0) return refuse(`ended with ${code ?? signal}`)
      kill()
      resume(Effect.succeed(Buffer.concat(said).toString("latin1").trim()))
    })
    return Effect.sync(kill)
  }).pipe(
    Effect.timeoutOrElse({
      duration: LocalLimits.signerTimeoutMs,
      orElse: () => Effect.fail(away(args, `did not answer within ${LocalLimits.signerTimeoutMs / 1000} s`))
    })
  )

const publicKeyIn = (pem: string): PublicKey | null => {
  try {
    return publicKeyOf(createPublicKey(pem).export({ type: "spki", format: "der" }))
  } catch {
    return null
  }
}

const none = new Uint8Array(0)

/** The public key that the command names; null where it has none for this use. */
const publicKey = Effect.fnUntraced(function* (path: string, use: SignatureUse) {
  const args = ["public", use]
  const pem = yield* ask(path, args, none)
  if (pem === "" && use === "log") return null
  const key = publicKeyIn(pem)
  if (key === null) return yield* away(args, "wrote no public key of P-256 or Ed25519 in PEM")
  if (use === "log" && key.algorithm !== "ed25519") return yield* away(args, "named a key that is not Ed25519")
  return key
})

const signature = Effect.fnUntraced(function* (path: string, use: SignatureUse, key: PublicKey, message: Uint8Array) {
  const args = ["sign", use]
  const sig = base64Bytes(yield* ask(path, args, message))
  if (sig === null || !(yield* verifies(key, message, sig)))
    return yield* away(args, "wrote a signature that is not its public key's")
  return { keyid: key.keyid, sig: Base64.encode(sig) }
})

/** The signer of a command; `data` is the folder of the log's key, where the command has none. */
export const layer = ({ data, path }: { readonly path: string; readonly data: string }): Layer.Layer<Signer> =>
  Layer.sync(Signer, () => {
    const logFile = keyReader(data, "log")
    // Each chain that waits would start it.
    const spared = sparing(LocalLimits.signerSpareMs)
    const known = new Map<SignatureUse, PublicKey | null>()
    const asked = (use: SignatureUse) =>
      Effect.tap(publicKey(path, use), (key) => Effect.sync(() => void known.set(use, key)))
    const sign = Effect.fnUntraced(function* (use: SignatureUse, message: Uint8Array) {
      const key = known.has(use) ? (known.get(use) ?? null) : yield* asked(use)
      if (key === null) {
        const { shown, sign } = yield* logFile
        return { keyid: shown.keyid, sig: Base64.encode(sign(message)) }
      }
      // It may have another key since.
      return yield* Effect.catch(signature(path, use, key, message), (problem) =>
        Effect.flatMap(asked(use), (newer) =>
          newer === null || newer.keyid === key.keyid ? Effect.fail(problem) : signature(path, use, newer, message)
        )
      )
    })
    return {
      keys: spared(
        Effect.gen(function* () {
          const log = yield* asked("log")
          const statement = yield* asked("statement")
          if (statement === null) return yield* away(["public", "statement"], "wrote no public key")
          return { statement, log: log ?? (yield* logFile).shown }
        })
      ),
      sign: (use, message) => spared(sign(use, message))
    }
  })
