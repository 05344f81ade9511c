/** The Policy as it is sent: what the form says stands here, and what is written here the form says. */
import { TextAreaField } from "../ui/Field.tsx"
import { type ReactNode, useState } from "react"
import { Card } from "../ui/Card.tsx"
import { changedFields, inWords, type PolicyFields } from "./PolicyDraft.ts"

const textOf = (fields: PolicyFields): string => JSON.stringify(fields, null, 2)

const read = (text: string): PolicyFields | null => {
  try {
    const value: unknown = JSON.parse(text)
    // What its fields hold is judged by the server, which names the one that will not do.
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as PolicyFields) : null
  } catch {
    return null
  }
}

/** What the form needs in any case, as in a new Project. */
const fieldsLeft: PolicyFields = {
  autoPromoteRiskTiers: [],
  approvalRiskTiers: ["high"],
  requiredChecks: [],
  allowSelfApproval: true,
  approvalsRequired: 1,
  waivedChecks: [],
  baseChecksMustPass: false,
  packages: {},
  outsideAgents: true
}

const whole = (text: string): PolicyFields | null => {
  const said = read(text)
  return said === null ? null : inWords({ ...fieldsLeft, ...said })
}

/** `replace` takes all fields at once. */
export const PolicyJson = ({
  fields,
  replace
}: {
  readonly fields: PolicyFields
  readonly replace: (fields: PolicyFields) => void
}): ReactNode => {
  const [typed, setTyped] = useState<string | null>(null)
  const said = typed === null ? null : whole(typed)
  const isBroken = typed !== null && said === null
  // What is typed stays as it is typed, until the form says otherwise.
  const isTyped = isBroken || (said !== null && changedFields(said, fields).length === 0)
  const text = typed !== null && isTyped ? typed : textOf(fields)
  return (
    <Card title="As JSON">
      <TextAreaField
        label="All fields, as the API takes them"
        rows={24}
        spellCheck={false}
        value={text}
        wrong={isBroken ? "This is no JSON object yet. The form has what it said last." : null}
        onChange={({ target }) => {
          setTyped(target.value)
          const next = whole(target.value)
          if (next !== null) replace(next)
        }}
      />
    </Card>
  )
}
