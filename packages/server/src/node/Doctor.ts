/** `pawl doctor`: what this machine offers, what is missing, and the command that mends it. */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { promisify } from "node:util"
import { describeRuntimeIsolation, workerdPath } from "@pawl/adapters-local/runtime/host/RuntimeIsolation"
import { describeIsolation } from "@pawl/adapters-local/sandbox/IsolationChoice"
import * as EndpointLook from "@pawl/adapters-models/EndpointLook"
import { utf8 } from "@pawl/core/primitives/Digest"
import type { LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { allKeys, currentKey } from "@pawl/core/provenance/KeyHistory"
import { Signer } from "@pawl/core/provenance/Signer"
import { Console, Effect, Option, Result } from "effect"
import { FetchHttpClient } from "effect/http"
import type { DatabaseUnavailable } from "./installations/Installation.ts"
import * as Installations from "./installations/Installations.ts"
import type { Finding } from "../http/index.ts"
import { sharedSite } from "./AppsSite.ts"
import * as NoticeCarriers from "./NoticeCarriers.ts"
import * as Objects from "./Objects.ts"
import { onlyRoutes, type Options, read } from "./Options.ts"
import { seenProcesses } from "./SeenProcesses.ts"
import { jsonDocument } from "./commands/JsonDocument.ts"
import { routerFindings } from "./RouterFindings.ts"
import * as Signers from "./Signers.ts"

const run = promisify(execFile)

const versionOf = (command: string): Effect.Effect<string | null> =>
  Effect.promise(() =>
    run(command, ["--version"]).then(
      ({ stdout }) => stdout.trim().split("\n")[0] ?? "",
      () => null
    )
  )

const node: Finding = (() => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
  const fits = major > 22 || (major === 22 && minor >= 19)
  return {
    part: "Node",
    state: fits ? "ok" : "missing",
    found: `v${process.versions.node}`,
    remedy: fits ? null : "npm install node@24"
  }
})()

const git = Effect.map(versionOf("git"), (found): Finding =>
  found === null
    ? { part: "git", state: "missing", found: "not found", remedy: "apt-get install git" }
    : { part: "git", state: "ok", found: found.replace("git version ", ""), remedy: null }
)

const sandbox = Effect.map(describeIsolation(), (report): Finding => {
  if (report.name === "none") {
    const why = report.missing[0]
    return {
      part: "Sandbox for checks",
      state: "missing",
      found: `none: ${why?.reason ?? "unknown"}. Checks are gaps.`,
      remedy: why?.remedy ?? null
    }
  }
  const weak = report.missing.map(({ guarantee, reason }) => `${guarantee} (${reason})`)
  const found = `${report.name} ${report.version}: ${report.guarantees.join(", ")}${weak.length === 0 ? "" : `; not in force: ${weak.join(", ")}`}`
  return {
    part: "Sandbox for checks",
    state: weak.length === 0 ? "ok" : "weak",
    found,
    remedy: report.missing[0]?.remedy ?? null
  }
})

const runtime = Effect.map(describeRuntimeIsolation, (isolation): Finding => {
  if (isolation === null)
    return {
      part: "App runtime",
      state: "missing",
      found: existsSync(workerdPath()) ? "workerd does not run here" : "workerd is not installed",
      remedy: "npm install workerd"
    }
  const found = `workerd in ${isolation.name === "none" ? "no sandbox" : `${isolation.name} ${isolation.version}`}: ${isolation.guarantees.join(", ")}`
  return { part: "App runtime", state: isolation.name === "none" ? "weak" : "ok", found, remedy: isolation.remedy }
})

/** What can be used where the options cannot. */
const noOptions = {
  data: ".",
  databaseUrl: null,
  databaseSchema: "",
  notices: { _tag: "Database" },
  objects: { _tag: "Folder" },
  models: null,
  signer: { _tag: "File" },
  provenance: "off",
  roles: [],
  appsDomain: null,
  baseUrl: null
} as const

/** The database that the options name. */
const database = (options: Installations.DatabaseOptions) =>
  Effect.map(Installations.of(options).look, (found): Finding => ({ part: "Database", ...found }))

/** What carries notices, where that is not the database. */
const notices = ({ notices: choice }: Pick<Options, "notices">): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.map(NoticeCarriers.look(choice), (found) => (found === null ? [] : [{ part: "Notices", ...found }]))

/** Where objects are. */
const objectStore = (options: Pick<Options, "data" | "objects">): Effect.Effect<Finding> =>
  Effect.map(Objects.look(options), (found) => ({ part: "Objects", ...found }))

/** The part that plans Changes and works Tasks. To have none is no fault. */
const models = ({ models: named }: Pick<Options, "models">): Effect.Effect<Finding> => {
  const part = "Language models"
  if (named === null) {
    const found = "none: Changes wait for people. PAWL_MODEL_URL names where models are asked."
    return Effect.succeed({ part, state: "ok", found, remedy: null })
  }
  const { endpoint, tiers } = named
  const key = endpoint.key === null ? "without a key" : "with a key"
  const serve = `fast ${tiers.fast.name}, balanced ${tiers.balanced.name}, strong ${tiers.strong.name}`
  const found = `${endpoint.dialect} at ${endpoint.url} ${key}: ${serve}`
  return Effect.map(Effect.provide(EndpointLook.look(endpoint), FetchHttpClient.layer), (look): Finding => {
    if (look._tag === "Answers") return { part, state: "ok", found, remedy: null }
    return look._tag === "Silent"
      ? { part, state: "weak", found: `${found}; nobody answers there`, remedy: "start it, or correct PAWL_MODEL_URL" }
      : { part, state: "weak", found: `${found}; it answers ${look.status}`, remedy: "correct PAWL_MODEL_KEY" }
  })
}

/** The id of the key that signs. One in a KMS also signs something: to see it and to sign by it are two rights. */
const keyidOf = ({ signer: { _tag } }: Pick<Options, "signer">) =>
  Effect.flatMap(Signer, (signer) =>
    _tag === "Kms"
      ? Effect.map(signer.sign("statement", utf8("pawl-doctor")), ({ keyid }) => keyid)
      : Effect.map(signer.keys, ({ statement }) => statement.keyid)
  )

type SigningOptions = Pick<Options, "signer" | "provenance" | "roles"> & Installations.DatabaseOptions

/** The key of the statements that are there already; null where there are none, or nothing can be read. */
const stated = (options: SigningOptions): Effect.Effect<string | null> =>
  Effect.map(allKeys, (keys) => currentKey(keys, "statement")?.record.keyid ?? null).pipe(
    Effect.provide(Installations.of(options).beside),
    Effect.catch((_: DatabaseUnavailable | LedgerUnavailable) => Effect.succeed(null))
  )

/** That a worker here could not go on with the statements that are there. */
const otherKey = (options: SigningOptions, keyid: string, found: string): Finding => {
  const { signsWithOthers } = Installations.of(options)
  return {
    part: "Signer",
    state: signsWithOthers ? "missing" : "weak",
    found: `${found}; the key of this installation's statements is ${keyid}`,
    remedy: signsWithOthers
      ? "copy signing-key and log-key out of the data folder of a worker that signs, or give it the same PAWL_SIGNER; see docs/operating/many-machines.md"
      : "put the key back; see docs/operating/keys.md"
  }
}

/** What signs statements. */
const signing = (options: SigningOptions): Effect.Effect<Finding> =>
  Effect.gen(function* (): Effect.fn.Return<Finding> {
    const keyid = yield* Effect.provide(Effect.result(keyidOf(options)), Signers.layer(options))
    const part = "Signer"
    const mode = `provenance ${options.provenance}`
    const known = options.roles.includes("worker") ? yield* stated(options) : null
    if (Result.isSuccess(keyid))
      return known === null || known === keyid.success
        ? { part, state: "ok", found: `${keyid.success}; ${mode}`, remedy: null }
        : otherKey(options, known, keyid.success)
    if (options.signer._tag === "File" && known !== null) return otherKey(options, known, keyid.failure.reason)
    if (options.signer._tag === "File")
      return {
        part,
        state: "ok",
        found: `a key file, made at the first start on a new folder; ${mode}`,
        remedy: null
      }
    const remedy = "correct PAWL_SIGNER: statements stay unsigned meanwhile"
    return { part, state: "weak", found: `${keyid.failure.reason}; ${mode}`, remedy }
  })

/** That apps are neighbours of the console where they need not be. On this machine alone there is no choice. */
const hosts = (options: Pick<Options, "appsDomain" | "baseUrl">): Finding => {
  const part = "Hosts of apps"
  const site = sharedSite(options)
  if (options.appsDomain === null) return { part, state: "ok", found: "none", remedy: null }
  return site === null
    ? { part, state: "ok", found: `below ${options.appsDomain}`, remedy: null }
    : {
        part,
        state: "weak",
        found: `below ${options.appsDomain}, of one site (${site}) with the console: an app's page can sign people out`,
        remedy: "give PAWL_APPS_DOMAIN a registrable domain of its own"
      }
}

/** What `serve` would refuse. */
const refused = (reason: string): Finding => ({ part: "Options", state: "missing", found: reason, remedy: null })

/** A process that only routes needs no git, no sandbox, no keys and no models. */
const ofRouter = (options: Options): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.gen(function* () {
    const own = yield* Effect.all([Effect.succeed(node), runtime, database(options)])
    return [...own, ...(yield* routerFindings(Installations.of(options), options))]
  })

type Named = Options | typeof noOptions

/** What a process that does all finds, but for what its options say of models. */
const ofMachine = Effect.fnUntraced(function* (named: Named) {
  const found = yield* Effect.all([
    Effect.succeed(node),
    git,
    sandbox,
    runtime,
    database(named),
    objectStore(named),
    signing(named),
    Effect.succeed(hosts(named))
  ])
  return [...found, ...(yield* notices(named))]
})

/** The same for a process whose options are known. */
export const findingsOf = (options: Options): Effect.Effect<ReadonlyArray<Finding>> =>
  onlyRoutes(options)
    ? ofRouter(options)
    : Effect.zipWith(ofMachine(options), models(options), (found, last) => [...found, last])

const findings = Effect.fnUntraced(function* (given: Parameters<typeof read>[0], config?: string) {
  const options = yield* Effect.result(read(given, config))
  if (Result.isSuccess(options)) return yield* findingsOf(options.success)
  return [...(yield* ofMachine(noOptions)), refused(options.failure.reason)]
})

/** What a person should know before relying on this machine, one line each. */
export const warnings: Effect.Effect<ReadonlyArray<string>> = Effect.map(findings({}), (all) =>
  all
    .filter((each) => each.state !== "ok")
    .map((each) => `${each.part}: ${each.found}${each.remedy === null ? "" : ` Mend it with: ${each.remedy}`}`)
)

const nextOf = ({ part, remedy, state }: Finding) =>
  remedy === null || state === "ok" ? [] : [{ command: remedy, when: `to mend ${part}` }]

const linesOf = ({ found, part, remedy, state }: Finding): ReadonlyArray<string> => [
  `${signs[state]}  ${part.padEnd(20)} ${found}`,
  ...(remedy === null || state === "ok" ? [] : [`         mend it with: ${remedy}`])
]

const signs = { ok: "ok     ", weak: "weak   ", missing: "MISSING" } as const

/**
 * Prints the findings, with the options of `serve` that are given as there. Exits with 1 when a part that Pawl cannot do
 * without is missing.
 */
export const print = Effect.fnUntraced(function* (given: Parameters<typeof read>[0], isJson: boolean, config?: string) {
  const options = yield* Effect.option(read(given, config))
  const processes = Option.isSome(options) ? yield* seenProcesses(options.value) : []
  const all = [...(yield* findings(given, config)), ...processes]
  yield* Console.log(
    isJson ? jsonDocument({ findings: all, next: all.flatMap(nextOf) }) : all.flatMap(linesOf).join("\n")
  )
  if (all.some((each) => each.state === "missing")) yield* Effect.sync(() => void (process.exitCode = 1))
})
