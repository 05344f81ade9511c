/** A clone with `refs/pawl/statements`: statements, keys and checkpoint stand in that ref, sources in the clone itself. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Limits } from "@pawl/core/primitives/Limits"
import { exactText } from "@pawl/core/primitives/Utf8"
import { short } from "@pawl/core/primitives/ShortText"
import type { Line, Material } from "@pawl/core/proof/Material"
import { Effect, Stream } from "effect"
import { gitFiles, gitOnce, gitSource } from "./GitSource.ts"
import { oddFiles } from "./OddFiles.ts"
import { unreadable } from "./ProofFiles.ts"

const ref = "refs/pawl/statements"
const remoteMain = "refs/remotes/origin/main"

/** The origin of a log in its first epoch, by any of its checkpoints. */
export const originOf = (checkpoint: string): string => (checkpoint.split("\n", 1)[0] ?? "").replace(/\/\d+$/, "")

/** The folder of git's own files; null for a folder that is no repository. */
const gitFolder = (folder: string): string | null => {
  const inside = join(folder, ".git")
  const bare = existsSync(join(folder, "HEAD")) && existsSync(join(folder, "objects"))
  return existsSync(join(inside, "HEAD")) ? inside : bare ? folder : null
}

/** Whether a folder is a repository. */
export const isClone = (folder: string): boolean => gitFolder(folder) !== null

/** Reads a clone. Records and objects are not in it. Fails with `MaterialUnreadable` for one without statements. */
export const readClone = Effect.fnUntraced(function* (clone: string) {
  const folder = gitFolder(clone) ?? clone
  const odd = oddFiles(folder)
  if (odd.length > 0)
    return yield* unreadable("the repository", `no files, and git would wait for them: ${short(odd.join(" "))}`)
  const listed = gitOnce(folder, ["ls-tree", "-r", "-z", "--name-only", ref, "statements/"])
  const names = listed.stdout
    .toString()
    .split("\0")
    .filter((name) => name !== "")
    .sort()
  if (listed.status !== 0 || names.length === 0)
    return yield* unreadable(
      ref,
      "this clone has no statements: fetch them with git fetch origin refs/pawl/statements:refs/pawl/statements"
    )
  // A mirror has the server's own `main`; in a clone it is under the remote's name, and its own may be anywhere.
  const main = hasRef(folder, remoteMain) ? remoteMain : "refs/heads/main"
  const source = yield* gitSource({ folder, main })
  const read = yield* gitFiles(folder)
  const textAt = (path: string) =>
    Effect.map(read(`${ref}:${path}`), (bytes) => (bytes === null ? null : exactText(bytes)))
  const keys: ReadonlyArray<Line> = ((yield* textAt("keys.intoto.jsonl")) ?? "")
    .split("\n")
    .filter((line) => line !== "")
  const checkpoint = yield* textAt("checkpoint")
  const material: Material = {
    statements: Stream.mapEffect(Stream.grouped(Stream.fromIterable(names), Limits.envelopesPerBatch), (some) =>
      Effect.forEach(some, (name) => Effect.map(textAt(name), (text): Line => text?.trimEnd() ?? null))
    ),
    keys: Stream.succeed(keys),
    record: null,
    object: null,
    checkpoint,
    keysCheckpoint: yield* textAt("keys.checkpoint"),
    seen: [],
    live: [],
    source,
    heads: null
  }
  return { origin: originOf(checkpoint ?? ""), material, repository: { folder, main } }
})

const hasRef = (folder: string, name: string): boolean =>
  gitOnce(folder, ["rev-parse", "--verify", "--quiet", name]).status === 0
