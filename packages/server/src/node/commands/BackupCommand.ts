/** `pawl backup` and `pawl restore`: an installation as files, and those as an installation again. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { wordsOf } from "@pawl/core/primitives/Words"
import { Effect } from "effect"
import type { MadeBackup } from "../backup/Backup.ts"
import type { RestoredBackup } from "../backup/Restore.ts"
import * as Options from "../Options.ts"
import { besideOptions, givenOf } from "./Beside.ts"
import { CannotAsk, reporting } from "./Remote.ts"

const countsOf = ({ counts }: MadeBackup["manifest"]): string =>
  `${counts.rows} rows, ${counts.objects} objects of ${counts.objectBytes} bytes, ${counts.repositories} repositories`

const madeLines = ({ digest, keys, manifest, place }: MadeBackup): ReadonlyArray<string> => [
  `${place}: all of ${manifest.at}: ${countsOf(manifest)}`,
  `sha256 of its manifest: ${digest}`,
  keys.length === 0
    ? "without private keys: keep signing-key and log-key of the data folder elsewhere"
    : `with private keys: ${keys.join(", ")}`
]

const restoredLines = ({ begun, digest, keys, manifest }: RestoredBackup): ReadonlyArray<string> => [
  `restored as of ${manifest.at}: ${countsOf(manifest)}`,
  `sha256 of its manifest: ${digest}`,
  ...begun.map(({ chain, epoch }) => `${chain}  goes on in epoch ${epoch}: its statements say that it was restored`),
  ...(keys.length === 0 && begun.length > 0
    ? ["before the start: put signing-key and log-key into the data folder, or make new ones with `pawl key reset`"]
    : [])
]

const cannot = (error: Error) => new CannotAsk({ reason: wordsOf(error) })

/** Exits with 0 when the backup is whole, 2 when it could not be made. */
export const backupCommand = Command.make(
  "backup",
  {
    to: Argument.String("to"),
    withKeys: Flag.Boolean("with-keys").pipe(
      Flag.withDefault(false),
      Flag.withDescription("the private keys of the data folder and the owner's token, too")
    ),
    ...besideOptions
  },
  ({ to, withKeys, ...given }) =>
    reporting(
      Effect.gen(function* () {
        const options = yield* Options.read(...givenOf(given))
        const { backUp } = yield* Effect.promise(() => import("../backup/Backup.ts"))
        const made = yield* backUp(options, to, withKeys)
        const { digest, keys, manifest, place } = made
        const json = { place, at: manifest.at, digest, counts: manifest.counts, keys }
        return { lines: madeLines(made), json, exitCode: 0 }
      }).pipe(Effect.mapError(cannot)),
      given.json
    )
).pipe(
  Command.withDescription(
    "Copies all of an installation, which may run meanwhile, to an empty folder or s3://bucket/prefix"
  )
)

/** Exits with 0 when all is there, 2 when nothing was restored. */
export const restoreCommand = Command.make(
  "restore",
  { from: Argument.String("from"), ...besideOptions },
  ({ from, ...given }) =>
    reporting(
      Effect.gen(function* () {
        const options = yield* Options.read(...givenOf(given))
        const { restore } = yield* Effect.promise(() => import("../backup/Restore.ts"))
        const restored = yield* restore(options, from)
        const { begun, digest, keys, manifest } = restored
        const json = { at: manifest.at, digest, counts: manifest.counts, keys, epochs: begun }
        return { lines: restoredLines(restored), json, exitCode: 0 }
      }).pipe(Effect.mapError(cannot)),
      given.json
    )
).pipe(Command.withDescription("Puts a backup into the installation that the options name, which must be empty"))
