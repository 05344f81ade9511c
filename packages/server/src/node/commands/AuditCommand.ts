/** `pawl audit <project>`: audits a Project of a running server, and says every difference. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import type { Audit } from "@pawl/core/model/Audit"
import { Effect } from "effect"
import { asking, remoteOptions, reporting } from "./Remote.ts"

/** The report as lines for a person. */
const auditLines = (audit: Audit): ReadonlyArray<string> => {
  const count = audit.findings.length + audit.moreFindings
  return [
    `${audit.projectId}: ${audit.generations} generation(s) audited at ${audit.auditedAt}`,
    ...audit.findings.map(({ code, detail, generation }) => `  S${generation}  ${code}  ${detail}`),
    ...(audit.moreFindings > 0 ? [`  and ${audit.moreFindings} more`] : []),
    ...audit.notes.map(({ code, detail, generation }) => `  S${generation}  (note) ${code}  ${detail}`),
    count === 0 ? "everything is as it was promoted" : `${count} difference(s)`
  ]
}

/** Lines for people. Exits with 0 when nothing differs. */
export const auditCommand = Command.make(
  "audit",
  { project: Argument.String("project"), ...remoteOptions },
  ({ project, ...remote }) =>
    reporting(
      asking(remote, (client) => client.audits.run({ params: { id: project } })).pipe(
        Effect.map(({ audit }) => ({ lines: auditLines(audit), exitCode: audit.findings.length === 0 ? 0 : 1 }))
      )
    )
).pipe(
  Command.withDescription(
    "Derives every generation of a Project anew and names each difference; exits with 1 when there is one, 2 when it could not ask"
  )
)
