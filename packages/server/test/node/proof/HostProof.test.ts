/** What the host of an app says of itself, as it is and with each thing in it altered. */
import { canonicalJson, utf8 } from "@pawl/core/primitives/Digest"
import type { Finding } from "@pawl/core/proof/Findings"
import { HostPage, type HostQuestion, verifyHost } from "@pawl/core/proof/HostProof"
import { leafHash } from "@pawl/core/provenance/Edge"
import { inclusionProof, tlogProof } from "@pawl/core/provenance/Merkle"
import { summaryOf } from "@pawl/core/provenance/Summary"
import { newLogKey, newStatementKey, sealed, signedNote } from "@pawl/testing/provenance/SceneKeys"
import type { Scene } from "@pawl/testing/provenance/Scenes"
import { entryOf, rewrite, statementOf } from "@pawl/testing/provenance/Thieves"
import { copyOfPack } from "@pawl/testing/provenance/Packs"
import { Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { nodeEngine } from "../../../src/node/proof/NodeEngine.ts"
import { sceneOf } from "./PackScenes.ts"

const payloadOf = (line: string): string => Buffer.from(JSON.parse(line).payload, "base64").toString()

/** The page of a host that serves what the pack says is live, in the log of so many entries. */
const pageOf = (
  { commits, pack, project, second }: Scene,
  generation = pack.live.generation ?? 0,
  entry = entryOf(pack, generation, "release"),
  checkpoint = pack.checkpoint
): HostPage => {
  const size = Number(checkpoint.split("\n")[1])
  const release = statementOf(pack.statements[entry]!)
  const promotion = pack.statements[entryOf(pack, generation)]!
  const leaves = pack.statements.slice(0, size).map((line) => leafHash(utf8(payloadOf(line))))
  const places = { policy: "urn:policy", statement: "urn:statement", repository: "https://pawl.example/shop.git" }
  const facts = { origin: "https://pawl.example", version: "1", allowSelfApproval: false, placesOf: () => places }
  const summary = summaryOf({ digest: "d".repeat(64), payload: payloadOf(promotion) }, facts)!
  return {
    project,
    channel: "production",
    incarnation: Number(release.get("predicate.incarnation")),
    generation,
    commit: commits[generation]!.commit,
    bundle: { sha256: release.text("subject.0.digest.sha256") },
    verdict: "verified",
    statement: JSON.parse(pack.statements[entry]!),
    checkpoint,
    proof: tlogProof(entry, inclusionProof(leaves, entry), checkpoint),
    summary: JSON.parse(sealed(second, summary)),
    keys: {
      history: pack.keys.map((line) =>
        statementOf(line).text("predicateType").includes(":approver:")
          ? { leaf: Buffer.from(leafHash(utf8(payloadOf(line)))).toString("base64") }
          : JSON.parse(line)
      ),
      checkpoint: pack.keysCheckpoint ?? null
    }
  }
}

const verified = (scene: Scene, page: HostPage, more: Partial<HostQuestion> = {}) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        return yield* verifyHost(page, {
          hostname: "shop.apps.example",
          trust: { keys: [scene.first.keyid], project: page.project, origin: scene.origin, logKey: null, origins: [] },
          seen: [],
          release: null,
          engine: yield* nodeEngine,
          ...more
        })
      })
    )
  )

const codes = ({ findings }: { readonly findings: ReadonlyArray<Finding> }) => [
  ...new Set(findings.map(({ code }) => code))
]

/** The paths of all that is no object. */
const pathsIn = (value: unknown, at: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, each]) => pathsIn(each, [...at, key]))
    : [at]

const otherThan = (value: unknown): unknown => {
  if (typeof value !== "string") return Number(value) + 1
  const middle = Math.floor(value.length / 2)
  return `${value.slice(0, middle)}${value[middle] === "A" ? "B" : "A"}${value.slice(middle + 1)}`
}

/** A copy in which one thing is another one, or null. */
const altered = (page: HostPage, path: ReadonlyArray<string>, change: (value: unknown) => unknown): unknown => {
  const copy: unknown = structuredClone(page)
  let at = copy as Record<string, unknown>
  for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>
  const last = path.at(-1) ?? ""
  at[last] = change(at[last])
  return copy
}

describe("the page of a host", () => {
  it("is good as it is, by the first key alone, and says what is served", async () => {
    const scene = await sceneOf("good")
    const page = pageOf(scene)
    const said = await verified(scene, page)
    expect(said).toMatchObject({
      findings: [],
      missing: [],
      keyid: scene.second.keyid,
      firstKey: scene.first.keyid,
      checkpoint: scene.pack.statements.length,
      isSummed: true
    })
    expect(JSON.stringify(page.keys)).not.toMatch(/approver|credential/)
    const kept = { seen: [scene.pack.checkpoint, scene.pack.keysCheckpoint!], release: said.release }
    expect(await verified(scene, page, kept)).toEqual(said)
  })

  it("is found out whatever in it is altered, or taken away", async () => {
    const scene = await sceneOf("good")
    const page = pageOf(scene)
    const passed: Array<string> = []
    const paths = pathsIn(page).filter((path) => path.join() !== "verdict")
    expect(paths.length).toBeGreaterThan(25)
    for (const path of paths)
      for (const change of [otherThan, () => null]) {
        const copy = altered(page, path, change)
        // What has not the shape of a page is none.
        if (!Schema.is(HostPage)(copy)) continue
        const { findings, isSummed, missing } = await verified(scene, copy)
        if (findings.length === 0 && missing.length === 0 && isSummed) passed.push(`${path.join(".")}`)
      }
    expect(passed).toEqual([])
  })

  const key = newStatementKey()
  it.each<[what: string, code: string, page: (scene: Scene, page: HostPage) => HostPage, more?: Partial<HostQuestion>]>(
    [
      ["another bundle", "live_mismatch", (_, page) => ({ ...page, bundle: { sha256: "e".repeat(64) } })],
      ["another generation", "live_mismatch", (_, page) => ({ ...page, generation: 1 })],
      ["another commit", "live_mismatch", ({ commits }, page) => ({ ...page, commit: commits[1]!.commit })],
      ["another incarnation", "release_other_place", (_, page) => ({ ...page, incarnation: 99 })],
      ["another host", "release_other_place", (_, page) => page, { hostname: "other.apps.example" }],
      ["no statement", "live_unstated", (_, page) => ({ ...page, statement: null })],
      ["another Project", "project_mismatch", (_, page) => ({ ...page, project: "proj_other" })],
      [
        "a statement that a stranger signed",
        "key_unknown",
        (_, page) => ({
          ...page,
          statement: JSON.parse(sealed(key, Buffer.from(page.statement!.payload, "base64").toString()))
        })
      ],
      [
        "a statement under a known id",
        "signature_invalid",
        ({ second }, page) => ({
          ...page,
          statement: JSON.parse(sealed(key, Buffer.from(page.statement!.payload, "base64").toString(), second.keyid))
        })
      ],
      [
        "a release that a retired key signed",
        "key_retired",
        ({ first }, page) => ({
          ...page,
          statement: JSON.parse(sealed(first, Buffer.from(page.statement!.payload, "base64").toString()))
        })
      ],
      [
        "a promotion in the place of the release",
        "type_unknown",
        ({ pack }, page) => ({ ...page, statement: JSON.parse(pack.statements[entryOf(pack, page.generation ?? 0)]!) })
      ],
      [
        "a checkpoint of another log's key",
        "checkpoint_signature",
        ({ origin }, page) => {
          const [, size, root = ""] = page.checkpoint!.split("\n")
          const checkpoint = signedNote(newLogKey(), origin, Number(size), Buffer.from(root, "base64"))
          return { ...page, checkpoint, proof: page.proof!.replace(page.checkpoint!, checkpoint) }
        }
      ],
      [
        "a history of keys that was cut off",
        "statements_missing",
        (_, page) => ({ ...page, keys: { ...page.keys!, history: page.keys!.history.slice(0, -1) } })
      ],
      ["a verdict of its router", "release_superseded", (_, page) => ({ ...page, verdict: "release_superseded" })]
    ]
  )("with %s is %s", async (_, code, change, more) => {
    const scene = await sceneOf("good")
    expect(codes(await verified(scene, change(scene, pageOf(scene)), more))).toContain(code)
  })

  it("is not believed by a key that is not trusted", async () => {
    const scene = await sceneOf("good")
    const trust = { keys: [key.keyid], project: scene.project, origin: scene.origin, logKey: null, origins: [] }
    expect(codes(await verified(scene, pageOf(scene), { trust }))).toContain("key_not_trusted")
  })

  it("of an older release is release_superseded to who has seen the newer one, unless that lets it be served again", async () => {
    const scene = await sceneOf("good")
    const now = (await verified(scene, pageOf(scene))).release!
    const older = pageOf(scene, 1)
    expect(codes(await verified(scene, older))).toEqual([])
    expect(codes(await verified(scene, older, { release: now }))).toEqual(["release_superseded"])
    const release = { ...now, mayRestore: older.bundle.sha256 }
    expect(codes(await verified(scene, older, { release }))).toEqual([])
  })

  it("of a log that was written anew is history_rewritten to who has seen it at that size", async () => {
    const scene = await sceneOf("good")
    const pack = copyOfPack(scene.pack)
    rewrite(scene, pack, (all) => all[3]!.set("predicate.at", all[2]!.text("predicate.at")))
    const page = pageOf({ ...scene, pack })
    expect(codes(await verified(scene, page))).toEqual([])
    expect(codes(await verified(scene, page, { seen: [scene.pack.checkpoint] }))).toEqual(["history_rewritten"])
  })

  it("shows nothing without keys, checkpoint and proof: what is missing is named", async () => {
    const scene = await sceneOf("good")
    const page = pageOf(scene)
    const told = await verified(scene, { ...page, checkpoint: null, keys: null, proof: null })
    expect([told.findings, told.missing.length]).toEqual([[], 2])
    expect((await verified(scene, { ...page, proof: null })).missing).toEqual([
      "the proof that the log has this release"
    ])
    expect(canonicalJson((await verified(scene, { ...page, summary: null })).missing)).toBe("[]")
  })
})
