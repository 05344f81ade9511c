/** What signs statements: a key file in the data folder, a program of the operator's, or a key in a KMS. */
import * as CommandSigner from "@pawl/adapters-local/signing/CommandSigner"
import * as FileSigner from "@pawl/adapters-local/signing/FileSigner"
import { filePublisher } from "@pawl/adapters-local/publishers/FilePublisher"
import { GitStatements } from "@pawl/adapters-local/repositories/transport/GitStatements"
import { CheckpointPublishers, eventPublisher } from "@pawl/core/provenance/CheckpointPublisher"
import * as FileHeads from "@pawl/adapters-local/signing/FileHeads"
import { Signer } from "@pawl/core/provenance/Signer"
import { makeKey, takeNextKey } from "@pawl/adapters-local/signing/KeyFiles"
import type { SignedHeads } from "@pawl/core/provenance/SignedHeads"
import { allKeys, currentKey } from "@pawl/core/provenance/KeyHistory"
import { introduce } from "@pawl/core/provenance/Keys"
import type { KmsOptions } from "@pawl/adapters-s3/KmsKey"
import { Effect, Layer, Option, Result } from "effect"
import { Base64 } from "effect/encoding"
import { begunRotation, finishRotation } from "./KeyRotation.ts"
import type { Installation } from "./installations/Installation.ts"
import { InvalidOptions, type Options } from "./Options.ts"
import type { SignerChoice } from "./SignerOptions.ts"

/** The log's key is the file of the data folder. */
const logIn = (data: string) => {
  const file = FileSigner.keyReader(data, "log")
  return {
    key: Effect.map(file, ({ shown }) => shown),
    sign: (message: Uint8Array) =>
      Effect.map(file, ({ shown, sign }) => ({ keyid: shown.keyid, sig: Base64.encode(sign(message)) }))
  }
}

/** The client of the KMS is read when there is one. */
const inKms = (options: KmsOptions, data: string): Layer.Layer<Signer> =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("@pawl/adapters-s3/KmsSigner")),
      (KmsSigner) => KmsSigner.layer(options, logIn(data))
    )
  )

interface SignerParts {
  readonly data: string
  readonly signer: SignerChoice
}

/** The signer that was chosen, alone. */
export const signerLayer = ({ data, signer }: SignerParts): Layer.Layer<Signer> => {
  if (signer._tag === "Kms") return inKms(signer, data)
  return signer._tag === "File" ? FileSigner.layer({ data }) : CommandSigner.layer({ data, path: signer.path })
}

/** The signer that the options choose, and what it remembers. */
export const layer = (parts: SignerParts): Layer.Layer<Signer | SignedHeads> =>
  Layer.merge(FileHeads.layer(parts), signerLayer(parts))

/** Where checkpoints are published: in the Projects' repositories, and in a folder where one is named. */
export const publishers = ({ checkpointFolder }: Pick<Options, "checkpointFolder">) =>
  Layer.effect(
    CheckpointPublishers,
    Effect.map(GitStatements, (git) => [
      eventPublisher,
      git,
      ...(checkpointFolder === null ? [] : [filePublisher(checkpointFolder)])
    ])
  )

/** What became of the keys at the start. */
export interface StartedKeys {
  /** The id of the key that signs statements, when it was made now; null when not. */
  readonly fresh: string | null
}

/** Finishes what a rotation left that was cut short. */
const settle = Effect.fnUntraced(function* (data: string, current: string) {
  takeNextKey(data, "statement", current)
  const finished = yield* Effect.result(finishRotation({ data }))
  const left = begunRotation({ data })
  if (Result.isSuccess(finished) && finished.success !== null)
    yield* Effect.logInfo(`the rotation to ${finished.success.next.key.keyid} was cut short, and is done now`)
  else if (left !== null)
    yield* Effect.logWarning(
      `a rotation to ${left.next.key.keyid} was cut short: give the same \`pawl key\` command once more`
    )
})

const named = { Command: "the command of PAWL_SIGNER", Kms: "the KMS of PAWL_SIGNER" } as const

/** What is there in the place of the key that signs: another one, or why there is none. */
type Found = { readonly keyid: string } | { readonly why: string }

const problemOf = (signer: SignerChoice, keyid: string, found: Found): string => {
  const what =
    "why" in found
      ? found.why
      : signer._tag === "File"
        ? `signing-key is another one, ${found.keyid}`
        : `${named[signer._tag]} signs with another one, ${found.keyid}`
  return `signer: the key of statements is ${keyid}, and ${what}.`
}

const ofOthers =
  "Workers on one database sign with one key: copy signing-key and log-key out of the data folder of one that signs, readable by their owner alone, or give all of them the same PAWL_SIGNER."

/** What a person can do about it. Where others sign, one of them has the key. */
const remediesOf = ({ _tag }: SignerChoice, found: Found, signsWithOthers: boolean): ReadonlyArray<string> => {
  if (!signsWithOthers) return _tag === "File" ? ["Put it back, or see `pawl key reset`."] : []
  if ("keyid" in found) return [ofOthers]
  return _tag === "File" ? [ofOthers, "When none has it any more, see `pawl key reset`."] : []
}

/** Makes the keys of an installation that never had any, and begins their history. Answers the id of one that was made. */
const begin = Effect.fnUntraced(function* ({ data, signer, signingKeyType }: StartOptions) {
  makeKey(data, "log", "ed25519")
  const fresh = signer._tag === "File" && makeKey(data, "statement", signingKeyType)
  yield* Effect.catchTag(introduce, "SignerUnavailable", (problem) => Effect.logWarning(problem.message))
  const made = fresh ? yield* Effect.option((yield* Signer).keys) : Option.none()
  return Option.getOrNull(made)?.statement.keyid ?? null
})

type StartOptions = Pick<Options, "data" | "signer" | "signingKeyType" | "provenance">

/**
 * Makes the keys of an installation that never had any and begins their history; else compares those that are here with it.
 * Where they are gone, or another instance's, `enforce` fails with `InvalidOptions`, anything else says so in the log. On a
 * database that others share another key always fails: each of what it was given to sign would wait for them.
 */
export const start = Effect.fnUntraced(function* (
  options: StartOptions,
  { signsWithOthers }: Pick<Installation, "signsWithOthers">
) {
  const { data, provenance, signer } = options
  const before = currentKey(yield* allKeys, "statement")?.record.keyid ?? null
  const fresh = before === null ? yield* begin(options) : null
  if (before !== null) yield* settle(data, before)
  // Another process may have begun the history at the same time.
  const current = currentKey(yield* allKeys, "statement")?.record.keyid ?? before
  if (current === null) return { fresh } satisfies StartedKeys
  const found: Found = yield* (yield* Signer).keys.pipe(
    Effect.map(({ statement: { keyid } }) => ({ keyid })),
    Effect.catch(({ reason }) => Effect.succeed({ why: reason }))
  )
  if ("keyid" in found && found.keyid === current) return { fresh } satisfies StartedKeys
  const isOfOthers = signsWithOthers && "keyid" in found
  const reason = [problemOf(signer, current, found), ...remediesOf(signer, found, signsWithOthers)].join(" ")
  // A command or a KMS that does not answer may come back.
  const isFinal = signer._tag === "File" || "keyid" in found
  if (isOfOthers || (provenance === "enforce" && isFinal)) return yield* new InvalidOptions({ reason })
  yield* Effect.logWarning(`${reason} Nothing is signed meanwhile.`)
  return { fresh: null } satisfies StartedKeys
})
