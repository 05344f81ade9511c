/** Packs as folders, and both programs that verify them. */
import { spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { verify } from "@pawl/core/proof/Proofs"
import { copyOfPack, writePack } from "@pawl/testing/provenance/Packs"
import { makeScene, type Scene } from "@pawl/testing/provenance/Scenes"
import type { Tampering } from "@pawl/testing/provenance/Tampering"
import { Effect, Schema } from "effect"
import { readPack } from "../../../src/node/proof/PackFolder.ts"
import { nodeEngine } from "../../../src/node/proof/NodeEngine.ts"

const root = mkdtempSync(join(tmpdir(), "pawl-packs-"))
process.once("exit", () => rmSync(root, { recursive: true, force: true }))

/** The other program. */
export const script = join(import.meta.dirname, "../../../../../tools/verify.py")

/** The Projects that packs are of. */
export type SceneName = "good" | "adopted" | "restored"

const options = {
  good: {},
  adopted: { generations: 12, adoptedTo: 6 },
  restored: { generations: 12, restoredAfter: 8 }
}

const made = new Map<SceneName, Promise<Scene>>()

const repositoryOf = (name: SceneName): string => join(root, `${name}.git`)

/** A Project, made once. */
export const sceneOf = (name: SceneName): Promise<Scene> => {
  const known = made.get(name) ?? makeScene({ repository: repositoryOf(name), ...options[name] })
  made.set(name, known)
  return known
}

let folders = 0

/** A folder of the pack, as somebody has tampered with it. */
export const packFolder = async (
  name: SceneName,
  tampering?: Pick<Tampering, "change" | "folder">
): Promise<string> => {
  const scene = await sceneOf(name)
  const folder = join(root, String(folders++))
  mkdirSync(folder)
  const pack = copyOfPack(scene.pack)
  await tampering?.change?.(pack, scene)
  writePack(folder, pack)
  cpSync(repositoryOf(name), join(folder, "repo.git"), { recursive: true })
  tampering?.folder?.(folder, scene)
  return folder
}

/** What each finding says, without its words, in an order that does not matter. */
const named = (findings: ReadonlyArray<{ readonly code: string; readonly where: string }>): ReadonlyArray<string> =>
  [...new Set(findings.map(({ code, where }) => `${code} at ${where}`))].sort()

/** What the product finds. */
export const found = (folder: string): Promise<ReadonlyArray<string>> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const { material, trust } = yield* readPack(folder)
      return named((yield* verify(material, trust, { engine: yield* nodeEngine })).findings)
    }).pipe(
      Effect.catchTag("MaterialUnreadable", ({ part }) => Effect.succeed([`pack_unreadable at ${part}`])),
      Effect.scoped
    )
  )

const Report = Schema.fromJsonString(
  Schema.Struct({ findings: Schema.Array(Schema.Struct({ code: Schema.String, where: Schema.String })) })
)

/** What `tools/verify.py` finds, its exit code, and what it printed on standard error. */
export const foundByPython = (folder: string) =>
  new Promise<{ readonly findings: ReadonlyArray<string>; readonly exitCode: number | null; readonly problem: string }>(
    (resolve, reject) => {
      const python = spawn("python3", [script, folder, "--json"], { stdio: ["ignore", "pipe", "pipe"] })
      let [out, problem] = ["", ""]
      python.stdout.on("data", (chunk) => void (out += chunk))
      python.stderr.on("data", (chunk) => void (problem += chunk))
      python.on("error", reject)
      python.on("close", (exitCode) => {
        try {
          resolve({ findings: named(Schema.decodeUnknownSync(Report)(out).findings), exitCode, problem })
        } catch {
          resolve({ findings: [], exitCode, problem })
        }
      })
    }
  )

/** Ends a folder that was made here. */
export const endFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true })
