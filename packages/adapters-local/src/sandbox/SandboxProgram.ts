/**
 * The sandbox of a machine as a program: it is asked by lines on its standard input and answers by lines. It stands in the
 * image of a container that runs checks. When its input ends, every job ends, and so does it.
 */
import { createInterface } from "node:readline"
import { Sandbox } from "@pawl/core/verification/Sandbox"
import { Effect, ManagedRuntime, Schema } from "effect"
import type { IsolationChoice } from "./IsolationChoice.ts"
import { layer } from "./LocalSandbox.ts"
import { AnswerLine, jobOf, RequestLine, resultLine, type SandboxAnswer, type SandboxRequest } from "./SandboxLines.ts"

const answered = (request: SandboxRequest) =>
  Effect.gen(function* (): Effect.fn.Return<SandboxAnswer, never, Sandbox> {
    const sandbox = yield* Sandbox
    const done = Effect.gen(function* () {
      switch (request._tag) {
        case "Isolation":
          return { _tag: "Isolated", isolation: yield* sandbox.isolation } as const
        case "Start":
          yield* sandbox.start(jobOf(request.job))
          return { _tag: "Started" } as const
        case "Poll": {
          const state = yield* sandbox.poll({ id: request.id }, request.waitMs)
          return state._tag === "Running" ? state : ({ _tag: "Finished", result: resultLine(state.result) } as const)
        }
        case "Cancel":
          yield* sandbox.cancel({ id: request.id })
          return { _tag: "Cancelled" } as const
      }
    })
    return yield* done.pipe(
      Effect.catchTags({
        IsolationMissing: ({ reason, remedy }) => Effect.succeed<SandboxAnswer>({ _tag: "Missing", reason, remedy }),
        SandboxUnavailable: ({ lasting, reason }) =>
          Effect.succeed<SandboxAnswer>({ _tag: "Unavailable", reason, ...(lasting === undefined ? {} : { lasting }) })
      })
    )
  })

const choice: IsolationChoice = JSON.parse(process.argv[2] ?? "{}")
const runtime = ManagedRuntime.make(layer(choice))
const lines = createInterface({ input: process.stdin })

lines.on("line", (line) => {
  const { body, number } = Schema.decodeUnknownSync(RequestLine)(line)
  void runtime
    .runPromise(answered(body))
    .then((answer) => process.stdout.write(`${Schema.encodeSync(AnswerLine)({ number, body: answer })}\n`))
})
lines.once("close", () => void runtime.dispose().then(() => process.exit()))
