/** Whether Tasks may be worked outside, by agents that people bring. */
import type { ReactNode } from "react"
import { Card } from "../ui/Card.tsx"
import { SelectField } from "../ui/Field.tsx"
import type { Editing } from "./Parts.tsx"

/** Who works the Tasks of this Project. */
export const AgentFields = ({ fields, set }: Editing): ReactNode => (
  <Card title="Agents">
    <SelectField
      label="Agents that people bring"
      value={String(fields.outsideAgents)}
      onChange={({ target: { value } }) => set({ outsideAgents: value === "only" ? value : value === "true" })}
    >
      <option value="true">may claim ready Tasks, beside the agent that is built in</option>
      <option value="only">work all Tasks: the agent that is built in takes none</option>
      <option value="false">take none</option>
    </SelectField>
  </Card>
)
