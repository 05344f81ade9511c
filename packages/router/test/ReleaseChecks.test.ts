/** Rows that are served only where a signed statement says so: forged, old and unsigned ones, and what looking costs. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import type { Pointer } from "@pawl/core/model/Pointer"
import { preAuthentication } from "@pawl/core/provenance/Envelope"
import type { AppRequest } from "@pawl/core/app/AppRuntime"
import { type ReleaseProblem, releaseProblems } from "@pawl/core/provenance/ServedRelease"
import type { KnownKey } from "@pawl/core/provenance/KeyRules"
import { ReleaseTrust } from "@pawl/core/provenance/TrustedKeys"
import type { Counter } from "@pawl/core/telemetry/Meter"
import { make as makeMeters, Meters } from "@pawl/core/telemetry/Meters"
import { Effect, Layer, Logger, ManagedRuntime } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { PointerCache } from "../src/PointerCache.ts"
import { ReleaseStatement } from "../src/ReleaseStatement.ts"
import { Router } from "../src/Router.ts"
import { appsDomain, Controls, pointer, project, storeSite, text, worldLayer } from "./World.ts"

const second = "c".repeat(40)

interface Key {
  readonly keyid: string
  readonly spki: string
  readonly privateKey: KeyObject
}

const newKey = (): Key => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const spki = publicKey.export({ type: "spki", format: "der" })
  const keyid = `SHA256:${createHash("sha256").update(spki).digest("base64").replace(/=+$/, "")}`
  return { keyid, spki: spki.toString("base64"), privateKey }
}

const key = newKey()
const stranger = newKey()

const trusted = (one: Key, fields: Partial<KnownKey> = {}): KnownKey => ({
  keyid: one.keyid,
  spki: one.spki,
  algorithm: "ecdsa-p256-sha256",
  use: "statement",
  ended: null,
  ...fields
})

interface Stated {
  readonly entry?: number
  readonly epoch?: number
  readonly mayRestore?: string | null
  readonly by?: Key
  readonly predicate?: object
  readonly type?: string
  readonly digest?: string
}

/** The envelope that a row carries: made here, by no code of the product but DSSE's bytes. */
const envelopeFor = (row: Pointer, stated: Stated = {}): string => {
  const { by = key, digest = row.bundleDigest, entry = 5, epoch = 1, mayRestore = null, type = "release" } = stated
  const { channel, generation, incarnation, label, projectId } = row
  const payload = Buffer.from(
    JSON.stringify({
      _type: "https://in-toto.io/Statement/v1",
      subject: [{ name: "bundle.json", digest: { sha256: digest } }],
      predicateType: `urn:pawl:attestation:${type}:v1`,
      predicate: {
        project: projectId,
        epoch,
        entry,
        previous: null,
        at: "2026-01-01T00:00:00.000Z",
        generation,
        channel,
        incarnation,
        label,
        source: "build",
        mayRestore: mayRestore === null ? null : { sha256: mayRestore },
        ...stated.predicate
      }
    })
  )
  return JSON.stringify({
    payloadType: "application/vnd.in-toto+json",
    payload: payload.toString("base64"),
    signatures: [{ keyid: by.keyid, sig: sign("sha256", preAuthentication(payload), by.privateKey).toString("base64") }]
  })
}

const stated = (row: Pointer, said: Stated = {}): Pointer => ({
  ...row,
  provenance: { entry: said.entry ?? 5, epoch: said.epoch ?? 1, envelope: envelopeFor(row, said) }
})

const altered = (row: Pointer, change: (envelope: Record<string, unknown>) => void): Pointer => {
  const envelope = JSON.parse(row.provenance?.envelope ?? "")
  change(envelope)
  return { ...row, provenance: { ...row.provenance!, envelope: JSON.stringify(envelope) } }
}

const open: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

/** A router that believes one key. */
const makeWorld = async (
  mode: "off" | "warn" | "enforce",
  keyOf: (keyid: string) => KnownKey | null = known,
  state: () => object = () => known
) => {
  const told: Array<readonly [verdict: string, authorization: string | undefined]> = []
  const statement = Layer.succeed(ReleaseStatement, {
    of: (row, verdict, authorization) =>
      Effect.sync(() => {
        told.push([verdict, authorization])
        return row.channel === "production" ? JSON.stringify({ verdict }) : null
      })
  })
  const controls = new Controls()
  const logs: Array<string> = []
  const asked: Array<string> = []
  const meters = makeMeters()
  const logger = Logger.make(({ message }) => void logs.push(String(message)))
  const trust = Layer.succeed(ReleaseTrust, {
    mode,
    keyOf: (keyid) => Effect.sync(() => (asked.push(keyid), keyOf(keyid))),
    state: () => Effect.succeed(state())
  })
  const layer = worldLayer(controls).pipe(
    Layer.provideMerge(Layer.mergeAll(trust, statement, Layer.succeed(Meters, meters), Logger.layer([logger])))
  )
  const runtime = ManagedRuntime.make(layer)
  open.push(() => runtime.dispose())
  const stored = await runtime.runPromise(storeSite({ files: { "a.txt": "file" } }))
  const row = pointer(stored)
  const other = pointer(await runtime.runPromise(storeSite({ of: second, files: { "a.txt": "another" } })), {
    commit: second
  })
  controls.objectReads = 0
  const ask = async (next?: Pointer, path = "/a.txt", { headers = [], method = "GET" }: Partial<AppRequest> = {}) => {
    if (next !== undefined) {
      controls.rows = [next]
      await runtime.runPromise(Effect.flatMap(PointerCache, (cache) => cache.invalidateAll))
    }
    const response = await runtime.runPromise(
      Effect.flatMap(Router, (router) =>
        router.handle({
          method,
          headers,
          body: null,
          host: `shop.${appsDomain}`,
          remoteAddress: "192.0.2.7",
          secure: false,
          url: `http://ignored${path}`
        })
      )
    )
    return { status: response.status, text: await text(response.body) }
  }
  const refusals = () => meters.provenanceRefusals
  return { controls, logs, asked, told, row, other, ask, refusals, runtime }
}

const known = (keyid: string) => (keyid === key.keyid ? trusted(key) : null)

const countOf = (counter: Counter): number => counter.samples().reduce((sum, { value }) => sum + value, 0)

describe("A router that enforces statements", () => {
  it("serves what a signed statement names, and asks for nothing more: one key for a cold row, none for a warm one", async () => {
    const world = await makeWorld("enforce")
    const row = stated(world.row)
    expect(await world.ask(row)).toEqual({ status: 200, text: "file" })
    const reads = [world.controls.lookups, world.controls.objectReads, world.asked.length]
    expect(reads).toEqual([1, 2, 1])
    for (let n = 0; n < 5; n++) expect((await world.ask()).status).toBe(200)
    expect([world.controls.lookups, world.controls.objectReads, world.asked.length]).toEqual(reads)
    const without = await makeWorld("off")
    await without.ask(without.row)
    expect([without.controls.lookups, without.controls.objectReads]).toEqual(reads.slice(0, 2))
  })

  it("answers 503 to forged rows, each by its name, logged once", async () => {
    const world = await makeWorld("enforce")
    const { row } = world
    const good = stated(row)
    const forged: ReadonlyArray<readonly [ReleaseProblem, Pointer]> = [
      ["live_unstated", row],
      ["statement_unsigned", { ...good, provenance: { ...good.provenance!, envelope: null } }],
      ["live_mismatch", { ...good, bundleKey: world.other.bundleKey, bundleDigest: world.other.bundleDigest }],
      ["key_unknown", stated(row, { by: stranger })],
      [
        "signature_invalid",
        altered(good, (envelope) => (envelope["signatures"] = [{ keyid: key.keyid, sig: "MEUC" }]))
      ],
      [
        "signature_invalid",
        altered(good, (envelope) => {
          const forgery = JSON.parse(envelopeFor(row, { by: stranger }))
          envelope["payload"] = forgery.payload
          envelope["signatures"] = [{ keyid: key.keyid, sig: forgery.signatures[0].sig }]
        })
      ],
      ["signature_missing", altered(good, (envelope) => (envelope["signatures"] = []))],
      ["envelope_type", altered(good, (envelope) => (envelope["payloadType"] = "text/plain"))],
      ["statement_unreadable", { ...good, provenance: { ...good.provenance!, envelope: "{" } }],
      ["type_unknown", stated(row, { type: "promotion" })],
      ["project_mismatch", stated(row, { predicate: { project: project.replace("abc", "def") } })],
      ["release_other_place", stated(row, { predicate: { channel: "preview:0a1b2c3d" } })],
      ["release_other_place", stated(row, { predicate: { incarnation: 2 } })],
      ["release_other_place", stated(row, { predicate: { label: "another" } })],
      ["live_mismatch", stated(row, { predicate: { generation: 7 } })]
    ]
    for (const [problem, bad] of forged) {
      const told = world.logs.length
      const answer = await world.ask(bad)
      expect([problem, answer.status]).toEqual([problem, 503])
      expect(answer.text).toContain("This app is not verified")
      await world.ask()
      expect(world.logs.length - told).toBeLessThanOrEqual(1)
      const { text: said } = await world.ask(undefined, "/__service/provenance.json")
      expect(said).not.toContain(key.keyid)
    }
    expect(world.controls.objectReads).toBe(0)
    // The same row again is served as ever.
    expect((await world.ask(good)).status).toBe(200)
    expect(Object.keys(releaseProblems)).toEqual(expect.arrayContaining(forged.map(([problem]) => problem)))
  })

  it("refuses what is older than it has served, but for what that names to go back to", async () => {
    const world = await makeWorld("enforce")
    const old = stated(world.other, { entry: 5 })
    expect((await world.ask(old)).status).toBe(200)
    const newer = stated(world.row, { entry: 9 })
    expect((await world.ask(newer)).status).toBe(200)
    expect((await world.ask(old)).status).toBe(503)
    expect((await world.ask({ ...old })).status).toBe(503)
    const next = stated(world.row, { entry: 12, mayRestore: world.other.bundleDigest })
    expect((await world.ask(next)).status).toBe(200)
    expect(await world.ask({ ...old })).toEqual({ status: 200, text: "another" })
    expect((await world.ask(stated(world.row, { entry: 11 }))).status).toBe(503)
    // A later epoch is later, whatever its entries.
    expect((await world.ask(stated(world.row, { entry: 2, epoch: 2 }))).status).toBe(200)
    expect((await world.ask(next)).status).toBe(503)
  })

  it("says on the host what it serves and what it makes of it, also of what it refuses, and asks nobody else who they are", async () => {
    const path = "/__service/provenance.json"
    const world = await makeWorld("enforce")
    const headers = [["authorization", "Bearer pawl_x"]] as const
    expect((await world.ask(stated(world.row), "/a.txt", { headers })).status).toBe(200)
    expect(world.told).toEqual([])
    expect(await world.ask(undefined, path)).toEqual({ status: 200, text: '{"verdict":"verified"}' })
    await world.ask(undefined, path, { headers })
    expect(await world.ask(stated(world.row, { by: stranger }), path)).toEqual({
      status: 200,
      text: '{"verdict":"key_unknown"}'
    })
    expect(world.told).toEqual([
      ["verified", undefined],
      ["verified", "Bearer pawl_x"],
      ["key_unknown", undefined]
    ])
    expect((await world.ask(undefined, path, { method: "POST" })).status).toBe(404)
    expect((await world.ask(undefined, "/__service/other")).status).toBe(404)
    const warning = await makeWorld("warn")
    expect((await warning.ask(warning.row)).status).toBe(200)
    expect((await warning.ask(undefined, path)).text).toBe('{"verdict":"live_unstated"}')
  })

  it("believes a retired key up to the heads that retired it, and a stolen one no further", async () => {
    const heads = { [project]: 6 }
    const world = await makeWorld("enforce", (keyid) =>
      keyid === key.keyid ? trusted(key, { ended: { revoked: false, heads } }) : null
    )
    expect((await world.ask(stated(world.row, { entry: 5 }))).status).toBe(200)
    expect((await world.ask(stated(world.row, { entry: 6 }))).status).toBe(503)
    const log = await makeWorld("enforce", () => trusted(key, { use: "log" }))
    expect((await log.ask(stated(log.row))).status).toBe(503)
  })

  it("looks at a row again when the keys are others: what a stolen key signed is served no more, and hides nothing older", async () => {
    let keys = [trusted(key)]
    const world = await makeWorld(
      "enforce",
      () => keys[0]!,
      () => keys
    )
    const row = stated(world.row, { entry: 5 })
    expect((await world.ask(row)).status).toBe(200)
    expect(await world.ask(stated(world.other, { entry: 99 }))).toEqual({ status: 200, text: "another" })
    expect((await world.ask(row)).status).toBe(503)
    expect((await world.ask(stated(world.other, { entry: 100 }))).status).toBe(200)
    keys = [trusted(key, { ended: { revoked: true, heads: { [project]: 6 } } })]
    // The very row that was found good is read no more than before.
    expect((await world.ask()).status).toBe(503)
    expect(await world.ask(row)).toEqual({ status: 200, text: "file" })
  })

  it("leaves previews alone", async () => {
    const world = await makeWorld("enforce")
    world.controls.rows = [{ ...world.row, channel: "preview:0a1b2c3d" }]
    const response = await world.runtime.runPromise(
      Effect.flatMap(Router, (router) => router.ask("shop", "preview:0a1b2c3d", "/a.txt"))
    )
    expect(response.status).toBe(200)
  })
})

describe("A router that warns", () => {
  it("serves all the same, and says it once of a row, however often that is read", async () => {
    const world = await makeWorld("warn")
    for (let n = 0; n < 3; n++) expect((await world.ask({ ...world.row })).status).toBe(200)
    expect(world.logs).toEqual(["a row is served that is not verified"])
    expect(countOf(world.refusals())).toBe(1)
  })

  it("says nothing of what is still to be signed", async () => {
    const world = await makeWorld("warn")
    const fresh = { ...world.row, updatedAt: new Date().toISOString() }
    await world.ask({ ...fresh, provenance: { entry: 5, epoch: 1, envelope: null } })
    expect(world.logs).toEqual([])
    await world.ask({ ...world.row, provenance: { entry: 5, epoch: 1, envelope: null } })
    expect(world.logs.length).toBe(1)
  })
})
