/** Single thefts from a real server's folder: what the tests of thieves do with `Loot`. */
import type { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { canonicalJson, sha256AtOnce } from "@pawl/core/primitives/Digest"
import { answerOf, newPasskey } from "@pawl/testing/tools/SoftwareAuthenticator"
import {
  copyRow,
  forge,
  type Forged,
  type Row,
  rewriteRow,
  rowAt,
  statementAbout,
  stolenKeys,
  withDatabase
} from "./Loot.ts"

/** What a host shows: a generation, or the preview of a Candidate. */
type Shown = number | { readonly candidate: string }

/** What was released of a generation, and what a row carries of that. */
export const releaseIn = (database: DatabaseSync, project: string, generation: number) => {
  const { id } = database
    .prepare("SELECT id FROM pawl_statement WHERE about = ? ORDER BY id DESC")
    .get(`${project}/release/${generation}`) ?? { id: "" }
  const { entry, payload, signature } = rowAt(database, "pawl_statement", String(id))
  const said = JSON.parse(String(payload)) as Forged
  const sealed = {
    payloadType: "application/vnd.in-toto+json",
    payload: Buffer.from(String(payload)).toString("base64")
  }
  const envelope = canonicalJson({ ...sealed, signatures: [signature] })
  return { said, provenance: { entry, epoch: 1, envelope } }
}

/** The row of a version, or, without one, of the preview of what was never promoted. */
export const shownRow = (database: DatabaseSync, project: string, shown: Shown): Row => {
  const rows = database
    .prepare("SELECT data FROM pawl_pointer WHERE project_id = ?")
    .all(project)
    .map(({ data }) => JSON.parse(String(data)) as Row)
  const row = rows.find((each) =>
    typeof shown === "number"
      ? each["channel"] === `preview:v${String(shown).padStart(7, "0")}`
      : each["candidate_id"] === shown.candidate
  )
  if (row === undefined) throw new Error("there is no such row")
  return row
}

/** Points the host of a Project at what another row shows. */
export const pointAt = (
  folder: string,
  project: string,
  shown: Shown,
  provenance?: (database: DatabaseSync) => unknown
): void =>
  withDatabase(folder, (database) => {
    const { bundle_digest, bundle_key, commit } = shownRow(database, project, shown)
    const carried = provenance?.(database)
    rewriteRow(database, "pawl_pointer", `${project}/production`, (row) => ({
      ...row,
      bundle_digest,
      bundle_key,
      commit,
      ...(typeof shown === "number" ? { generation: shown } : {}),
      ...(carried === undefined ? {} : { provenance: carried }),
      updated_at: new Date().toISOString()
    }))
  })

/** The host's row shows what another one does, and says of itself that it is a version's: those need no statement. */
export const sayVersion = (folder: string, project: string, shown: Shown): void => {
  pointAt(folder, project, shown)
  withDatabase(folder, (database) =>
    rewriteRow(database, "pawl_pointer", `${project}/production`, (row) => ({ ...row, channel: "preview:v0000001" }))
  )
}

/** The host's row is found no more, and one of another Project in its place, which shows what another one does. */
export const moveColumns = (folder: string, project: string, shown: Shown): void =>
  withDatabase(folder, (database) => {
    const { bundle_digest, bundle_key, commit } = shownRow(database, project, shown)
    const [own, other] = [`${project}/production`, "proj_00000000-0000-4000-8000-00000000dead"]
    const change = (row: Row) => ({ ...row, bundle_digest, bundle_key, commit })
    copyRow(database, "pawl_pointer", own, `${other}/production`, change, { project_id: other })
    database.prepare("UPDATE pawl_pointer SET label = 'moved-away' WHERE id = ?").run(own)
  })

/**
 * The host's row shows what another one does, and every column and record says that the host has another name, whose row is
 * as it should be.
 */
export const sayLabel = (folder: string, project: string, shown: Shown): void => {
  const [own, other] = [`${project}/production`, "proj_00000000-0000-4000-8000-00000000dead"]
  withDatabase(folder, (database) => {
    const label = "decoy"
    copyRow(database, "pawl_pointer", own, `${other}/production`, (row) => ({ ...row, label }), {
      project_id: other,
      label
    })
    rewriteRow(database, "pawl_project", project, (row) => ({ ...row, label }))
    database.exec(`UPDATE pawl_statement SET about = replace(about, '/release/', '/was/')`)
  })
  pointAt(folder, project, shown)
}

/** One more of the newest statement of a kind about S3, with other facts. */
export const again = (all: Array<Forged>, kind: "release" | "outcome", facts: Row = {}): Forged => {
  const said = structuredClone(statementAbout(all, kind, 3))
  Object.assign(said.predicate, { at: all.at(-1)?.predicate["at"] }, facts)
  return said
}

/** A version of the Policy that nobody set: no approval needs a passkey any more. */
export const slipPolicy = (folder: string, project: string): void => {
  const row = withDatabase(folder, (database) => {
    const version = Number(rowAt(database, "pawl_policy", project)["version"])
    const change = (before: Row) => ({ ...before, version: version + 1, approvalsSigned: [] })
    const [from, to] = [`${project}/${version}`, `${project}/${version + 1}`]
    return copyRow(database, "pawl_policy_version", from, to, change)
  })
  const slipped = (all: Array<Forged>): void => {
    const said = structuredClone(all.findLast(({ predicateType }) => predicateType.includes(":policy:"))!)
    said.subject = [{ name: `${project}/policy/${Number(row["version"])}`, digest: { sha256: textDigest(row) } }]
    Object.assign(said.predicate, { at: all.at(-1)?.predicate["at"], version: row["version"] })
    all.push(said)
  }
  forge(folder, project, slipped, stolenKeys(folder))
}

/** The key of the approval that a generation stands on. */
export const approvalOf = (database: DatabaseSync, project: string, generation: number): string => {
  const { approvalId } = rowAt(database, "pawl_generation", `${project}/${generation}`)
  const found = database.prepare("SELECT id FROM pawl_approval WHERE json_extract(data, '$.id') = ?")
  return String(found.get(String(approvalId))?.["id"])
}

const textDigest = (row: Row): string => sha256AtOnce(canonicalJson(row))

/** The approval that Ben's passkey signed is signed anew by a thief's, under the name of Ben's. */
export const forgeApproval = async (folder: string, project: string): Promise<void> => {
  const passkey = await Effect.runPromise(newPasskey("localhost"))
  const id = withDatabase(folder, (database) => approvalOf(database, project, 3))
  const before = withDatabase(folder, (database) => rowAt(database, "pawl_approval", id))
  const { credential, clientDataJSON } = before["passkey"] as {
    readonly credential: string
    readonly clientDataJSON: string
  }
  const { challenge, origin } = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString())
  const forged = await Effect.runPromise(answerOf(passkey, challenge, origin, { credential }))
  const row = withDatabase(folder, (database) =>
    rewriteRow(database, "pawl_approval", id, (each) => ({ ...each, passkey: forged }))
  )
  const change = (all: Array<Forged>): void => {
    const approvals = statementAbout(all, "promotion", 3).predicate["approvals"] as Array<Row>
    for (const each of approvals) if (each["id"] === row["id"]) each["record"] = { sha256: textDigest(row) }
  }
  forge(folder, project, change, stolenKeys(folder))
}
