/** What is asked of packages that a Candidate adds, or moves to another version. */
import type { ReactNode } from "react"
import { Card } from "../ui/Card.tsx"
import { TextField } from "../ui/Field.tsx"
import { Check, type Editing, NamesField } from "./Parts.tsx"

const stars = <>Names, one a line; * stands for any characters.</>

/** Age and names. */
export const PackageFields = ({ fields: { packages = {} }, set }: Editing): ReactNode => {
  const { allow, deny, minAgeDays } = packages
  const put = (next: { readonly [Name in keyof typeof packages]?: (typeof packages)[Name] | undefined }) =>
    set({
      packages: Object.fromEntries(Object.entries({ ...packages, ...next }).filter(([, value]) => value !== undefined))
    })
  return (
    <Card title="Packages">
      <div className="stack">
        <TextField
          label="Youngest age, in days"
          type="number"
          min={0}
          max={365}
          value={minAgeDays ?? ""}
          hint="What the registry got later is of high risk. Empty: any age will do."
          onChange={({ target }) => put({ minAgeDays: target.value === "" ? undefined : Number(target.value) })}
        />
        <NamesField
          label="Refused"
          hint={stars}
          names={deny ?? []}
          onChange={(names) => put({ deny: names.length === 0 ? undefined : names })}
        />
        <Check checked={allow !== undefined} onChange={(isOn) => put({ allow: isOn ? [] : undefined })}>
          Only packages of a list may come in
        </Check>
        {allow === undefined ? null : (
          <NamesField label="Allowed" hint={stars} names={allow} onChange={(names) => put({ allow: names })} />
        )}
      </div>
    </Card>
  )
}
