/** How Changes land in turn, and when nothing lands. */
import type { ReactNode } from "react"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { SelectField, TextField } from "../ui/Field.tsx"
import { Check, type Editing, NamesField } from "./Parts.tsx"
import { fromField, type PolicyFields, toField } from "./PolicyDraft.ts"

type Lane = NonNullable<PolicyFields["lane"]>
type Freeze = NonNullable<PolicyFields["freezes"]>[number]

/** The lane. */
export const LaneFields = ({ fields, set }: Editing): ReactNode => {
  const lane: Lane = fields.lane ?? { mode: "off" }
  const withDepth = (text: string) => {
    const { depth: _, ...rest } = lane
    set({ lane: text === "" ? rest : { ...rest, depth: Number(text) } })
  }
  return (
    <Card title="Lane">
      <div className="stack">
        <Check checked={lane.mode === "on"} onChange={(isOn) => set({ lane: { ...lane, mode: isOn ? "on" : "off" } })}>
          Changes land in turn, each verified on those before it
        </Check>
        {lane.mode === "off" ? null : (
          <>
            <TextField
              label="How many are predicted at once"
              type="number"
              min={1}
              max={20}
              value={lane.depth ?? ""}
              hint="1 to 20. Empty: learned from what fails here."
              onChange={({ target }) => withDepth(target.value)}
            />
            <SelectField
              label="An approval counts again on another tree"
              value={lane.carryApprovals ?? "never"}
              onChange={({ target }) =>
                set({ lane: { ...lane, carryApprovals: target.value as NonNullable<Lane["carryApprovals"]> } })
              }
            >
              <option value="never">never</option>
              <option value="same-blobs">where the Change itself is the same, to the byte</option>
            </SelectField>
            <Check
              checked={lane.holdAfterRollback ?? true}
              onChange={(holdAfterRollback) => set({ lane: { ...lane, holdAfterRollback } })}
            >
              After a rollback the lane waits for a person
            </Check>
          </>
        )}
      </div>
    </Card>
  )
}

const Entry = ({
  of,
  onChange,
  onRemove
}: {
  readonly of: Freeze
  readonly onChange: (freeze: Freeze) => void
  readonly onRemove: () => void
}): ReactNode => (
  <li className="policy-entry">
    <TextField
      label="From (UTC)"
      type="datetime-local"
      value={toField(of.from)}
      onChange={({ target }) => onChange({ ...of, from: fromField(target.value) })}
    />
    <TextField
      label="Until (UTC)"
      type="datetime-local"
      value={toField(of.until)}
      onChange={({ target }) => onChange({ ...of, until: fromField(target.value) })}
    />
    <TextField
      label="Reason"
      value={of.reason}
      hint="For those who wait."
      onChange={({ target }) => onChange({ ...of, reason: target.value })}
    />
    <NamesField
      label="Except"
      hint="Ids of users whose own promotions go on, one a line."
      names={of.except ?? []}
      onChange={(names) => {
        const { except: _, ...rest } = of
        onChange(names.length === 0 ? rest : { ...rest, except: names as NonNullable<Freeze["except"]> })
      }}
    />
    <Button size="small" look="danger" aria-label={`Remove the freeze ${of.reason}`} onClick={onRemove}>
      Remove
    </Button>
  </li>
)

/** Times in which nothing is promoted but rollbacks. */
export const FreezeFields = ({ fields, set }: Editing): ReactNode => {
  const freezes = fields.freezes ?? []
  return (
    <Card title="Freezes">
      <div className="stack">
        <p className="quiet">Nothing is promoted but rollbacks. Checks go on.</p>
        {freezes.length === 0 ? null : (
          <ul role="list" className="stack">
            {freezes.map((freeze, at) => (
              <Entry
                // Entries have no name of their own, and are only added at the end.
                key={at}
                of={freeze}
                onChange={(next) => set({ freezes: freezes.map((each, index) => (index === at ? next : each)) })}
                onRemove={() => set({ freezes: freezes.filter((_, index) => index !== at) })}
              />
            ))}
          </ul>
        )}
        <div>
          <Button
            size="small"
            icon="plus"
            onClick={() => set({ freezes: [...freezes, { from: "", until: "", reason: "" }] })}
          >
            Add a freeze
          </Button>
        </div>
      </div>
    </Card>
  )
}
