/** Puts somebody who is a user already on an organization. */
import { type ReactNode, type SubmitEvent, useState } from "react"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { SelectField, TextField } from "../ui/Field.tsx"
import { Problem } from "../ui/Problem.tsx"
import { type OrganizationEntry, useOrganizationChange } from "./OrganizationPeople.ts"
import { withPerson } from "./People.ts"

/** For owners. */
export const AddToOrganization = ({ id }: { readonly id: string }): ReactNode => {
  const changing = useOrganizationChange(id)
  const [entry, setEntry] = useState<OrganizationEntry>({ userId: "", role: "member" })
  const [wrong, setWrong] = useState<string | null>(null)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const userId = entry.userId.trim()
    if (!userId.startsWith("usr_")) return setWrong("It begins with usr_. They find it under Account.")
    setWrong(null)
    changing.mutate((list) => withPerson(list, { ...entry, userId }), {
      onSuccess: () => setEntry({ ...entry, userId: "" })
    })
  }
  return (
    <Card title="Add somebody">
      <form className="stack narrow" onSubmit={submit} noValidate>
        {changing.error === null ? null : <Problem of={changing.error} />}
        <TextField
          label="User id"
          autoComplete="off"
          spellCheck={false}
          value={entry.userId}
          wrong={wrong}
          hint="They find it under Account, and give it to you."
          onChange={({ target }) => setEntry({ ...entry, userId: target.value })}
        />
        <SelectField
          label="Role"
          value={entry.role}
          onChange={({ target }) => setEntry({ ...entry, role: target.value === "owner" ? "owner" : "member" })}
        >
          <option value="member">member: creates Projects, is a member in each</option>
          <option value="owner">owner: makes users, is an admin in each Project</option>
        </SelectField>
        <div>
          <Button type="submit" look="primary" busy={changing.isPending}>
            Add
          </Button>
        </div>
      </form>
    </Card>
  )
}
