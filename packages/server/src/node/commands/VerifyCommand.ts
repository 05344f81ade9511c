/**
 * `pawl verify`: checks what a data folder, a pack, a clone or a server says of a Project against its signatures, and names
 * each thing that is not as it was stated. For a folder it opens no connection.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { Limits } from "@pawl/core/primitives/Limits"
import { readCheckpoint } from "@pawl/core/provenance/Checkpoint"
import { Effect, Option, Redacted } from "effect"
import {
  type AskedHost,
  hostExitCode,
  hostJson,
  hostLines,
  hostVerified,
  subjectOfHost
} from "../proof/HostVerification.ts"
import { keyidsIn, stateFolder } from "../proof/KnownCheckpoints.ts"
import { readHostPage } from "../proof/ServedApp.ts"
import { isAddress, type Subject, subjectsOf } from "../proof/Subjects.ts"
import { unsignedSummary } from "../proof/UnsignedSummary.ts"
import { linesOf, type Told } from "../proof/VerdictLines.ts"
import { type Asked, verified } from "../proof/Verification.ts"
import { ServerLimits } from "../../ServerLimits.ts"
import { CannotAsk, reporting } from "./Remote.ts"
import { beliefOf } from "./VerifyBelief.ts"

interface VerifyFlags {
  readonly what: string
  readonly key: Option.Option<string>
  readonly seen: Option.Option<string>
  readonly project: Option.Option<string>
  readonly token: Option.Option<Redacted.Redacted>
  readonly generation: Option.Option<number>
  readonly live: Option.Option<string>
  readonly pack: Option.Option<string>
  readonly vsa: Option.Option<string>
  readonly maxAge: Option.Option<string>
  readonly outputsKept: Option.Option<string>
  readonly quick: boolean
  readonly deep: boolean
  readonly json: boolean
  readonly acceptRestore: boolean
  readonly trustOnFirstUse: boolean
}

const cannot = (reason: string) => new CannotAsk({ reason })

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The ids of keys that were given, or stand in the file that was. */
const keysIn = (given: string): Effect.Effect<ReadonlyArray<string>, CannotAsk> =>
  Effect.flatMap(
    Effect.try({
      try: () => keyidsIn(existsSync(given) ? readFileSync(given, "utf8") : given),
      catch: (error) => cannot(`--key: ${wordsOf(error)}`)
    }),
    (keys) =>
      keys.length > 0
        ? Effect.succeed(keys)
        : cannot("--key is SHA256: and 43 characters, or a file that holds such ids")
  )

const units = { h: 3_600_000, d: 86_400_000 }

/** Milliseconds of `12h` or `1d`. */
const ageOf = (name: string, given: Option.Option<string>): Effect.Effect<number | null, CannotAsk> => {
  if (Option.isNone(given)) return Effect.succeed(null)
  const [, count, unit] = /^(\d{1,6})([hd])$/.exec(given.value) ?? []
  return count === undefined
    ? cannot(`--${name} is a number of hours or days, as 12h or 1d`)
    : Effect.succeed(Number(count) * units[unit === "h" ? "h" : "d"])
}

/** Where retention takes outputs, that is known of the machine that the folder lies on. */
const outputsMsOf = (given: number | null): number | null =>
  given === null && process.env["PAWL_ENVIRONMENT"] === "development" ? Limits.evidenceDaysDevelopment * units.d : given

const textIn = (name: string, path: Option.Option<string>): Effect.Effect<string | null, CannotAsk> =>
  Effect.try({
    try: () => (Option.isSome(path) ? readFileSync(path.value, "utf8") : null),
    catch: (error) => cannot(`--${name}: ${wordsOf(error)}`)
  })

/** What is not signed but follows from what is: it takes the ChangeSets and plans of the ledger, which the audit has. */
const deepIsAudit =
  "--deep, every generation made anew from what it was composed of, is what `pawl audit <project>` does on its server; without it all that is signed is verified here"

/** What can be said of the command line alone. */
const problemOf = ({ deep, generation, live, pack, quick, vsa }: VerifyFlags): string | null => {
  if (deep) return deepIsAudit
  if (Option.isSome(generation) && generation.value < 0) return "--generation is a number from 0 on"
  if (Option.isSome(live) && !isAddress(live.value)) return "--live is the address of an app's host: https://…"
  if (quick && Option.isSome(pack)) return "--quick reads too little for a --pack"
  return quick && Option.isSome(vsa) ? "--quick verifies too little for a --vsa" : null
}

const askedBy = Effect.fnUntraced(function* (flags: VerifyFlags) {
  const seen = yield* textIn("seen", flags.seen)
  if (seen !== null && readCheckpoint(seen) === null) return yield* cannot("--seen: the file holds no checkpoint")
  return {
    seen,
    state: stateFolder(),
    quick: flags.quick,
    acceptRestore: flags.acceptRestore,
    generation: Option.getOrNull(flags.generation),
    pack: Option.getOrNull(flags.pack),
    maxAgeMs: yield* ageOf("max-age", flags.maxAge),
    outputsMs: outputsMsOf(yield* ageOf("outputs-kept", flags.outputsKept)),
    now: Date.now()
  } satisfies Omit<Asked, "keys" | "pins">
})

/** What may be there because a server was at work between two looks. */
const ofAServerAtWork = new Set([
  "main_mismatch",
  "live_mismatch",
  "live_unstated",
  "live_asset_mismatch",
  "live_statement_mismatch",
  "commit_missing"
])

/** Writes the summary of a generation that was found good. Of one that was not its findings say why. */
const summarize = Effect.fnUntraced(function* (path: string, subject: Subject, told: Told) {
  const summary = yield* unsignedSummary(subject.material, told)
  if (summary !== null)
    return yield* Effect.try({
      try: () => writeFileSync(path, summary),
      catch: (error) => cannot(`--vsa: ${wordsOf(error)}`)
    })
  if (told.findings.length === 0 && !told.isOld)
    return yield* cannot("--vsa: say of which generation with --generation; none was found good")
})

/** What there is to verify. */
const wantedBy = Effect.fnUntraced(function* (flags: VerifyFlags) {
  const project = Option.getOrNull(flags.project)
  const token = Option.match(flags.token, {
    onNone: () => process.env["PAWL_TOKEN"] ?? null,
    onSome: (secret) => Redacted.value(secret)
  })
  const subjects = yield* subjectsOf({ what: flags.what, project, token, live: Option.getOrNull(flags.live) })
  const [first] = subjects
  if (first === undefined)
    return yield* cannot(
      `there are no statements ${project === null ? "" : `of ${project} `}here: a Project has them from its first start under a version that signs`
    )
  const isOfOne = Option.isSome(flags.pack) || Option.isSome(flags.generation) || Option.isSome(flags.vsa)
  if (subjects.length > 1 && isOfOne) return yield* cannot("there are several Projects here: say which with --project")
  return { first, subjects }
})

/** One look at all of it. */
const looking = Effect.fnUntraced(function* (flags: VerifyFlags) {
  const asked = yield* askedBy(flags)
  const given = Option.isSome(flags.key) ? yield* keysIn(flags.key.value) : []
  const { first, subjects } = yield* wantedBy(flags)
  const how = { given, state: asked.state, usesFirst: flags.trustOnFirstUse }
  const trusted = yield* Effect.forEach(subjects, (subject) =>
    Effect.map(beliefOf(subject, how), (by) => ({ by, subject }))
  )
  const all = yield* Effect.forEach(trusted, ({ by: { keys, pins, remarks }, subject }) =>
    Effect.map(verified({ ...asked, keys, pins }, subject), (told): Told => ({
      ...told,
      remarks: [...remarks, ...told.remarks]
    }))
  )
  const [told] = all
  const { generation } = asked
  if (generation !== null && told?.verdict.told.length === 0 && told.findings.length === 0)
    return yield* cannot(`nothing was stated of S${generation} of ${first.project}`)
  if (Option.isSome(flags.vsa) && told !== undefined) yield* summarize(flags.vsa.value, first, told)
  // Nobody changes a pack meanwhile.
  return { all, isAtWork: first.trust === null }
})

/** A backup is restored aside, and judged as what it comes to. */
const running = Effect.fnUntraced(function* (flags: VerifyFlags) {
  const { isBackup, judged } = yield* Effect.promise(() => import("../backup/VerifiedBackup.ts"))
  if (!isBackup(flags.what)) return yield* judging(flags)
  const { folder, problems, told } = yield* Effect.mapError(judged(flags.what), (error) => cannot(wordsOf(error)))
  if (folder !== null) {
    const { exitCode, lines } = yield* judging({ ...flags, what: folder })
    return { exitCode, lines: flags.json ? lines : [told, ...lines] }
  }
  const lines = flags.json
    ? [JSON.stringify([{ backup: told, findings: problems.map((detail) => ({ code: "backup_damaged", detail })) }])]
    : [told, ...problems.map((detail) => `backup_damaged  ${detail}`)]
  return { lines, exitCode: 1 }
}, Effect.scoped)

/** What a host alone cannot answer. */
const hostProblem = ({ generation, live, pack, quick, vsa }: VerifyFlags, { page }: AskedHost): string | null => {
  if (page.channel !== "production" && page.statement === null)
    return "it is the host of a preview or a version: those carry no statement. Give the address of the app, or of its server"
  const asked = [
    ...(Option.isSome(generation) ? ["--generation"] : []),
    ...(Option.isSome(live) ? ["--live"] : []),
    ...(Option.isSome(pack) ? ["--pack"] : []),
    ...(Option.isSome(vsa) ? ["--vsa"] : []),
    ...(quick ? ["--quick"] : [])
  ]
  return asked.length === 0
    ? null
    : `it is the host of an app, which does not tell enough for ${asked.join(", ")}: give the address of its server`
}

/** What an app's host says of itself, where the address is of one; null for a server. Which Project it is, it says itself. */
const hostAsked = Effect.fnUntraced(function* ({ project, what }: VerifyFlags) {
  if (!isAddress(what) || Option.isSome(project)) return null
  const page = yield* readHostPage(what)
  return page === null ? null : { address: what, page }
})

/** A host is looked at again, for it may be moving to what is stated just now, and a checkpoint may be on its way. */
const judgingHost = Effect.fnUntraced(function* (flags: VerifyFlags, first: AskedHost) {
  const problem = hostProblem(flags, first)
  if (problem !== null) return yield* cannot(problem)
  let host = first
  for (let look = 1; ; look++) {
    const asked = yield* askedBy(flags)
    const given = Option.isSome(flags.key) ? yield* keysIn(flags.key.value) : []
    const { keys, pins } = yield* beliefOf(subjectOfHost(host), {
      given,
      state: asked.state,
      usesFirst: flags.trustOnFirstUse
    })
    const told = yield* hostVerified({ ...asked, keys, pins }, host)
    const exitCode = hostExitCode(told)
    if (exitCode === 0 || look >= Limits.auditLooks)
      return { lines: flags.json ? [JSON.stringify([hostJson(told)])] : hostLines(told), exitCode }
    yield* Effect.sleep(ServerLimits.verifyLookMs)
    host = (yield* hostAsked(flags)) ?? host
  }
})

const judging = Effect.fnUntraced(function* (flags: VerifyFlags) {
  const problem = problemOf(flags)
  if (problem !== null) return yield* cannot(problem)
  const host = yield* hostAsked(flags)
  if (host !== null) return yield* judgingHost(flags, host)
  for (let look = 1; ; look++) {
    const { all, isAtWork } = yield* Effect.scoped(looking(flags))
    const findings = all.flatMap((each) => each.findings)
    const mayPass = findings.length > 0 && findings.every(({ code }) => ofAServerAtWork.has(code))
    if (isAtWork && mayPass && look < Limits.auditLooks) {
      yield* Effect.try({
        try: () => void (Option.isSome(flags.pack) && rmSync(flags.pack.value, { recursive: true, force: true })),
        catch: (error) => cannot(`--pack: ${wordsOf(error)}`)
      })
      yield* Effect.sleep(ServerLimits.verifyLookMs)
      continue
    }
    const lines = flags.json ? [JSON.stringify(all.map(jsonOf))] : all.flatMap(linesOf)
    const unreadable = findings.some(({ code }) => code === "pack_unreadable")
    const isBad = findings.length > 0 || all.some(({ isOld }) => isOld)
    return { lines, exitCode: unreadable ? 2 : isBad ? 1 : 0 }
  }
})

const jsonOf = ({ findings, project, remarks, verdict }: Told) => ({
  project,
  ...verdict,
  told: verdict.told.map(({ digest, entry, keyid, statement }) => ({ entry, keyid, digest, ...statement })),
  findings,
  remarks
})

const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDefault(false), Flag.withDescription(description))
const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.optional, Flag.withDescription(description))

/** Lines for people. Exits with 0 when nothing is found, 1 with findings, 2 when it could not verify. */
export const verifyCommand = Command.make(
  "verify",
  {
    what: Argument.String("what").pipe(Argument.withDefault(process.env["PAWL_DATA"] ?? ".pawl")),
    key: text("key", "the id of the first key, SHA256:…, or a file that holds it (what was pinned for the Project)"),
    seen: text("seen", "a file with a checkpoint that was kept"),
    project: text("project", "one Project alone; of a server that shows several it must be given"),
    token: Flag.Redacted("token").pipe(Flag.optional, Flag.withDescription("an API token for a server (PAWL_TOKEN)")),
    generation: Flag.Int("generation").pipe(
      Flag.optional,
      Flag.withDescription("judge this generation alone, and say what it is")
    ),
    live: text("live", "the address of the app's host: what it serves now is judged too"),
    pack: text("pack", "a new folder: a pack is written there of all that is read"),
    vsa: text("vsa", "a new file: the verification summary of a good --generation, for others to sign"),
    maxAge: text("max-age", "how old the newest statement may be: 12h, 1d"),
    outputsKept: text("outputs-kept", "how long outputs of checks are kept, 30d: older ones may be gone"),
    quick: flag("quick", "links, the last signature of each key and the checkpoint alone"),
    deep: flag("deep", "nothing here: says how `pawl audit` makes every generation anew"),
    json: flag("json", "print JSON"),
    acceptRestore: flag("accept-restore", "accept that a restored backup has lost what it says that it lost"),
    trustOnFirstUse: flag(
      "trust-on-first-use",
      "pin the first key that is there for its Project, where nothing is found and none is trusted yet"
    )
  },
  (flags) =>
    reporting(
      running(flags).pipe(
        Effect.catchTags({
          MaterialUnreadable: (error) => Effect.fail(cannot(`pack_unreadable: ${error.message}`)),
          MemoryUnusable: (error) => Effect.fail(cannot(`what was seen before cannot be read: ${error.message}`)),
          PackRefused: (error) => Effect.fail(cannot(error.message))
        })
      ),
      flags.json ? "failures" : false
    )
).pipe(
  Command.withDescription(
    `Verifies a data folder, a pack, a clone, a server or an app's host offline, by signatures; names each finding, and exits with 1 when there is one, 2 when it could not verify. At most ${Limits.findingsKept} are kept`
  )
)
