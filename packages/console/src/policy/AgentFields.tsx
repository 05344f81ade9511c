/** Whether Tasks may be worked outside, by agents that people bring. */
import type { ReactNode } from "react"
import { Card } from "../ui/Card.tsx"
import { SelectField } from "../ui/Field.tsx"
import type { Editing } from "./Parts.tsx"
import type { PolicyFields } from "./PolicyDraft.ts"

/** Who works the Tasks of this Project. */
export const AgentFields = ({ fields, set }: Editing): ReactNode => (
  <Card title="Agents">
    <SelectField
      label="Agents that people bring"
      value={fields.outsideAgents ?? "also"}
      onChange={({ target }) => set({ outsideAgents: target.value as NonNullable<PolicyFields["outsideAgents"]> })}
    >
      <option value="also">may claim ready Tasks, beside the agent that is built in</option>
      <option value="only">work all Tasks: the agent that is built in takes none</option>
      <option value="never">take none</option>
    </SelectField>
  </Card>
)
