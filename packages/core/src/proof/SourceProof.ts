/** The repository, beside the commits, trees and files that were stated. */
import { Effect } from "effect"
import type { Source } from "./Material.ts"
import type { Proof } from "./ProofState.ts"

/** Compares every stated commit with the repository, and `main` with the newest. */
export const checkSource = Effect.fnUntraced(function* (proof: Proof, source: Source) {
  const { findings } = proof
  const damaged = yield* source.damagedFiles
  if (damaged.length > 0) {
    findings.say("repo.git", "pack_unreadable", `damaged, or no files: ${damaged.join(" ")}`)
    return
  }
  const stated = [...proof.generations.values()]
  const found = yield* source.commits(stated.map(({ source: { gitCommit } }) => gitCommit))
  let whole = true
  for (const [index, { source: digest, where }] of stated.entries()) {
    const commit = found[index] ?? null
    if (commit === null) {
      findings.say(where, "commit_missing", digest.gitCommit)
      whole = false
    } else if (commit.tree !== digest.gitTree) findings.say(where, "commit_tree_mismatch", `its tree is ${commit.tree}`)
    else {
      const files = digest.dirHash ?? digest.dirHash1
      if (files !== undefined && (yield* commit.dirHash) !== files)
        findings.say(where, "source_mismatch", "its files are others")
    }
  }
  const head = proof.newest === null ? undefined : proof.generations.get(proof.newest)
  const main = yield* source.main
  if (head !== undefined && main !== head.source.gitCommit)
    findings.say("main", "main_mismatch", main ?? "there is no main")
  const damage = whole ? yield* source.damage : null
  if (damage !== null) findings.say("repo.git", "pack_unreadable", damage)
})
