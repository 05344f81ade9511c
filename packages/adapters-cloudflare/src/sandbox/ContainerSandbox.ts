/** `Sandbox` in containers: the object that holds one is asked over RPC. */
import {
  IsolationMissing,
  Sandbox,
  type SandboxHandle,
  type SandboxJob,
  type SandboxState,
  SandboxUnavailable
} from "@pawl/core/verification/Sandbox"
import { jobLine, resultOf, type SandboxAnswer, type SandboxRequest } from "@pawl/adapters-local/sandbox/SandboxLines"
import { Effect, Layer } from "effect"
import { bytesOf } from "../builder/JobBytes.ts"
import { CloudflareLimits } from "../CloudflareLimits.ts"
import type { CheckCalls } from "./CheckObject.ts"

const unavailable = (answer: SandboxAnswer) =>
  answer._tag === "Unavailable"
    ? new SandboxUnavailable({
        reason: answer.reason,
        ...(answer.lasting === undefined ? {} : { lasting: answer.lasting })
      })
    : new SandboxUnavailable({ reason: `the container answered ${answer._tag}` })

const missing = (answer: SandboxAnswer): IsolationMissing => {
  const remedy = answer._tag === "Missing" ? answer.remedy : "See what the container says."
  return new IsolationMissing({
    reason: answer._tag === "Missing" ? answer.reason : unavailable(answer).reason,
    remedy
  })
}

/** Layers lie in a bucket, which no container reaches. */
const noPackages = new SandboxUnavailable({
  reason: "the packages of a lock file are not brought into containers",
  lasting: true
})

/** What is too much to be sent stays so: the check is a gap, and its words say why. */
const tooMuch = (bytes: number): SandboxUnavailable =>
  new SandboxUnavailable({
    reason: `the source has ${bytes} bytes; at most ${CloudflareLimits.checkJobBytes} are brought into a container`,
    lasting: true
  })

const make = ({ ask }: CheckCalls): typeof Sandbox.Service => {
  const asked = (request: SandboxRequest): Effect.Effect<SandboxAnswer> =>
    Effect.promise(() =>
      ask(request).catch((error: unknown): SandboxAnswer => ({
        _tag: "Unavailable",
        reason: error instanceof Error ? error.message : "the object of checks is away"
      }))
    )
  const isolation = Effect.flatMap(asked({ _tag: "Isolation" }), (answer) =>
    answer._tag === "Isolated" ? Effect.succeed(answer.isolation) : Effect.fail(missing(answer))
  )
  const started = (job: SandboxJob) =>
    Effect.flatMap(
      asked({ _tag: "Start", job: jobLine(job) }),
      (answer): Effect.Effect<SandboxHandle, IsolationMissing | SandboxUnavailable> =>
        answer._tag === "Started"
          ? Effect.succeed({ id: job.id })
          : Effect.fail(answer._tag === "Missing" ? missing(answer) : unavailable(answer))
    )
  return Sandbox.of({
    isolation,
    start: (job) =>
      Effect.suspend(() => {
        if (job.packages !== undefined) return Effect.fail(noPackages)
        const bytes = bytesOf(job.files)
        return bytes > CloudflareLimits.checkJobBytes ? Effect.fail(tooMuch(bytes)) : started(job)
      }),
    poll: ({ id }, waitMs) =>
      Effect.flatMap(asked({ _tag: "Poll", id, waitMs }), (answer): Effect.Effect<SandboxState, SandboxUnavailable> =>
        answer._tag === "Running"
          ? Effect.succeed(answer)
          : answer._tag === "Finished"
            ? Effect.succeed({ _tag: "Finished", result: resultOf(answer.result) })
            : Effect.fail(unavailable(answer))
      ),
    cancel: ({ id }) => Effect.asVoid(asked({ _tag: "Cancel", id }))
  })
}

/** Checks in the container of this object; a stub. */
export const layer = (checks: CheckCalls): Layer.Layer<Sandbox> => Layer.succeed(Sandbox, make(checks))
