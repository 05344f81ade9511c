/** How soon a promotion of a real server is signed, and how soon a bad release is taken back while nobody can sign. */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { makeKey } from "@pawl/adapters-local/signing/KeyFiles"
import { openReadOnly } from "@pawl/adapters-local/sqlite/ReadOnlyRows"
import { pointerKey } from "@pawl/core/model/Entities"
import * as Flow from "../../packages/server/test/e2e/kit/Flow.ts"
import { type ServerProcess, startServer } from "../../packages/server/test/e2e/kit/ServerProcess.ts"

/** An operator's signer, away while there is a file that says so. */
const program = (folder: string) => `#!${process.execPath}
const { createPrivateKey, createPublicKey, sign } = require("node:crypto")
const { existsSync, readFileSync } = require("node:fs")
if (existsSync(${JSON.stringify(join(folder, "away"))})) process.exit(1)
const [what, use] = process.argv.slice(2)
const key = createPrivateKey(readFileSync(${JSON.stringify(join(folder, "signing-key"))}))
if (what === "public" && use === "statement")
  process.stdout.write(createPublicKey(key).export({ type: "spki", format: "pem" }))
if (what === "sign") console.log(sign("sha256", readFileSync(0), key).toString("base64"))
`

const everyMs = 2

/** Looks at a database as often as can be until something is so; the bound is for a broken server. */
const seen = async (data: string, isSo: (rows: ReturnType<typeof openReadOnly>) => boolean): Promise<number> => {
  const deadline = performance.now() + 60_000
  for (;;) {
    const rows = openReadOnly(join(data, "pawl.db"))
    try {
      if (isSo(rows)) return performance.now()
    } finally {
      rows.close()
    }
    if (performance.now() > deadline) throw new Error("it never came")
    await pause(everyMs)
  }
}

/** The statement of a generation's promotion: null while there is none. */
const promotionIn = (rows: ReturnType<typeof openReadOnly>, project: string, generation: number) => {
  const newest = rows.all(
    "SELECT data FROM pawl_statement WHERE id > ? AND id < ? ORDER BY id DESC LIMIT 8",
    `${project}/`,
    `${project}0`
  )
  const all = newest.map(({ data }) => JSON.parse(String(data)))
  return all.find((each) => each.kind === "promotion" && each.generation === generation) ?? null
}

const servedIn = (rows: ReturnType<typeof openReadOnly>, project: string): unknown => {
  const [row] = rows.all("SELECT data FROM pawl_pointer WHERE id = ?", pointerKey(project, "production"))
  return row === undefined ? null : JSON.parse(String(row["data"])).bundle_digest
}

const verified = async (
  { api }: ServerProcess,
  project: string,
  name: string,
  files: Readonly<Record<string, string>>
) => {
  const change = await Flow.openChange(api, project, name)
  await Flow.edit(api, change, files)
  const { id, reason, status } = await Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
  if (status !== "verified") throw new Error(`the Candidate is ${status}: ${reason}`)
  return id
}

/** A server, its Project, and the generation that it serves. */
const begun = async (data: string, environment: Readonly<Record<string, string>>) => {
  const server = await startServer({ data, environment: { PAWL_APP_BUILDS_PER_DAY: "100000", ...environment } })
  const { id } = await Flow.createProject(server.api, "signed")
  await Flow.liveApp(server.api, id, 0)
  return { server, project: id }
}

const app = (words: string, status: number) => ({
  "src/index.js": `export default { fetch: () => new Response(${JSON.stringify(words)}, { status: ${status} }) }\n`
})

/** Milliseconds from the commit of each promotion to its signature, with the key file of a server as it starts. */
export const signedAfter = async (folder: string, rounds: number): Promise<ReadonlyArray<number>> => {
  const data = join(folder, "signed")
  const { project, server } = await begun(data, {})
  const took: Array<number> = []
  try {
    for (let generation = 1; generation <= rounds; generation++) {
      const candidate = await verified(server, project, `signed-${generation}`, app(`page ${generation}`, 200))
      const committed = seen(data, (rows) => promotionIn(rows, project, generation) !== null)
      const signed = seen(data, (rows) => Boolean(promotionIn(rows, project, generation)?.signature))
      await Flow.promote(server.api, candidate)
      took.push((await signed) - (await committed))
      await Flow.released(server.api, project, generation)
    }
  } finally {
    await server.stop()
  }
  return took
}

/**
 * Milliseconds from the moment in which a row points at a release whose probes fail until it points back, probes and all:
 * while the signer answers, and while it is dead.
 */
export const restoredAfter = async (folder: string, rounds: number) => {
  const [data, own] = [join(folder, "restored"), join(folder, "signer")]
  mkdirSync(own)
  makeKey(own, "statement", "ecdsa-p256-sha256")
  const path = join(own, "sign")
  writeFileSync(path, program(own))
  chmodSync(path, 0o700)
  const { project, server } = await begun(data, { PAWL_SIGNER: `command:${path}`, PAWL_PROVENANCE: "warn" })
  const took: { there: Array<number>; dead: Array<number> } = { there: [], dead: [] }
  const now = (): unknown => {
    const rows = openReadOnly(join(data, "pawl.db"))
    const served = servedIn(rows, project)
    rows.close()
    return served
  }
  try {
    const good = now()
    for (let generation = 1; generation <= 2 * rounds; generation++) {
      const side = generation % 2 === 0 ? "dead" : "there"
      const candidate = await verified(server, project, `bad-${generation}`, app(`bad ${generation}`, 500))
      if (side === "dead") writeFileSync(join(own, "away"), "")
      await Flow.promote(server.api, candidate)
      const moved = await seen(data, (rows) => servedIn(rows, project) !== good)
      took[side].push((await seen(data, (rows) => servedIn(rows, project) === good)) - moved)
      await Flow.released(server.api, project, generation)
      rmSync(join(own, "away"), { force: true })
    }
  } finally {
    await server.stop()
  }
  return took
}
