/** `pawl key`: the keys that sign statements, on the machine itself, beside a running server too. */
import { readFileSync } from "node:fs"
import { isAbsolute } from "node:path"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { keyFileNames, type KeyPair, keyPairOf, newKey, nextKey } from "@pawl/adapters-local/signing/KeyFiles"
import type { SigningKey } from "@pawl/core/model/SigningKey"
import { beginEpochs } from "@pawl/core/provenance/Epochs"
import { allKeys, currentKey, isIntroduced } from "@pawl/core/provenance/KeyHistory"
import { handoverMessage, proofMessage } from "@pawl/core/provenance/PublicKeys"
import { introduceAlso } from "@pawl/core/provenance/Keys"
import { type SignatureUse, Signer } from "@pawl/core/provenance/Signer"
import { signPending } from "@pawl/core/provenance/Signing"
import { type UnsignedChain, unsignedChains } from "@pawl/core/provenance/UnsignedChains"
import { describe, wordsOf } from "@pawl/core/primitives/Words"
import { Waiting } from "@pawl/core/work/Processes"
import { Effect, Option, Result } from "effect"
import { Base64 } from "effect/encoding"
import { type Begun, begunRotation, finishRotation, rotated } from "../KeyRotation.ts"
import type { Options } from "../Options.ts"
import { forgetSeen } from "../SeenKeys.ts"
import { signerOf } from "../SignerOptions.ts"
import * as Signers from "../Signers.ts"
import { vouchedFor } from "./HeldCheckpoints.ts"
import { beside, besideOptions } from "./Beside.ts"
import { CannotAsk } from "./Remote.ts"

const refuse = (reason: string) => new CannotAsk({ reason })

/** A file that an option names. */
const textOf = (option: string, path: string) =>
  Effect.try({ try: () => readFileSync(path, "utf8"), catch: () => refuse(`${option}: ${path} cannot be read`) })

/** A key as a line for a person. */
const keyLine = ({ algorithm, createdAt, endedAt, introducedAt, keyid, name, state, use }: SigningKey): string => {
  const end = endedAt === null ? state : `${state} by entry ${endedAt}`
  return `${keyid}  ${use}  ${algorithm}  ${end}  introduced by entry ${introducedAt}, ${createdAt}${name === undefined ? "" : `, logs ${name}/log/…`}`
}

const unsignedLine = ({ chain, count, refused, since }: UnsignedChain): string =>
  refused === null
    ? `${chain}  not signed: ${count === 1 ? "1 statement" : `${count} statements`} since ${since}`
    : `${chain}  not signed: ${refused} since ${since}`

/** Why what nobody refuses is not signed, as the signer answers now. */
const signerLines = Effect.gen(function* () {
  const asked = yield* Effect.result((yield* Signer).keys)
  return Result.isFailure(asked)
    ? [`${wordsOf(asked.failure)}. A server that runs asks again every 2 s`]
    : ["the signer answers: a server that runs has these signed in a moment"]
})

const withSigner = <A, E, R>(work: Effect.Effect<A, E, R>, options: Options) =>
  Effect.provide(work, Signers.layer(options))

const show = Command.make("show", besideOptions, (given) =>
  beside(given, (options) =>
    Effect.gen(function* () {
      const begun = begunRotation(options)
      const keys = yield* allKeys
      const unsigned = yield* unsignedChains
      const follows = begun?.next.key.keyid ?? null
      const json = { keys: keys.map(({ record }) => record), follows, unsigned }
      if (keys.length === 0) return { lines: ["no key yet: the server makes it at its first start"], json }
      const lines = [
        ...keys.map(({ record }) => keyLine(record)),
        ...(follows === null ? [] : [`${follows}  is to follow: the rotation was cut short`]),
        ...unsigned.map(unsignedLine),
        ...(unsigned.some(({ refused }) => refused === null) ? yield* withSigner(signerLines, options) : [])
      ]
      return { lines, json }
    })
  )
).pipe(Command.withDescription("The public keys that there are and were, and what is not signed"))

/** The key that is to follow, and whether it waits in a file of the data folder. */
interface Follower {
  readonly next: Begun["next"]
  readonly inFile: boolean
}

/** What a key of the log has beside others: the name of its logs, and what the one before signed, where that is at hand. */
const ofLog = Effect.fnUntraced(function* (keyid: string, stolen: boolean) {
  const before = currentKey(yield* allKeys, "log")?.record
  const name = before?.name ?? "localhost"
  const signer = yield* Signer
  const signed = yield* Effect.option(signer.sign("log", handoverMessage(keyid)))
  const handover = Option.getOrNull(signed)
  // A stolen key vouches for nobody.
  return handover === null || stolen || handover.keyid !== before?.keyid ? { name } : { name, handover }
})

const nextFile = Effect.fnUntraced(function* ({ data, signingKeyType }: Options, use: SignatureUse) {
  const pair = nextKey(data, use, signingKeyType)
  if (pair === null) return yield* refuse(`${keyFileNames[use]}.next in the data folder holds no key: delete it`)
  const proof = Base64.encode(pair.sign(proofMessage(pair.shown.keyid)))
  return { next: { key: pair.shown, use, proof }, inFile: true, pair }
})

/** A command by its path, or a key in a KMS. */
const nextSigner = (text: string, { kmsEndpoint }: Options) =>
  isAbsolute(text)
    ? ({ _tag: "Command", path: text } as const)
    : text.startsWith("kms:")
      ? signerOf(text, kmsEndpoint)
      : "name the command by its absolute path, or a key by kms:<ARN>"

const nextElsewhere = Effect.fnUntraced(function* (options: Options, text: string, use: SignatureUse) {
  const chosen = nextSigner(text, options)
  if (typeof chosen === "string") return yield* refuse(`--next: ${chosen}`)
  if (chosen._tag === "Kms" && use === "log") return yield* refuse("--next: the key of the log is a file beside a KMS")
  // What it signs with ends with it: all is asked while it is there.
  return yield* Effect.provide(shownBy(use), Signers.signerLayer({ data: options.data, signer: chosen }))
})

const shownBy = Effect.fnUntraced(function* (use: SignatureUse) {
  const signer = yield* Signer
  const key = (yield* signer.keys)[use]
  const { keyid, sig } = yield* signer.sign(use, proofMessage(key.keyid))
  if (keyid !== key.keyid) return yield* refuse("--next: the signer has changed its key meanwhile")
  return { next: { key, use, proof: sig }, inFile: false }
})

const nextOption = Flag.String("next").pipe(
  Flag.optional,
  Flag.withDescription(
    "where a command or a KMS signs: the absolute path of the command, or kms:<ARN>, that signs from then on"
  )
)
const logOption = Flag.Boolean("log").pipe(
  Flag.withDefault(false),
  Flag.withDescription("the key of the log, which makes the checkpoints, instead of the one of statements")
)

/** What is to be done, of which key. */
interface Wanted {
  readonly given: Option.Option<string>
  readonly use: SignatureUse
  readonly stolen: Begun["stolen"]
}

const followed = Effect.fnUntraced(function* ({ given, stolen, use }: Wanted, options: Options) {
  const path = Option.getOrNull(given)
  // The key of the log lies in its file where the command has none.
  if (path === null && options.signer._tag !== "File" && use === "statement")
    return yield* refuse("--next: name the command, or the key in a KMS, that signs from then on")
  const { inFile, next }: Follower = yield* path === null ? nextFile(options, use) : nextElsewhere(options, path, use)
  return { inFile, next: use === "log" ? { ...next, ...(yield* ofLog(next.key.keyid, stolen !== null)) } : next }
})

const follows = ({ handover, key, use }: Begun["next"]): ReadonlyArray<string> => [
  `${key.keyid}  ${use === "log" ? "makes checkpoints" : "signs"} from now on`,
  ...(use === "log" && handover === undefined
    ? ["the key before did not hand over to it: whoever pinned that one must be told of this one"]
    : [])
]

const succeeding = Effect.fnUntraced(function* (options: Options, wanted: Wanted) {
  const unfinished = yield* finishRotation(options)
  if (unfinished !== null) return ["what was cut short is done now:", ...follows(unfinished.next)]
  if (begunRotation(options) !== null)
    return yield* refuse("another rotation was cut short that this signer cannot finish: give its command once more")
  const signer = yield* Signer
  // What it has still to sign of its own history nobody else may.
  if (wanted.use === "statement") yield* signPending("instance")
  const follower = yield* followed(wanted, options)
  const { next } = follower
  const begun: Begun = { ...follower, by: "signer", stolen: wanted.stolen }
  yield* rotated(options, begun, (message) => signer.sign("statement", message))
  const path = Option.getOrNull(wanted.given)
  return [
    ...follows(next),
    ...(path === null
      ? []
      : [`set PAWL_SIGNER=${isAbsolute(path) ? "command:" : ""}${path}, and start the server again`])
  ]
})

/** What stands in the way, in words. */
const told = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.mapError(work, (problem) =>
    problem instanceof CannotAsk
      ? problem
      : refuse(
          problem instanceof Error ? wordsOf(problem) : problem instanceof Waiting ? problem.reason : describe(problem)
        )
  )

const rotateKey = Command.make(
  "rotate",
  { next: nextOption, log: logOption, ...besideOptions },
  ({ log, next, ...given }) =>
    beside(given, (options) =>
      told(withSigner(succeeding(options, { given: next, use: log ? "log" : "statement", stolen: null }), options))
    )
).pipe(Command.withDescription("Puts a new key in the place of the one that signs statements, or of the log's"))

const revokeKey = Command.make(
  "revoke",
  {
    since: Flag.String("since").pipe(
      Flag.withDescription("a file of checkpoints that somebody else held before the key was stolen")
    ),
    next: nextOption,
    log: logOption,
    ...besideOptions
  },
  ({ log, next, since, ...given }) =>
    beside(given, (options) =>
      told(
        withSigner(
          Effect.gen(function* () {
            const heads = yield* vouchedFor(yield* textOf("--since", since))
            const use = log ? "log" : "statement"
            const lines = yield* succeeding(options, { given: next, use, stolen: [...heads] })
            return [
              ...lines,
              ...Array.from(heads, ([chain, size]) => `${chain}  ${size} entries stand as they were signed`),
              log
                ? "all later checkpoints, and those of every other Project, are made anew"
                : "all later entries, and those of every other Project, are signed anew once an audit has found nothing"
            ]
          }),
          options
        )
      )
    )
).pipe(Command.withDescription("Ends a key that was stolen: what it signed since counts for nothing"))

/** The key that signs that a lost one is followed: a recovery key, or for a break the new one itself. */
const vouching = Effect.fnUntraced(function* (recovery: Option.Option<string>, itself: KeyPair) {
  if (Option.isNone(recovery)) return itself
  const pair = keyPairOf(yield* textOf("--recovery", recovery.value))
  if (pair === null) return yield* refuse("--recovery: the file holds no private key in PEM")
  const known = (yield* allKeys).find(({ record }) => record.keyid === pair.shown.keyid && record.use === "recovery")
  if (known === undefined) return yield* refuse("--recovery: this key was never introduced")
  if (yield* isIntroduced(known.record)) return pair
  // What it signs would be a break all the same, and nobody would have been told of it.
  return yield* refuse(
    "--recovery: what introduces this key was never signed, so whoever verifies does not know it: reset without it"
  )
})

const resetKey = Command.make(
  "reset",
  {
    recovery: Flag.String("recovery").pipe(
      Flag.optional,
      Flag.withDescription("the file of the recovery key; without it whoever verifies sees a break")
    ),
    ...besideOptions
  },
  ({ recovery, ...given }) =>
    beside(given, (options) =>
      told(
        withSigner(
          Effect.gen(function* () {
            if (options.signer._tag !== "File")
              return yield* refuse("reset makes a key file: set PAWL_SIGNER=file for it")
            if ((yield* allKeys).length === 0)
              return yield* refuse("there is no key yet: the server makes it at its first start")
            const { pair, ...follower } = yield* nextFile(options, "statement")
            const by = yield* vouching(recovery, pair)
            const sign = (message: Uint8Array) =>
              Effect.sync(() => ({ keyid: by.shown.keyid, sig: Base64.encode(by.sign(message)) }))
            yield* rotated(options, { ...follower, by: "another", stolen: null }, sign)
            const isBreak = by.shown.keyid === pair.shown.keyid
            return [
              ...follows(follower.next),
              ...(isBreak ? ["no key vouches for it: whoever verifies must be told to trust it, beside the first"] : [])
            ]
          }),
          options
        )
      )
    )
).pipe(Command.withDescription("Begins with a new key where the old one is lost"))

const recoveryKey = Command.make("recovery", besideOptions, (given) =>
  beside(given, ({ signingKeyType }) =>
    told(
      Effect.gen(function* () {
        const text = newKey(signingKeyType)
        const pair = keyPairOf(text)
        if (pair === null || (yield* allKeys).length === 0)
          return yield* refuse("there is no key yet that could vouch for it: start the server first")
        const proof = Base64.encode(pair.sign(proofMessage(pair.shown.keyid)))
        yield* introduceAlso({ key: pair.shown, use: "recovery", proof })
        return [`${pair.shown.keyid}  may introduce a key when the one that signs is lost. Keep this elsewhere:`, text]
      })
    )
  )
).pipe(Command.withDescription("Makes a recovery key, and shows it once"))

const epoch = Command.make("epoch", besideOptions, (given) =>
  beside(given, (options) =>
    told(
      withSigner(
        Effect.map(beginEpochs, (begun) => {
          // The router of this machine has seen what is lost, and waits for it.
          if (begun.some(({ chain }) => chain === "instance")) forgetSeen(options.data)
          return begun.length === 0
            ? ["no log is ahead of its chain: nothing was begun"]
            : begun.map(({ chain, epoch, lost }) => `${chain}  goes on in epoch ${epoch}: ${lost} entries are lost`)
        }),
        options
      )
    )
  )
).pipe(Command.withDescription("Goes on after the database was put back: says what is lost"))

/** Shows keys, and changes which one signs. */
export const keyCommand = Command.make("key").pipe(
  Command.withDescription("The keys that sign statements, on the machine itself: beside a running server too"),
  Command.withSubcommands([show, rotateKey, revokeKey, resetKey, recoveryKey, epoch])
)
