/** `pawl mcp`: the same tools for an assistant on this machine, over standard input and output. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { Effect, Redacted, Result } from "effect"
import { taskCallerOf } from "../../mcp/TaskCaller.ts"
import { makeToolApi } from "../../mcp/ToolApi.ts"
import { version } from "../Version.ts"
import { addressOf, remoteOptions, reporting, tokenOf } from "./Remote.ts"

/** Serves until standard input ends. Standard output is the protocol's alone. */
export const mcpCommand = Command.make(
  "mcp",
  {
    ...remoteOptions,
    readOnly: Flag.Boolean("read-only").pipe(
      Flag.withDefault(false),
      Flag.withDescription("offer the tools alone that only read")
    )
  },
  (flags) =>
    Effect.gen(function* () {
      const token = yield* tokenOf(flags, process.env)
      const baseUrl = addressOf(flags)
      yield* Effect.promise(async () => {
        const { serveStdio } = await import("@modelcontextprotocol/server/stdio")
        const { makeMcpServer } = await import("../../mcp/McpServer.ts")
        const authorization = `Bearer ${Redacted.value(token)}`
        const choice = flags.readOnly ? ("read" as const) : ("all" as const)
        const asked = await Effect.runPromise(Effect.result(taskCallerOf(makeToolApi({ baseUrl, authorization }))))
        // A server that cannot be asked now may be there when a tool is used.
        const task = Result.isSuccess(asked) ? asked.success : null
        const over = new Promise<void>((end) => process.stdin.once("end", end).once("close", end))
        const handle = serveStdio(() =>
          makeMcpServer({ baseUrl, authorization, origin: new URL(baseUrl).origin, version, choice, task })
        )
        await over
        await handle.close()
      })
      return { lines: [], exitCode: 0 }
    }).pipe(reporting)
).pipe(
  Command.withDescription(
    "Offers Pawl's tools to an assistant on this machine, by the Model Context Protocol on standard input and output"
  )
)
