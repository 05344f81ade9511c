/** Somebody else saved while I was changing: both are shown, and I say how it goes on. */
import { type ReactNode, useEffect, useRef } from "react"
import { Button } from "../ui/Button.tsx"
import { Icon } from "../ui/Icon.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Tag } from "../ui/Tag.tsx"
import { Time } from "../ui/Time.tsx"
import {
  changedFields,
  type FieldName,
  fieldsOf,
  fieldWords,
  onTopOf,
  type Policy,
  type PolicyFields
} from "./PolicyDraft.ts"

const Value = ({ of }: { readonly of: unknown }): ReactNode => (
  <code className="policy-value">{of === undefined ? "not set" : JSON.stringify(of)}</code>
)

const columns = (
  theirs: PolicyFields,
  mine: PolicyFields,
  both: ReadonlyArray<FieldName>
): ReadonlyArray<Column<FieldName>> => [
  {
    title: "Field",
    isMain: true,
    of: (name) => (
      <span className="row">
        {fieldWords[name]}
        {both.includes(name) ? <Tag tone="warn">changed by both</Tag> : null}
      </span>
    )
  },
  { title: "In force now", of: (name) => <Value of={theirs[name]} /> },
  { title: "Yours", of: (name) => <Value of={mine[name]} /> }
]

/** Nothing is sent from here: what is chosen stands in the form, to be looked at and saved. */
export const PolicyConflict = ({
  base,
  drop,
  keep,
  mine,
  theirs
}: {
  readonly base: Policy
  readonly mine: PolicyFields
  readonly theirs: Policy
  readonly keep: (fields: PolicyFields) => void
  readonly drop: () => void
}): ReactNode => {
  const place = useRef<HTMLElement>(null)
  useEffect(() => place.current?.focus(), [])
  const now = fieldsOf(theirs)
  const { both, fields } = onTopOf(fieldsOf(base), mine, now)
  const differ = changedFields(now, mine)
  return (
    <section ref={place} tabIndex={-1} className="problem" role="alert" aria-label="Somebody else changed the Policy">
      <Icon name="warn" />
      <div>
        <strong>Somebody else changed the Policy</strong>
        <p>
          Version {theirs.version} was stored <Time at={theirs.updatedAt} /> while you changed version {base.version}.
          Yours is not saved.
        </p>
        <Table caption="Where they differ" columns={columns(now, mine, both)} rows={differ} keyOf={(name) => name} />
        <div className="row">
          <Button look="primary" onClick={() => keep(fields)}>
            {both.length === 0 ? "Keep both: mine on top of theirs" : "Put mine on top of theirs"}
          </Button>
          <Button onClick={drop}>Take theirs, and drop mine</Button>
        </div>
      </div>
    </section>
  )
}
