/**
 * A process that makes one lock: bounded in time and memory, killed afterwards with all that it began. It can ask the
 * registry for documents of packages, and nothing and nobody else.
 */
import type { ChildProcess } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { utf8 } from "@pawl/core/primitives/Digest"
import { packageProblems } from "@pawl/core/packages/PackageProblems"
import { type LockRequest, PackagesRefused, PackagesUnavailable } from "@pawl/core/packages/PackageStore"
import { Effect, Option, Schema } from "effect"
import { dependencyFindings } from "../../builder/auth/AuthDependencies.ts"
import { LocalLimits } from "../../LocalLimits.ts"
import { killBounded, startBounded } from "../../OwnProgram.ts"
import { LockAnswer, type LockOrder } from "./LockMessages.ts"
import { textOf } from "@pawl/core/primitives/Utf8"

const unavailable = (reason: string) => new PackagesUnavailable({ reason })

const refused = (code: string, message: string) =>
  new PackagesRefused({ problems: [{ code, message, file: "package.json", line: null }] })

const tooMuch = refused(
  "lock_too_complex",
  `No lock could be made within ${LocalLimits.lockMs / 1000} seconds and ${LocalLimits.lockHeapBytes} bytes of memory. Fewer dependencies, or narrower ranges, are needed.`
)

/** Signals of a process that came to the end of its memory. */
const outOfMemory: ReadonlyArray<NodeJS.Signals | null> = ["SIGABRT", "SIGTRAP", "SIGILL", "SIGSEGV"]

interface Told {
  asking: boolean
}

const answerOf = (child: ChildProcess, order: LockOrder, told: Told) =>
  Effect.callback<Exclude<LockAnswer, { _tag: "Asking" }>, PackagesRefused | PackagesUnavailable>((resume) => {
    child.once("error", (error) => resume(unavailable(`what makes locks did not start: ${error.message}`)))
    child.once("exit", (_, signal) =>
      resume(outOfMemory.includes(signal) ? tooMuch : unavailable("what makes locks ended early"))
    )
    child.on("message", (message: unknown) => {
      const answer = Option.getOrUndefined(Schema.decodeUnknownOption(LockAnswer)(message))
      if (answer?._tag === "Asking") told.asking = answer.asking
      else resume(answer === undefined ? unavailable("what makes locks said something else") : Effect.succeed(answer))
    })
    // An order that cannot be sent has no one to take it: `exit` follows.
    child.send(order, () => undefined)
  })

const start = (program: ReadonlyArray<string>): ChildProcess =>
  startBounded(program, { dataBytes: LocalLimits.lockMemoryBytes, heapBytes: LocalLimits.lockHeapBytes })

/** Certificates that the operator adds for all of Node: the process has nothing of our environment. */
const certificates = (): string => {
  const file = process.env["NODE_EXTRA_CA_CERTS"]
  return file === undefined || !existsSync(file) ? "" : readFileSync(file, "utf8")
}

const temporary = Effect.acquireRelease(
  Effect.tryPromise({
    try: () => mkdtemp(join(tmpdir(), "pawl-lock-")),
    catch: (error) =>
      unavailable(`no folder can be made: ${error instanceof Error && "code" in error ? String(error.code) : "no"}`)
  }),
  (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }).catch(() => undefined))
)

const tooLarge = ({ locks, manifest }: LockRequest) => {
  if (manifest.length > LocalLimits.manifestBytes)
    return refused("manifest_unreadable", `package.json is longer than ${LocalLimits.manifestBytes} bytes.`)
  if (locks.some((lock) => lock.length > LocalLimits.lockBytes))
    return refused("lock_over_limit", `A lock file is longer than ${LocalLimits.lockBytes} bytes.`)
  return null
}

/** Packages of real login are refused before anyone is asked for them; the build says more about them. */
const realAuth = (manifest: Uint8Array): PackagesRefused | null => {
  const problems = dependencyFindings(textOf(manifest)).flatMap((finding) =>
    finding._tag === "Package"
      ? [
          {
            code: "auth_package",
            message: `package.json asks for ${finding.specifier}, a package for real login, which no app here may have.`,
            file: "package.json",
            line: finding.line
          }
        ]
      : []
  )
  return problems.length === 0 ? null : new PackagesRefused({ problems: packageProblems(problems) })
}

/** Makes a lock by a program of ours that takes a `LockOrder`. `registry` is the URL of the only host that it may ask. */
export const made = (program: ReadonlyArray<string>, registry: string, request: LockRequest) =>
  Effect.scoped(
    Effect.gen(function* () {
      const refusal = tooLarge(request) ?? realAuth(request.manifest)
      if (refusal !== null) return yield* refusal
      const folder = yield* temporary
      const told: Told = { asking: false }
      const child = yield* Effect.acquireRelease(
        Effect.sync(() => start(program)),
        (each) => Effect.sync(() => killBounded(each))
      )
      const order = { ...request, registry, certificates: request.offline ? "" : certificates(), folder }
      const answer = yield* answerOf(child, order, told).pipe(
        Effect.timeoutOrElse({
          duration: LocalLimits.lockMs,
          // A registry that hangs may answer another time; what is too complex stays so.
          orElse: () =>
            Effect.fail(told.asking ? unavailable(`the registry takes too long to answer (${registry})`) : tooMuch)
        })
      )
      if (answer._tag === "TooMuch") return yield* tooMuch
      if (answer._tag === "Refused") return yield* new PackagesRefused({ problems: answer.problems })
      if (answer._tag === "Unavailable") return yield* unavailable(`${answer.reason} (${registry})`)
      return utf8(answer.text)
    })
  )
