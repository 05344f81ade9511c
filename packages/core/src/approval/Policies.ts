/** A Project's Policy is versioned: each change is a new version, and older ones stay readable. */
import { Effect } from "effect"
import type { Actor } from "../access/Actor.ts"
import { buildCheck } from "../candidate/Planning.ts"
import * as Commit from "../ledger/Commit.ts"
import { decideAndCommit, demand } from "../ledger/Deciding.ts"
import { InvalidField } from "../ledger/Refusals.ts"
import * as Time from "../primitives/Time.ts"
import { demandActive, still } from "../project/Archived.ts"
import { defaultPolicy, type Policy, type PolicyFields } from "./Policy.ts"

/** A build cannot be waived: nobody may count on a waiver that has no effect. One whose date has passed is only over. */
const checkWaivers = (waivers: PolicyFields["waivedChecks"]): Effect.Effect<void, InvalidField> =>
  waivers.some(({ id }) => id === buildCheck.id)
    ? new InvalidField({
        code: "invalid_field",
        field: "waivedChecks",
        reason: `${buildCheck.id} cannot be waived: what does not build cannot be released`
      })
    : Effect.void

/** Stores a Policy as version + 1; a field that is not given is as in a new Project. Candidates planned under an older version must be planned anew. */
export const change = (actor: Actor, projectId: string, fields: Partial<PolicyFields>) =>
  decideAndCommit(
    Effect.gen(function* () {
      const project = yield* demandActive(projectId)
      yield* checkWaivers(fields.waivedChecks ?? [])
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
          expects: [still(project)],
          writes: [Commit.update("policy", before, policy), Commit.insert("policyVersion", policy)]
        }
      }
    })
  ).pipe(Effect.withSpan("Policies.change"))
