/**
 * `pawl migrate`: brings the database to the shape of this version before any process of it starts. A server does the same
 * at its start; where many start at once, or with a user that may change no table, this goes first.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { wordsOf } from "@pawl/core/primitives/Words"
import type { Upgraded } from "@pawl/sql/Upgrade"
import { Effect } from "effect"
import * as Options from "../Options.ts"
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

const migrating = Effect.fnUntraced(function* (given: BesideOptions, check: boolean) {
  const options = yield* Options.read(...givenOf(given))
  const { outlook, upgrade } = Installations.of(options)
  if (!check) return { lines: doneLines(yield* upgrade), exitCode: 0 }
  const found = yield* outlook
  return { lines: outlookLines(found), exitCode: found.from < found.to || found.waiting.length > 0 ? 1 : 0 }
})

/** Exits with 0 when the database is in shape; with 1 when `--check` finds something to do, 2 when it could not look. */
export const migrateCommand = Command.make(
  "migrate",
  {
    check: Flag.Boolean("check").pipe(
      Flag.withDefault(false),
      Flag.withDescription("change nothing: say what is to be done, and exit with 1 when there is something")
    ),
    ...besideOptions
  },
  ({ check, ...given }) =>
    reporting(
      Effect.mapError(Effect.scoped(migrating(given, check)), (error) => new CannotAsk({ reason: wordsOf(error) }))
    )
).pipe(
  Command.withDescription(
    "Brings the database to the shape of this version, and takes away what no running process needs any more"
  )
)
