/**
 * `pawl migrate`: brings the database to the shape of this version before any process of it starts. A server does the same
 * at its start; where many start at once, or with a user that may change no table, this goes first.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { wordsOf } from "@pawl/core/primitives/Words"
import type { RoleReport } from "@pawl/adapters-pg/rights/RightsLook"
import type { Upgraded } from "@pawl/sql/Upgrade"
import { Effect, Option } from "effect"
import * as Options from "../Options.ts"
import type { Rights } from "../installations/Installation.ts"
import * as Installations from "../installations/Installations.ts"
import { type BesideOptions, besideOptions, givenOf } from "./Beside.ts"
import { CannotAsk, reporting } from "./Remote.ts"

const waitingLines = ({ older, waiting }: Upgraded): ReadonlyArray<string> =>
  waiting.map((what) =>
    older.length === 0 ? `to be done: ${what}` : `waits for the end of ${older.join(", ")}: ${what}`
  )

const shapeLine = ({ from, known, to }: Upgraded): string => {
  if (to > known)
    return `The database has the shape ${to} of a newer version; this version, which knows ${known}, works on it.`
  if (from === to) return `The database has the shape of this version, ${to}.`
  return from === 0
    ? `The database was empty. It has the shape of this version now, ${to}.`
    : `The database had the shape ${from}. It has that of this version now, ${to}.`
}

/** What was done, as lines for a person. */
const doneLines = (upgraded: Upgraded): ReadonlyArray<string> => [
  shapeLine(upgraded),
  ...upgraded.done.map((what) => `done, for no older version runs: ${what}`),
  ...waitingLines(upgraded)
]

/** What is to be done, as lines for a person. */
const outlookLines = (upgraded: Upgraded): ReadonlyArray<string> => {
  const { from, to } = upgraded
  if (from === to) return [shapeLine(upgraded), ...waitingLines(upgraded)]
  const had = from === 0 ? "The database is empty" : `The database has the shape ${from}`
  return [`${had}; this version needs ${to}: run \`pawl migrate\`, or start a server of it.`]
}

/** What a user of the database has now, as lines for a person. */
const rightsLines = ({ missing, role, surplus }: RoleReport): ReadonlyArray<string> => [
  ...(missing.length + surplus.length === 0 ? [`The user ${role} has the rights of a router, and no others.`] : []),
  ...missing.map((each) => `The user ${role} lacks ${each}`),
  ...surplus.map((each) => `The user ${role} has more than a router needs: ${each}`)
]

/** What came of the rights of a user: none is asked for mostly. */
const granting = Effect.fnUntraced(function* (rights: Rights | null, role: string | undefined, check: boolean) {
  if (role === undefined) return { lines: [], report: null, isRight: true }
  if (rights === null)
    return yield* new CannotAsk({ reason: "--grant-router: a data folder has no users; it is for Postgres" })
  const report = yield* check ? rights.of(role) : rights.grantRouter(role)
  // What comes from PUBLIC or by a membership is told, and stops nobody who starts the others after this.
  const counted = check ? [...report.missing, ...report.surplus] : report.missing
  return { lines: rightsLines(report), report, isRight: counted.length === 0 }
})

const migrating = Effect.fnUntraced(function* (given: BesideOptions, check: boolean, router: string | undefined) {
  const options = yield* Options.read(...givenOf(given))
  const { outlook, rights, upgrade } = Installations.of(options)
  const found = yield* check ? outlook : upgrade
  const isDone = !check || (found.from === found.to && found.waiting.length === 0)
  const granted = yield* granting(rights, router, check)
  return {
    lines: [...(check ? outlookLines(found) : doneLines(found)), ...granted.lines],
    json: { shape: found, rights: granted.report },
    exitCode: isDone && granted.isRight ? 0 : 1
  }
})

/**
 * Exits with 0 when the database is in shape, and a user that is named has the rights of a router; with 1 when `--check`
 * finds something to do, or that the user has more, 2 when it could not look.
 */
export const migrateCommand = Command.make(
  "migrate",
  {
    check: Flag.Boolean("check").pipe(
      Flag.withDefault(false),
      Flag.withDescription("change nothing: say what is to be done, and exit with 1 when there is something")
    ),
    grantRouter: Flag.String("grant-router").pipe(
      Flag.optional,
      Flag.withDescription("a user of Postgres that is given what processes need that only route, and nothing else")
    ),
    ...besideOptions
  },
  ({ check, grantRouter, ...given }) =>
    reporting(
      Effect.mapError(
        Effect.scoped(migrating(given, check, Option.getOrUndefined(grantRouter))),
        (error) => new CannotAsk({ reason: wordsOf(error) })
      ),
      given.json
    )
).pipe(
  Command.withDescription(
    "Brings the database to the shape of this version, and takes away what no running process needs any more"
  )
)
