/** Which checks count, and when evidence counts again. */
import type { ReactNode } from "react"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { SelectField, TextField } from "../ui/Field.tsx"
import { Check, type Editing, NamesField } from "./Parts.tsx"
import { fromField, type PolicyFields, toField } from "./PolicyDraft.ts"

type Waived = PolicyFields["waivedChecks"][number]

const Waiver = ({
  of,
  onChange,
  onRemove
}: {
  readonly of: Waived
  readonly onChange: (waived: Waived) => void
  readonly onRemove: () => void
}): ReactNode => (
  <li className="policy-entry">
    <TextField label="Check" value={of.id} onChange={({ target }) => onChange({ ...of, id: target.value })} />
    <TextField
      label="Until (UTC)"
      type="datetime-local"
      value={toField(of.until)}
      onChange={({ target }) => onChange({ ...of, until: fromField(target.value) })}
    />
    <TextField label="Reason" value={of.reason} onChange={({ target }) => onChange({ ...of, reason: target.value })} />
    <Check
      checked={of.because === "flaky"}
      onChange={(isFlaky) => {
        const { because: _, ...rest } = of
        onChange(isFlaky ? { ...rest, because: "flaky" } : rest)
      }}
    >
      It is flaky: seen to fail and pass on one tree, for at most 14 days
    </Check>
    <Button size="small" look="danger" aria-label={`Remove the waiver of ${of.id}`} onClick={onRemove}>
      Remove
    </Button>
  </li>
)

const Waivers = ({ fields: { waivedChecks }, set }: Editing): ReactNode => {
  const put = (at: number, waived: Waived) =>
    set({ waivedChecks: waivedChecks.map((each, index) => (index === at ? waived : each)) })
  return (
    <div className="stack">
      <h3>Checks that do not count until a date</h3>
      {waivedChecks.length === 0 ? null : (
        <ul role="list" className="stack">
          {waivedChecks.map((waived, at) => (
            <Waiver
              // Entries have no name of their own, and are only added at the end.
              key={at}
              of={waived}
              onChange={(next) => put(at, next)}
              onRemove={() => set({ waivedChecks: waivedChecks.filter((_, index) => index !== at) })}
            />
          ))}
        </ul>
      )}
      <div>
        <Button
          size="small"
          icon="plus"
          onClick={() => set({ waivedChecks: [...waivedChecks, { id: "", reason: "", until: "" }] })}
        >
          Waive a check
        </Button>
      </div>
    </div>
  )
}

/** Checks and evidence. */
export const CheckFields = (editing: Editing): ReactNode => {
  const { fields, set } = editing
  return (
    <Card title="Checks">
      <div className="stack">
        <NamesField
          label="Checks that are required, whatever their definition says"
          hint="Their ids, one a line. The build is required in any case."
          names={fields.requiredChecks}
          onChange={(requiredChecks) => set({ requiredChecks })}
        />
        <Check
          checked={fields.baseChecksMustPass ?? false}
          onChange={(baseChecksMustPass) => set({ baseChecksMustPass })}
        >
          Where a Candidate alters the files of a check, the check must pass with the old ones too
        </Check>
        <Check checked={fields.flakeRetries === 1} onChange={(isOn) => set({ flakeRetries: isOn ? 1 : 0 })}>
          A command that failed runs once more, in a new sandbox
        </Check>
        <SelectField
          label="Evidence of before counts again"
          value={fields.evidenceReuse ?? "none"}
          onChange={({ target }) => set({ evidenceReuse: target.value as NonNullable<PolicyFields["evidenceReuse"]> })}
        >
          <option value="none">never: each Candidate runs all its checks</option>
          <option value="tree">for the same tree</option>
          <option value="inputs">for the same tree, or the same inputs of a check that declares them</option>
        </SelectField>
        <Waivers {...editing} />
      </div>
    </Card>
  )
}
