/** The dialog that makes a user, and shows their first token this once. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { api } from "../api/Client.ts"
import { announce } from "../shell/Announcements.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { SelectField, TextField } from "../ui/Field.tsx"
import { Problem } from "../ui/Problem.tsx"
import { SecretOnce } from "../ui/SecretOnce.tsx"

interface Given {
  readonly name: string
  readonly role: "owner" | "member"
}

/** In an organization. */
export const NewUser = ({
  onClose,
  organizationId
}: {
  readonly organizationId: string
  readonly onClose: () => void
}): ReactNode => {
  const client = useQueryClient()
  const [given, setGiven] = useState<Given>({ name: "", role: "member" })
  const [isAsked, setAsked] = useState(false)
  const making = useMutation({
    mutationFn: (payload: Given) => api.users.create({ payload: { ...payload, organizationId } }),
    onSuccess: ({ user }) => {
      void client.invalidateQueries({ queryKey: ["organizations"] })
      announce(`${user.name} is a user now`)
    }
  })
  if (making.data !== undefined)
    return (
      <Dialog
        title={`${making.data.user.name} is a user now`}
        onClose={onClose}
        actions={
          <Button look="primary" onClick={onClose}>
            I have kept it
          </Button>
        }
      >
        <p>Give them this token. They sign in by it, and can issue others.</p>
        <SecretOnce label="Their first token" secret={making.data.token} />
      </Dialog>
    )
  const submit = () => {
    setAsked(true)
    if (given.name.trim() !== "" && !making.isPending) making.mutate(given)
  }
  return (
    <Dialog
      title="New user"
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={making.isPending}>
            Make the user
          </Button>
        </>
      }
    >
      {making.error === null ? null : <Problem of={making.error} />}
      <TextField
        label="Name"
        autoComplete="off"
        value={given.name}
        hint="Stands wherever something of theirs is shown."
        wrong={isAsked && given.name.trim() === "" ? "Give them a name." : null}
        onChange={({ target }) => setGiven({ ...given, name: target.value })}
      />
      <SelectField
        label="Role in the organization"
        value={given.role}
        onChange={({ target }) => setGiven({ ...given, role: target.value === "owner" ? "owner" : "member" })}
      >
        <option value="member">member: creates Projects, is a member in each</option>
        <option value="owner">owner: makes users, is an admin in each Project</option>
      </SelectField>
    </Dialog>
  )
}
