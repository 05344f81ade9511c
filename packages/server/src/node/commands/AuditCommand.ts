/**
 * `pawl audit <project>`: audits a Project of a running server, and says every difference. With `--rebuild` a generation is
 * built again and compared with what is kept of it.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { Audit } from "@pawl/core/model/Audit"
import { Effect, Option, Schedule } from "effect"
import type { PawlClient } from "../../api/Client.ts"
import { ServerLimits } from "../../ServerLimits.ts"
import { asking, CannotAsk, jsonOption, remoteOptions, reporting } from "./Remote.ts"

/** The report as lines for a person. */
const auditLines = (audit: Audit): ReadonlyArray<string> => {
  const count = audit.findings.length + audit.moreFindings
  return [
    `${audit.projectId}: ${audit.generations} generation(s) audited at ${audit.auditedAt}`,
    ...audit.findings.map(({ code, detail, generation }) => `  S${generation}  ${code}  ${detail}`),
    ...(audit.moreFindings > 0 ? [`  and ${audit.moreFindings} more`] : []),
    ...(audit.rebuild === undefined
      ? []
      : [`  S${audit.rebuild.generation}  built again: ${audit.rebuild.outcome}  ${audit.rebuild.detail}`]),
    ...audit.notes.map(({ code, detail, generation }) => `  S${generation}  (note) ${code}  ${detail}`),
    count > 0
      ? `${count} difference(s)`
      : audit.rebuild?.outcome === "different"
        ? "what is kept is as it was promoted; what was built again is not the same"
        : "everything is as it was promoted"
  ]
}

const failed = ({ findings, rebuild }: Audit, rebuilding: boolean): boolean =>
  findings.length > 0 || (rebuilding && rebuild?.outcome !== "same")

/** The last audit, or null before the first. */
const last = (client: PawlClient, id: string) =>
  client.audits.get({ params: { id } }).pipe(
    Effect.map(({ audit }): Audit | null => audit),
    Effect.catch((error) => (codeOf(error) === "unknown_audit" ? Effect.succeed(null) : Effect.fail(error)))
  )

const codeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : undefined

/** Asks for a build of a generation, and waits until an audit tells of it. */
const rebuilt = Effect.fnUntraced(function* (client: PawlClient, id: string, generation: number | undefined) {
  const before = (yield* last(client, id))?.rebuild?.rebuiltAt
  const { rebuild } = yield* client.audits.rebuild({
    params: { id },
    payload: generation === undefined ? {} : { generation }
  })
  return yield* last(client, id).pipe(
    Effect.flatMap((audit) =>
      audit?.rebuild?.generation === rebuild.generation && audit.rebuild.rebuiltAt !== before
        ? Effect.succeed(audit)
        : Effect.fail(new Pending())
    ),
    Effect.retry({
      while: (problem) => problem instanceof Pending,
      schedule: Schedule.spaced(ServerLimits.rebuildLookMs),
      times: ServerLimits.rebuildWaitMs / ServerLimits.rebuildLookMs
    }),
    Effect.mapError((problem) =>
      problem instanceof Pending
        ? new CannotAsk({
            reason: `S${rebuild.generation} is still being built; \`pawl audit ${id}\` tells of it later`
          })
        : problem
    )
  )
})

/** The audit of the build is not there yet. */
class Pending {
  readonly _tag = "Pending"
}

/** Lines for people. Exits with 0 when nothing differs. */
export const auditCommand = Command.make(
  "audit",
  {
    project: Argument.String("project"),
    rebuild: Flag.Boolean("rebuild").pipe(
      Flag.withDefault(false),
      Flag.withDescription("build a generation again, and compare the bytes with those that are kept")
    ),
    generation: Flag.Int("generation").pipe(
      Flag.optional,
      Flag.withDescription("which one is built again (the newest)")
    ),
    ...remoteOptions,
    ...jsonOption
  },
  ({ generation, json, project, rebuild, ...remote }) =>
    reporting(
      asking(remote, (client) =>
        rebuild
          ? rebuilt(client, project, Option.getOrUndefined(generation))
          : Effect.map(client.audits.run({ params: { id: project } }), ({ audit }) => audit)
      ).pipe(
        Effect.map((audit) => ({
          lines: auditLines(audit),
          json: { audit },
          exitCode: failed(audit, rebuild) ? 1 : 0
        }))
      ),
      json
    )
).pipe(
  Command.withDescription(
    "Derives every generation of a Project anew and names each difference; exits with 1 when there is one, 2 when it could not ask"
  )
)
