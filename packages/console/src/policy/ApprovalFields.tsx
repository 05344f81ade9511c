/** Who must say yes, and what goes out without anybody. */
import type { ReactNode } from "react"
import { Card } from "../ui/Card.tsx"
import { Choices } from "../ui/Choices.tsx"
import { SelectField } from "../ui/Field.tsx"
import { Check, type Editing, riskWords } from "./Parts.tsx"

const people = [1, 2, 3, 4, 5]

/** Approvals, and promotion without one. */
export const ApprovalFields = ({ fields, set }: Editing): ReactNode => (
  <Card title="Approvals">
    <div className="stack">
      <Choices
        label="A person must approve what is of risk"
        hint="Without a tick here, what is verified may be promoted at once."
        of={riskWords}
        chosen={fields.approvalRiskTiers}
        onChange={(approvalRiskTiers) =>
          set({
            approvalRiskTiers,
            ...(fields.approvalsSigned === undefined
              ? {}
              : { approvalsSigned: fields.approvalsSigned.filter((tier) => approvalRiskTiers.includes(tier)) })
          })
        }
      />
      <SelectField
        label="How many people must approve"
        value={fields.approvalsRequired ?? 1}
        onChange={({ target }) => set({ approvalsRequired: Number(target.value) })}
      >
        {people.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </SelectField>
      <Check checked={fields.allowSelfApproval} onChange={(allowSelfApproval) => set({ allowSelfApproval })}>
        Who opened the Change, or wrote what is in it, may approve it
      </Check>
      <Choices
        label="An approval counts only when a passkey signed it"
        hint="Of the risks that need one."
        of={riskWords.filter(([tier]) => fields.approvalRiskTiers.includes(tier))}
        chosen={fields.approvalsSigned ?? []}
        onChange={(approvalsSigned) => set({ approvalsSigned })}
      />
      <Choices
        label="Goes out by itself once it is verified"
        hint="What is of unknown risk never does. What needs an approval waits for it."
        of={riskWords.slice(0, 3)}
        chosen={fields.autoPromoteRiskTiers}
        onChange={(autoPromoteRiskTiers) => set({ autoPromoteRiskTiers })}
      />
    </div>
  </Card>
)
