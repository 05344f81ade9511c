/**
 * What `npm test` has shown and `npm run test:deep` right after it need not show again: tests that do the same at both
 * depths. `PAWL_TEST_SHOWN` names the file between the two; without it a deep run runs everything itself.
 */
import { existsSync, readFileSync } from "node:fs"
import type { Turn } from "../../packages/testing/src/Depth.ts"

/**
 * Files in which depth chooses rows and what tests ask for while they run, and nothing else: a test that has not asked
 * does the same at every depth. `tools/test/Shown.test.ts` holds what can be read of that. Each test of theirs must stand
 * alone, for the ones before it may be left out. None has two rows in which a title comes out the same: a quick run of one
 * would be taken for both.
 */
export const shownFiles: ReadonlyArray<string> = [
  "packages/adapters-cloudflare/test/repositories/artifacts/ArtifactsRepositories.test.ts",
  "packages/adapters-local/test/builder/HostileSources.test.ts",
  "packages/adapters-local/test/repositories/GitRepositories.test.ts",
  "packages/adapters-local/test/repositories/packs/Copies.test.ts",
  "packages/adapters-local/test/repositories/packs/PackRepositories.test.ts",
  "packages/adapters-local/test/sandbox/Isolations.test.ts",
  "packages/adapters-local/test/sandbox/Supervision.test.ts",
  "packages/adapters-pg/test/PgStores.test.ts",
  "packages/server/test/docs/shell.test.ts",
  "packages/server/test/e2e/cli/OperatorJson.test.ts",
  "packages/server/test/e2e/cli/Refusals.test.ts",
  "packages/server/test/e2e/hostile/SlowReaders.test.ts",
  "packages/server/test/e2e/paths/BuildCommands.test.ts",
  "packages/server/test/e2e/paths/OldPromises.test.ts",
  "packages/server/test/e2e/paths/PackageRace.test.ts",
  "packages/server/test/e2e/paths/Verify.test.ts",
  "packages/server/test/e2e/paths/VerifyHistories.test.ts",
  "packages/server/test/e2e/paths/VerifyHost.test.ts",
  "packages/server/test/e2e/paths/VerifyNotes.test.ts",
  "packages/server/test/e2e/paths/VerifyServed.test.ts",
  "packages/server/test/e2e/running/Keys.test.ts",
  "packages/server/test/e2e/running/LostKeys.test.ts",
  "packages/server/test/e2e/running/Migrate.test.ts",
  "packages/server/test/e2e/running/OffClock.test.ts",
  "packages/server/test/e2e/running/Operator.test.ts",
  "packages/server/test/e2e/running/Packs.test.ts",
  "packages/server/test/e2e/running/Restarts.test.ts",
  "packages/server/test/e2e/running/Starting.test.ts",
  "packages/server/test/e2e/starters/Packages.test.ts",
  "packages/server/test/e2e/versions/VersionThree.test.ts",
  "packages/server/test/e2e/work/Killed.test.ts",
  "packages/server/test/e2e/work/Work.test.ts",
  "packages/server/test/node/PacksOnPostgres.test.ts",
  "packages/server/test/node/proof/Tamperings.test.ts",
  "packages/server/test/workers/Artifacts.test.ts",
  "packages/server/test/workers/Workerd.test.ts"
]

/** What a quick run writes, of which seed. */
interface Shown {
  readonly seed: number
  /** Path of the file from the root of the workspace and titles, joined with ` > `: one test each. */
  readonly tests: ReadonlyArray<string>
}

export const shownText = (seed: number, tests: ReadonlyArray<string>): string => {
  const shown: Shown = { seed, tests }
  return JSON.stringify(shown)
}

export const keyOf = (path: string, title: string): string => `${path} > ${title}`

/** The file between the two runs, if there is to be one. */
export const shownPath = (environment: Readonly<Record<string, string | undefined>>): string | null =>
  environment["PAWL_TEST_SHOWN"] || null

/** What is left out of a run of this turn: nothing, unless the quick run before was of its seed. */
export const shownBefore = ({ depth, seed }: Turn, path: string | null): ReadonlySet<string> => {
  if (depth !== "deep" || path === null || !existsSync(path)) return new Set()
  const text = readFileSync(path, "utf8")
  if (text === "") return new Set()
  const shown: Shown = JSON.parse(text)
  return new Set(shown.seed === seed ? shown.tests : [])
}
