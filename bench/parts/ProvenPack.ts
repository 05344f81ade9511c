/** A pack of 10,000 generations as Pawl writes them, and the bare checks of its signatures. */
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { verify as nodeVerify, createPublicKey } from "node:crypto"
import type { Material, Trust } from "@pawl/core/proof/Material"
import { verify, type VerifyOptions } from "@pawl/core/proof/Proofs"
import { preAuthentication } from "@pawl/core/provenance/Envelope"
import { rawOf } from "@pawl/core/provenance/PublicKeys"
import { readInstallation } from "@pawl/server/node/proof/InstallationFolder"
import { readPack } from "@pawl/server/node/proof/PackFolder"
import { nodeEngine } from "@pawl/server/node/proof/NodeEngine"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Effect } from "effect"

/** How many generations the Project has; each but the first has three statements. */
export const generations = Number(process.env["PAWL_BENCH_PROVEN_GENERATIONS"] ?? 10_000)

/** Milliseconds of a piece of work: by the clock, and of all cores together. */
export interface Spent {
  readonly wall: number
  readonly cpu: number
}

/** What work takes. */
export const spent = async (work: () => Promise<unknown>): Promise<Spent> => {
  const [began, used] = [performance.now(), process.cpuUsage()]
  await work()
  const { system, user } = process.cpuUsage(used)
  return { wall: performance.now() - began, cpu: (system + user) / 1000 }
}

const program = fileURLToPath(new URL("./MakePack.ts", import.meta.url))

/**
 * Makes the pack in a folder: real commits, signatures, records, objects and releases; and a data folder whose database has
 * the same statements. Answers how many those are.
 */
export const make = async (folder: string, data: string): Promise<number> => {
  const args = [...process.execArgv, program, folder, String(generations), data]
  return Number((await promisify(execFile)(process.execPath, args, { encoding: "utf8" })).stdout)
}

const judged = async (material: Material, trust: Trust, options: VerifyOptions): Promise<void> => {
  const { findings, statements } = await Effect.runPromise(
    Effect.scoped(Effect.flatMap(nodeEngine, (engine) => verify(material, trust, { ...options, engine })))
  )
  if (findings.length > 0 || statements < 3 * (generations - 1))
    throw new Error(`a good pack of ${statements} statements has findings: ${JSON.stringify(findings[0])}`)
}

const read = (folder: string) => Effect.runPromise(Effect.scoped(readPack(folder)))

/** What `pawl verify --quick` does to the folder, without the start of its process. */
export const quickly = async (folder: string): Promise<void> => {
  const { material, trust } = await read(folder)
  await judged(material, trust, { quick: true })
}

/** What `pawl verify --quick` does to a data folder, told whom to believe by a pack of the same Project. */
export const quicklyInData = async (data: string, folder: string): Promise<void> => {
  const { trust } = await read(folder)
  await Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(readInstallation(data), ([kept]) =>
        kept === undefined
          ? Effect.die(new Error("the data folder has no Project"))
          : Effect.promise(() => judged(kept.material, trust, { quick: true }))
      )
    )
  )
}

/** The statements alone, of which every signature and link is verified; no record and no object is looked at. */
export const signaturesOf = async (folder: string): Promise<() => Promise<void>> => {
  const { material, trust } = await read(folder)
  const statements: Material = { ...material, record: null, object: null, source: null, live: [], heads: null }
  return () => judged(statements, trust, {})
}

/** A signature, with the bytes that it is of. */
interface Signed {
  readonly spki: Buffer
  readonly message: Uint8Array<ArrayBuffer>
  readonly der: Buffer
  readonly raw: Uint8Array<ArrayBuffer>
}

const envelopes = (folder: string, name: string) =>
  readFileSync(join(folder, name), "utf8")
    .trimEnd()
    .split("\n")
    .map((line): { payload: string; signatures: [{ keyid: string; sig: string }] } => JSON.parse(line))

/** Every signature of the pack's statements, made ready beforehand. */
const signed = (folder: string): ReadonlyArray<Signed> => {
  const keys = new Map<string, Buffer>()
  for (const { payload } of envelopes(folder, "keys.intoto.jsonl")) {
    const { keyid, spki } = JSON.parse(Buffer.from(payload, "base64").toString()).predicate
    if (typeof keyid === "string") keys.set(keyid, Buffer.from(spki, "base64"))
  }
  return envelopes(folder, "statements.intoto.jsonl").map(({ payload, signatures: [{ keyid, sig }] }) => {
    const [spki, der] = [keys.get(keyid), Buffer.from(sig, "base64")]
    const raw = rawOf(der)
    if (spki === undefined || raw === null) throw new Error(`no key, or no signature: ${keyid}`)
    return {
      spki,
      message: new Uint8Array(preAuthentication(Buffer.from(payload, "base64"))),
      der,
      raw: new Uint8Array(raw)
    }
  })
}

/** As many as the product has on their way. */
const atOnce = 256

/** Asks for all of them, a batch while the one before is on its way. */
const allHold = async (all: ReadonlyArray<Signed>, holds: (one: Signed) => Promise<boolean>): Promise<void> => {
  let before: Promise<ReadonlyArray<boolean>> = Promise.resolve([])
  for (let from = 0; from <= all.length; from += atOnce) {
    const now = Promise.all(all.slice(from, from + atOnce).map(holds))
    if ((await before).includes(false)) throw new Error("a signature of the pack does not hold")
    before = now
  }
  if ((await before).includes(false)) throw new Error("a signature of the pack does not hold")
}

/** The bare checks: through Web Crypto as the product asks for them, and through `node:crypto`. */
export const bareChecks = async (folder: string) => {
  const all = signed(folder)
  const web = new Map<Buffer, Awaited<ReturnType<typeof crypto.subtle.importKey>>>()
  const node = new Map<Buffer, ReturnType<typeof createPublicKey>>()
  for (const spki of new Set(all.map((each) => each.spki))) {
    const curve = { name: "ECDSA", namedCurve: "P-256" }
    web.set(spki, await crypto.subtle.importKey("spki", new Uint8Array(spki), curve, false, ["verify"]))
    node.set(spki, createPublicKey({ key: spki, format: "der", type: "spki" }))
  }
  const params = { name: "ECDSA", hash: "SHA-256" }
  const byWeb = ({ message, raw, spki }: Signed) => crypto.subtle.verify(params, web.get(spki)!, raw, message)
  const byNode = ({ der, message, spki }: Signed) =>
    new Promise<boolean>((answer, fail) =>
      nodeVerify("sha256", message, node.get(spki)!, der, (error, holds) =>
        error === null ? answer(holds) : fail(error)
      )
    )
  return { web: () => allHold(all, byWeb), node: () => allHold(all, byNode) }
}
