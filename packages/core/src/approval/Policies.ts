/** A Project's Policy is versioned: each change is a new version, and older ones stay readable. */
import { Effect } from "effect"
import type { Actor } from "../access/Actor.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand } from "../ledger/Deciding.ts"
import * as Time from "../primitives/Time.ts"
import { defaultPolicy, type Policy, type PolicyFields } from "./Policy.ts"

/** Stores a Policy as version + 1; a field that is not given stays as it is. Candidates planned under an older version must be planned anew. */
export const change = (actor: Actor, projectId: string, fields: Partial<PolicyFields>) =>
  decideAndCommit(
    Effect.gen(function* () {
      const before = yield* demand("policy", projectId)
      const policy: Policy = {
        ...before.record,
        // The whole Policy is replaced: what is not sent is as it is in a new Project.
        ...defaultPolicy,
        ...fields,
        version: before.record.version + 1,
        updatedAt: yield* Time.now,
        updatedBy: actor.id
      }
      return {
        answer: policy,
        commit: {
          name: "Policies.change",
          projectId,
          writes: [Commit.update("policy", before, policy), Commit.insert("policyVersion", policy)]
        }
      }
    })
  ).pipe(Effect.withSpan("Policies.change"))
