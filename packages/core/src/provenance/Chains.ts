/** A Project's chain in decisions: read beside what they rely on, and made longer by the commit that they come to. */
import type { Chain } from "../model/Chain.ts"
import { aboutOf, type Statement, type StatementKind } from "../model/Statement.ts"
import { Effect } from "effect"
import * as Commit from "../ledger/Commit.ts"
import { find } from "../ledger/Decision.ts"
import * as Draft from "../ledger/Draft.ts"
import { Records } from "../ledger/Records.ts"
import type { ProjectId } from "../primitives/Ids.ts"
import { append, emptyChain, type Fact, following, signing } from "./Statements.ts"

/** A chain as it was read; null for a Project that is older than statements, until it is adopted. */
export type ReadChain = Commit.Stored<Chain> | null

/** The chain of a Project. */
export const chainOf = (projectId: string) => find("chain", projectId)

/**
 * Says a fact in the chain of the draft's Project. Of one that is not adopted yet nothing is said: adopting it covers
 * what this commit does, for there must be no chain then either. The fact is only made where it is said.
 */
export const say = <K extends StatementKind>(
  draft: Draft.Draft,
  chain: ReadChain,
  fact: () => Fact<K>
): Statement | undefined => {
  if (chain !== null) return append(draft, chain, fact())[0]
  Draft.expect(draft, Commit.absent("chain", draft.projectId))
  return undefined
}

/** Begins the chain of a new Project with its first fact. */
export const begin = <K extends StatementKind>(draft: Draft.Draft, projectId: ProjectId, fact: Fact<K>): void => {
  const { chain, statement } = following(emptyChain(projectId, draft.now), fact, draft.now)
  Draft.insert(draft, "statement", statement)
  Draft.insert(draft, "chain", chain)
  Draft.send(draft, signing(projectId))
}

/** The newest statement of a kind about a generation; null for none. */
export const newestAbout = Effect.fnUntraced(function* (projectId: string, kind: StatementKind, generation: number) {
  const about = aboutOf(projectId, kind, generation)
  const page = yield* (yield* Records).list("statement", { where: { about }, order: "newest", limit: 1 })
  return page.items[0] ?? null
})

/** The digest of the newest release statement of a generation; null for none. */
export const releaseDigest = (projectId: string, generation: number) =>
  Effect.map(newestAbout(projectId, "release", generation), (stored) => stored?.record.digest ?? null)
