/** Parts of the form of a Policy. */
import { TextAreaField } from "../ui/Field.tsx"
import { type ReactNode, useState } from "react"
import { namesIn, type PolicyFields } from "./PolicyDraft.ts"

/** What each part of the form is given. `set` takes the fields that change. */
export interface Editing {
  readonly fields: PolicyFields
  readonly set: (changed: Partial<PolicyFields>) => void
}

/** The risks, weakest first, and what each means. */
export const riskWords = [
  ["low", "low"],
  ["medium", "medium"],
  ["high", "high"],
  ["unknown", "unknown"]
] as const

/** One answer of yes or no. */
export const Check = ({
  checked,
  children,
  onChange
}: {
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly children: ReactNode
}): ReactNode => (
  <label className="check">
    <input type="checkbox" checked={checked} onChange={({ target }) => onChange(target.checked)} />
    <span>{children}</span>
  </label>
)

/** Names, one a line. What is typed stays as it is typed; the names in it are what counts. */
export const NamesField = ({
  hint,
  label,
  names,
  onChange
}: {
  readonly label: string
  readonly hint: ReactNode
  readonly names: ReadonlyArray<string>
  readonly onChange: (names: ReadonlyArray<string>) => void
}): ReactNode => {
  const [typed, setTyped] = useState(names.join("\n"))
  const text = namesIn(typed).join("\n") === names.join("\n") ? typed : names.join("\n")
  return (
    <TextAreaField
      label={label}
      hint={hint}
      rows={Math.min(8, Math.max(2, names.length + 1))}
      spellCheck={false}
      value={text}
      onChange={({ target }) => {
        setTyped(target.value)
        onChange(namesIn(target.value))
      }}
    />
  )
}
