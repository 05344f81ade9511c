/**
 * A data folder, or a copy of one: its database is opened read-only beside its objects and repositories. No server is
 * asked, and no connection is opened.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { objectNames } from "@pawl/adapters-local/objects/ObjectPath"
import { repositoryPath } from "@pawl/adapters-local/repositories/RepositoryPath"
import { openReadOnly, type ReadOnlyRows } from "@pawl/adapters-local/sqlite/ReadOnlyRows"
import { madeOf } from "@pawl/core/candidate/Origin"
import { bundleKey, bundleKinds, bundlePrefix } from "@pawl/core/bundle/Bundle"
import { Actor } from "@pawl/core/model/Actor"
import { ChangeSet } from "@pawl/core/model/ChangeSet"
import { canonicalJson } from "@pawl/core/primitives/Digest"
import { ProjectId } from "@pawl/core/primitives/Ids"
import { Limits } from "@pawl/core/primitives/Limits"
import { envelopeOf } from "@pawl/core/provenance/Envelope"
import { predicateType } from "@pawl/core/provenance/Predicates"
import type { Heads, KeptThing, Line, Live, Material, MaterialUnreadable, Thing } from "@pawl/core/proof/Material"
import { readOnce } from "@pawl/core/primitives/StrictJson"
import { Effect, Option, Schema, Stream, Struct } from "effect"
import { statementsRef } from "@pawl/adapters-local/repositories/transport/StatementFiles"
import { gitOnce, gitSource, lostSource, type Repository } from "./GitSource.ts"
import { keptHeads } from "./KeptHeads.ts"
import { oddFiles } from "./OddFiles.ts"
import { type Unpacked, unpacked } from "./PackedRepository.ts"
import { keptFile, unreadable } from "./ProofFiles.ts"

const part = "pawl.db"

const KeptStatement = Schema.Struct({
  payload: Schema.String,
  signature: Schema.NullOr(Schema.Struct({ keyid: Schema.String, sig: Schema.String }))
})
const isStatement = Schema.is(KeptStatement)

const KeptPointer = Schema.Struct({
  status: Schema.String,
  channel: Schema.String,
  incarnation: Schema.Finite,
  generation: Schema.NullOr(Schema.Finite),
  bundle_digest: Schema.NullOr(Schema.String),
  provenance: Schema.optionalKey(
    Schema.NullOr(Schema.Struct({ entry: Schema.Finite, envelope: Schema.optionalKey(Schema.NullOr(Schema.String)) }))
  )
})

const nothingServed: Live = { bundle: null, generation: null, channel: "production", incarnation: 0, assets: {} }

const KeyName = Schema.Struct({ predicate: Schema.Struct({ use: Schema.Literal("log"), name: Schema.String }) })

const trying = <A>(work: () => A): Effect.Effect<A, MaterialUnreadable> =>
  Effect.try({ try: work, catch: (error) => unreadable(part, error instanceof Error ? error.message : String(error)) })

const textOf = (row: Readonly<Record<string, unknown>> | undefined): string | null =>
  typeof row?.["data"] === "string" ? row["data"] : null

const jsonOf = (text: string | null): unknown => {
  const read = text === null ? null : readOnce(text, Limits.provenRecordBytes)
  return read !== null && "value" in read ? read.value : null
}

/** The text of a record as statements count it: its fields in their order. */
const canonicalOf = (text: string | null): string | null => {
  const value = jsonOf(text)
  return value === null ? null : canonicalJson(value)
}

/** The envelope of a row; nothing at all of one that is no statement. */
const lineOf = (text: string | null): Line => {
  const value = jsonOf(text)
  return isStatement(value) ? JSON.stringify(envelopeOf(value)) : ""
}

const rowsPerBatch = Limits.envelopesPerBatch

/** The envelopes of a chain, in the order of their entries. */
const envelopes = (rows: ReadOnlyRows, chain: string): Stream.Stream<ReadonlyArray<Line>, MaterialUnreadable> =>
  Stream.paginate(`${chain}/`, (after) =>
    Effect.map(
      trying(() =>
        rows.all(
          "SELECT id, data FROM pawl_statement WHERE id > ? AND id < ? ORDER BY id LIMIT ?",
          after,
          `${chain}0`,
          rowsPerBatch
        )
      ),
      (found) => {
        const last = found.at(-1)?.["id"]
        const next = found.length < rowsPerBatch || typeof last !== "string" ? Option.none<string>() : Option.some(last)
        return [[found.map((row) => lineOf(textOf(row)))], next] as const
      }
    )
  )

/** The instance's name, as the newest key of the log has it. */
const nameOf = (rows: ReadOnlyRows): string => {
  const found = rows.all("SELECT data FROM pawl_statement WHERE id > 'instance/' AND id < 'instance0' ORDER BY id DESC")
  for (const row of found) {
    const kept = jsonOf(textOf(row))
    const said = isStatement(kept) ? jsonOf(kept.payload) : null
    if (Schema.is(KeyName)(said)) return said.predicate.name
  }
  return "localhost"
}

const KeptChangeSet = ChangeSet.mapFields(Struct.pick(["author", "commit", "id"]))
const changeSetOf = Schema.decodeUnknownOption(Schema.fromJsonString(KeptChangeSet))
const changeOf = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ createdBy: Actor })))

/** Who made the ChangeSets of a Candidate: as it was kept with it, or for one that an earlier version composed by their rows. */
const madeIn = (one: (table: string, id: string) => string | null, id: string): string | null => {
  const { changeId, changeSets, made }: Record<string, unknown> = Object(jsonOf(one("pawl_candidate", id)))
  if (made !== undefined) return canonicalJson(made)
  const change = changeOf(one("pawl_change", String(changeId)))
  if (Option.isNone(change) || !Array.isArray(changeSets)) return null
  const kept = changeSets.flatMap((each) => Option.toArray(changeSetOf(one("pawl_change_set", String(each)))))
  return canonicalJson(kept.map((each) => madeOf(each, change.value)))
}

const recordIn = (rows: ReadOnlyRows, project: string): NonNullable<Material["record"]> => {
  const one = (table: string, id: string) => textOf(rows.all(`SELECT data FROM ${table} WHERE id = ?`, id)[0])
  return (kind, id) =>
    trying(() => {
      switch (kind) {
        case "evidence":
          return canonicalOf(one("pawl_evidence", id))
        case "policyVersion":
          return canonicalOf(one("pawl_policy_version", `${project}/${id}`))
        case "approval": {
          // Their keys are those of their Candidates.
          const found = rows.all(
            "SELECT data FROM pawl_approval WHERE project_id = ? AND json_extract(data, '$.id') = ?",
            project,
            id
          )
          return canonicalOf(textOf(found[0]))
        }
        case "plan": {
          const candidate = jsonOf(one("pawl_candidate", id))
          const plan = Object(candidate)["plan_json"]
          return plan === undefined || plan === null ? null : canonicalJson(plan)
        }
        case "made":
          return madeIn(one, id)
      }
    })
}

/** Where an object may lie: outputs under the key of their evidence, bundles and their parts under their commit's. */
const keysOf = (rows: ReadOnlyRows, project: string, thing: Thing): ReadonlyArray<string> => {
  const { as, commit = "", evidence = "", name = "" } = thing
  if (as === "output") {
    const row = jsonOf(textOf(rows.all("SELECT data FROM pawl_evidence WHERE id = ?", evidence)[0]))
    const key: unknown = Object(row)["outputKey"]
    return typeof key === "string" ? [key] : []
  }
  const prefixes = bundleKinds.map((kind) => bundlePrefix(kind, project, commit))
  return prefixes.map((prefix) => (as === "bundle" ? bundleKey(prefix) : `${prefix}${name}`))
}

/** Where hosts serve from: a bundle's folder. */
const servedPrefixes = (rows: ReadOnlyRows, project: string): ReadonlySet<string> => {
  const found = rows.all(
    "SELECT json_extract(data, '$.bundle_key') AS key FROM pawl_pointer WHERE project_id = ?",
    project
  )
  return new Set(found.flatMap(({ key }) => (typeof key === "string" ? [key.slice(0, -bundleKey("").length)] : [])))
}

/** What a host serves must be whole where it is served from: another copy beside it is no excuse. */
const objectIn = (data: string, rows: ReadOnlyRows, project: string): NonNullable<Material["object"]> => {
  let served: ReadonlySet<string> | null = null
  const isServed = (key: string): boolean => {
    const prefixes = (served ??= servedPrefixes(rows, project))
    return prefixes.has(key.split("/").slice(0, 3).join("/") + "/")
  }
  return (thing) =>
    Effect.gen(function* () {
      let other: KeptThing | null = null
      let whole: KeptThing | null = null
      for (const key of yield* trying(() => keysOf(rows, project, thing))) {
        const kept = yield* keptFile(join(data, "objects", "objects", ...objectNames(key)), "objects")
        const isWhole = kept?.sha256 === thing.sha256
        if (!isWhole && thing.as !== "output" && (yield* trying(() => isServed(key)))) return kept
        if (isWhole) whole ??= kept
        else other ??= kept
      }
      return whole ?? other
    })
}

/** Objects in a bucket are not the folder's: whoever looks says so, in the place of missing each. */
const areElsewhere = (): boolean => (process.env["PAWL_OBJECTS"] ?? "").trim().startsWith("s3://")

const KeptRelease = Schema.Struct({
  predicateType: Schema.Literal(predicateType("release")),
  predicate: Schema.Struct({ channel: Schema.Literal("production"), label: Schema.String })
})

/**
 * The labels that releases to production were stated for, from the newest back to one that somebody signed. What the
 * statements say themselves is looked at: a column beside them is nobody's word.
 */
const releasedLabels = (rows: ReadOnlyRows, project: string): ReadonlyArray<string> => {
  const labels: Array<string> = []
  for (let before: unknown = `${project}0`; typeof before === "string";) {
    const found = rows.all(
      "SELECT id, data FROM pawl_statement WHERE id > ? AND id < ? ORDER BY id DESC LIMIT ?",
      `${project}/`,
      before,
      rowsPerBatch
    )
    for (const row of found) {
      const kept = jsonOf(textOf(row))
      const said = isStatement(kept) ? jsonOf(kept.payload) : null
      if (!isStatement(kept) || !Schema.is(KeptRelease)(said)) continue
      labels.push(said.predicate.label)
      if (kept.signature !== null) return labels
    }
    before = found.at(-1)?.["id"]
  }
  return labels
}

/** The labels of a Project: what its newest release was stated for, and what its own record says. */
const labelsOf = (rows: ReadOnlyRows, project: string): ReadonlySet<string> => {
  const own: unknown = Object(jsonOf(textOf(rows.all("SELECT data FROM pawl_project WHERE id = ?", project)[0])))[
    "label"
  ]
  return new Set([...releasedLabels(rows, project), ...(typeof own === "string" ? [own] : [])])
}

/** What a row of its host serves. */
const servedOf = (text: string | null): Live => {
  const pointer = jsonOf(text)
  if (!Schema.is(KeptPointer)(pointer)) return nothingServed
  const { bundle_digest, channel, generation, incarnation, provenance, status } = pointer
  // What it served before is served while another bundle is built, and after that has failed.
  const isServed = status !== "removed" && bundle_digest !== null
  return {
    bundle: isServed ? bundle_digest : null,
    generation: isServed ? generation : null,
    channel,
    incarnation,
    assets: {},
    entry: isServed ? provenance?.entry : undefined,
    envelope: isServed ? (provenance?.envelope ?? null) : undefined
  }
}

/**
 * What is served of it, by each row that a router finds for its host: by label and channel, as these columns say, whatever
 * the row's key is. Without one nothing is.
 */
const liveOf = (rows: ReadOnlyRows, project: string): ReadonlyArray<Live> => {
  const found = [...labelsOf(rows, project)].flatMap((label) =>
    rows.all("SELECT data FROM pawl_pointer WHERE label = ? AND channel = 'production'", label)
  )
  return found.length === 0 ? [nothingServed] : found.map((row) => servedOf(textOf(row)))
}

/**
 * The newest checkpoint of a chain's log. Without one an empty text where its repository has published one: somebody took
 * it away.
 */
const checkpointOf = (
  rows: ReadOnlyRows,
  chain: string,
  published: { readonly canon: string | null; readonly file: string }
): string | null => {
  const log = jsonOf(textOf(rows.all("SELECT data FROM pawl_chain_log WHERE id = ?", chain)[0]))
  const checkpoint: unknown = Object(log)["checkpoint"]
  if (typeof checkpoint === "string") return checkpoint
  const { canon, file } = published
  // Where git would wait nothing is asked: that is said with the repository.
  if (canon === null || oddFiles(canon).length > 0) return null
  return gitOnce(canon, ["cat-file", "-e", `${statementsRef}:${file}`]).status === 0 ? "" : null
}

/**
 * Whether its repository may be gone: that of an archived Project is cleared away. Such a one serves nothing, from the very
 * commit that archives it.
 */
const isArchived = (rows: ReadOnlyRows, project: string, live: ReadonlyArray<Live>): boolean => {
  const row = jsonOf(textOf(rows.all("SELECT data FROM pawl_project WHERE id = ?", project)[0]))
  return Object(row)["status"] === "archived" && live.every(({ bundle }) => bundle === null)
}

/** Whether a folder is a data folder, or a copy of one. */
export const isInstallation = (folder: string): boolean => existsSync(join(folder, part))

/** One Project of a data folder. */
export interface KeptProject {
  readonly project: string
  /** The origin of its log in the first epoch. */
  readonly origin: string
  readonly material: Material
  readonly repository: Repository | null
}

const opened = (data: string) =>
  Effect.acquireRelease(
    trying(() => openReadOnly(join(data, part))),
    (rows) => Effect.sync(() => rows.close())
  )

/** What was wrong with packs before they were unpacked is said first. */
const sourceOf = (repository: Repository, packed: Unpacked | null) =>
  Effect.map(gitSource(repository), (source) =>
    packed?.damage == null ? source : { ...source, damage: Effect.succeed(packed.damage) }
  )

const readProject = Effect.fnUntraced(function* (
  { data, heads, rows }: { readonly data: string; readonly heads: Heads | null; readonly rows: ReadOnlyRows },
  name: string,
  project: string
) {
  const isName = Schema.is(ProjectId)(project)
  const packed = isName ? yield* unpacked({ data, rows }, project) : null
  const folder = isName ? (yield* repositoryPath(join(data, "repositories"), { project })).canonDir : null
  const canon = packed === null ? folder : packed.folder
  const isThere = canon !== null && existsSync(canon)
  const live = yield* trying(() => liveOf(rows, project))
  const isLost = canon !== null && !isThere && !(yield* trying(() => isArchived(rows, project, live)))
  const repository = isThere || isLost ? { folder: canon, main: "refs/heads/main" } : null
  const logOf = (chain: string, file: string) =>
    trying(() => checkpointOf(rows, chain, { canon: isThere ? canon : null, file }))
  const material: Material = {
    statements: envelopes(rows, project),
    keys: envelopes(rows, "instance"),
    record: recordIn(rows, project),
    object: areElsewhere() ? null : objectIn(data, rows, project),
    checkpoint: yield* logOf(project, "checkpoint"),
    keysCheckpoint: yield* logOf("instance", "keys.checkpoint"),
    seen: [],
    live,
    source: isLost ? lostSource : repository === null ? null : yield* sourceOf(repository, packed),
    heads
  }
  return { project, origin: `${name}/log/${project}`, material, repository } satisfies KeptProject
})

/**
 * Every Project of a data folder that has statements, or had them when its signer signed. All of it is of one instant,
 * though a server may be writing. Fails with `MaterialUnreadable`.
 */
export const readInstallation = Effect.fnUntraced(function* (data: string) {
  // What was signed stood in the database before: so it is read first.
  const heads = yield* keptHeads(data)
  const rows = yield* opened(data)
  const name = yield* trying(() => nameOf(rows))
  const chains = yield* trying(() => rows.all("SELECT id FROM pawl_chain WHERE id <> 'instance' ORDER BY id"))
  // What was signed is remembered outside the database: a Project that is gone from there was not forgotten.
  const signed = Object.keys(heads ?? {}).flatMap((origin) => /\/log\/(proj_[^/]+)/.exec(origin)?.[1] ?? [])
  const projects = [...new Set([...chains.map(({ id }) => String(id)), ...signed])]
  return yield* Effect.forEach(projects, (project) => readProject({ data, heads, rows }, name, project))
})
