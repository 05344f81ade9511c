/** What an installation does not do, or not now, for apps and their releases. */
import { conflict, problemOf, type Rows } from "./Row.ts"

/** Refusals of apps, their releases and builds. */
export const appProblems = {
  AppsDisabled: ({ message }) => conflict("apps_disabled", "No apps here", message),
  NoSbom: ({ generation, message }) => problemOf(404, "no_sbom", "No list of packages", message, { generation }),
  NoStatement: ({ generation, message }) => problemOf(404, "no_statement", "No statement", message, { generation }),
  StatementUnsigned: ({ generation, message, refused }) =>
    conflict("statement_unsigned", "Not signed yet", message, { generation, refused }),
  NoCheckpoint: ({ message }) => problemOf(404, "no_checkpoint", "No checkpoint", message),
  NoDeployedRelease: ({ message }) => conflict("no_deployed_release", "No release is deployed", message),
  FixturesDisabled: ({ message }) =>
    problemOf(
      403,
      "fixtures_disabled",
      "Fixtures are switched off",
      `${message} Its operator can set PAWL_FIXTURES_ENABLED.`
    ),
  BuildCapReached: ({ keptForOthers, message, perDay }) =>
    problemOf(429, "build_cap_reached", "No more builds today", message, {
      perDay,
      keptForOthers,
      retryAfterSeconds: 3600
    })
} satisfies Partial<Rows>
