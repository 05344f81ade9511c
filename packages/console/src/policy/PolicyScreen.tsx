/** `/p/:label/settings`: what people must decide here, field by field, and as JSON beside. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { asRefusal } from "../api/Refusal.ts"
import { policyKey, usePolicy } from "../project/ProjectQueries.ts"
import { useProjectHere } from "../project/Here.ts"
import { useWhyNot } from "../project/May.ts"
import { SettingsScreen } from "../settings/SettingsScreen.tsx"
import { announce } from "../shell/Announcements.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Problem } from "../ui/Problem.tsx"
import { Time } from "../ui/Time.tsx"
import { ApprovalFields } from "./ApprovalFields.tsx"
import { AgentFields } from "./AgentFields.tsx"
import { BacktestCard } from "./BacktestCard.tsx"
import { CheckFields } from "./CheckFields.tsx"
import { FreezeFields, LaneFields } from "./LaneFields.tsx"
import { PackageFields } from "./PackageFields.tsx"
import { PolicyConflict } from "./PolicyConflict.tsx"
import { changedFields, fieldsOf, fieldWords, type Policy, type PolicyFields } from "./PolicyDraft.ts"
import { PolicyJson } from "./PolicyJson.tsx"
import "./policy.css"

/** What somebody changes, and which version of it they saw. */
interface Draft {
  readonly base: Policy
  readonly mine: PolicyFields
}

const useSaving = (projectId: string, onSaved: () => void) => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ base, mine }: Draft) =>
      api.policies.put({ params: { id: projectId }, payload: { ...mine, expectedVersion: base.version } }),
    onSuccess: ({ policy }) => {
      client.setQueryData(policyKey(projectId), policy)
      void client.invalidateQueries({ queryKey: keys.project(projectId) })
      announce(`Version ${policy.version} of the Policy is in force`)
      onSaved()
    },
    onError: (thrown) => {
      if (asRefusal(thrown).code === "stale") void client.invalidateQueries({ queryKey: policyKey(projectId) })
    }
  })
}

const SaveBar = ({
  changed,
  discard,
  isBusy,
  next,
  save,
  why
}: {
  readonly changed: ReadonlyArray<string>
  readonly next: number
  readonly isBusy: boolean
  readonly why: string | null
  readonly save: () => void
  readonly discard: () => void
}): ReactNode => (
  <div className="policy-save">
    <p>
      <strong>Not saved:</strong> {changed.join(", ")}
    </p>
    <div className="row">
      <Button onClick={discard}>Discard</Button>
      <Button look="primary" busy={isBusy} why={why} onClick={save}>
        Save as version {next}
      </Button>
    </div>
  </div>
)

const Form = ({ policy }: { readonly policy: Policy }): ReactNode => {
  const { id } = useProjectHere()
  const why = useWhyNot("policies.put")
  const [draft, setDraft] = useState<Draft | null>(null)
  const saving = useSaving(id, () => setDraft(null))
  const base = draft?.base ?? policy
  const fields = draft?.mine ?? fieldsOf(policy)
  const changed = changedFields(fieldsOf(base), fields)
  const replace = (mine: PolicyFields) => setDraft({ base, mine })
  const set = (some: Partial<PolicyFields>) => replace({ ...fields, ...some })
  const settle = (next: Draft | null) => {
    saving.reset()
    setDraft(next)
  }
  const refusal = saving.error === null ? null : asRefusal(saving.error)
  const ignored = saving.data?.ignored ?? []
  const isStale = refusal?.code === "stale" && draft !== null
  return (
    <>
      {isStale && policy.version !== base.version ? (
        <PolicyConflict
          base={base}
          mine={fields}
          theirs={policy}
          keep={(mine) => settle({ base: policy, mine })}
          drop={() => settle(null)}
        />
      ) : null}
      {ignored.length === 0 ? null : (
        <Notice tone="warn" icon="warn">
          Saved without what nobody knows: {ignored.join(", ")}. It is no rule.
        </Notice>
      )}
      {refusal === null || isStale ? null : <Problem of={refusal} />}
      <div className="policy">
        <div className="stack">
          <ApprovalFields fields={fields} set={set} />
          <CheckFields fields={fields} set={set} />
          <AgentFields fields={fields} set={set} />
          <PackageFields fields={fields} set={set} />
          <LaneFields fields={fields} set={set} />
          <FreezeFields fields={fields} set={set} />
        </div>
        <PolicyJson fields={fields} replace={replace} />
      </div>
      {changed.length === 0 || isStale ? null : (
        <>
          <BacktestCard fields={fields} />
          <SaveBar
            changed={changed.map((name) => fieldWords[name])}
            next={base.version + 1}
            isBusy={saving.isPending}
            why={why}
            save={() => saving.mutate({ base, mine: fields })}
            discard={() => settle(null)}
          />
        </>
      )}
    </>
  )
}

/** The Policy of the Project. */
export default function PolicyScreen(): ReactNode {
  const { id } = useProjectHere()
  const query = usePolicy(id)
  return (
    <SettingsScreen
      title="Policy"
      lead={
        query.data === undefined ? (
          "What people must decide."
        ) : (
          <>
            What people must decide. Version {query.data.version}, of <Time at={query.data.updatedAt} />. Each save is
            the next version; Candidates planned under an older one are asked for again.
          </>
        )
      }
    >
      <Answered query={query}>{(policy) => <Form policy={policy} />}</Answered>
    </SettingsScreen>
  )
}
