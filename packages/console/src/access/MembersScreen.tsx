/** `/p/:label/settings/members`: who has a role of their own on this Project. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, type SubmitEvent, useState } from "react"
import { api } from "../api/Client.ts"
import { type Member, membersKey, useMemberList } from "../project/ProjectQueries.ts"
import { useProjectHere } from "../project/Here.ts"
import { mayKey, useWhyNot } from "../project/May.ts"
import { SettingsScreen } from "../settings/SettingsScreen.tsx"
import { announce } from "../shell/Announcements.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { SelectField, TextField } from "../ui/Field.tsx"
import { Id } from "../ui/Id.tsx"
import { Problem } from "../ui/Problem.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { withPerson, without } from "./People.ts"
import { RoleSelect } from "./RoleSelect.tsx"

type Role = Member["role"]

const roleWords: Readonly<Record<Role, string>> = {
  viewer: "viewer: reads",
  member: "member: creates, approves, promotes, rolls back",
  admin: "admin: settings, members, the app and its end"
}

interface Entry {
  readonly userId: string
  readonly role: Role
}

/** What becomes of the list. It is read anew before it is put: what somebody else did meanwhile stays. */
type Step = (list: ReadonlyArray<Entry>) => ReadonlyArray<Entry>

const useMembers = (id: string) => {
  const client = useQueryClient()
  const params = { id }
  const query = useMemberList(id)
  const changing = useMutation({
    mutationFn: async (step: Step) => {
      let ifMatch: string | null = null
      const { items } = await api.members.get({ params }, { hearTag: (tag) => (ifMatch = tag) })
      const members = step(items.map(({ role, userId }) => ({ role, userId })))
      return api.members.put({ params, payload: { members } }, { ifMatch })
    },
    // Somebody else may have changed it in between: it is shown as it is.
    onError: () => client.invalidateQueries({ queryKey: membersKey(id) }),
    onSuccess: ({ items }) => {
      client.setQueryData(membersKey(id), items)
      // It may be one's own role.
      void client.invalidateQueries({ queryKey: mayKey })
      announce("The members are changed")
    }
  })
  return { query, changing }
}

const AddMember = ({
  add,
  isBusy
}: {
  readonly add: (userId: string, role: Role) => void
  readonly isBusy: boolean
}) => {
  const [userId, setUserId] = useState("")
  const [role, setRole] = useState<Role>("member")
  const [wrong, setWrong] = useState<string | null>(null)
  const why = useWhyNot("members.put")
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const given = userId.trim()
    if (!given.startsWith("usr_")) return setWrong("It begins with usr_. They find it under Account.")
    setWrong(null)
    add(given, role)
  }
  return (
    <Card title="Add somebody">
      <form className="stack narrow" onSubmit={submit} noValidate>
        <TextField
          label="User id"
          autoComplete="off"
          spellCheck={false}
          value={userId}
          wrong={wrong}
          hint="They find it under Account, and give it to you."
          onChange={({ target }) => setUserId(target.value)}
        />
        <SelectField label="Role" value={role} onChange={({ target }) => setRole(target.value as Role)}>
          {Object.entries(roleWords).map(([each, words]) => (
            <option key={each} value={each}>
              {words}
            </option>
          ))}
        </SelectField>
        <div>
          <Button type="submit" look="primary" busy={isBusy} why={why}>
            Add
          </Button>
        </div>
      </form>
    </Card>
  )
}

const columns = (change: (step: Step) => void): ReadonlyArray<Column<Member>> => [
  {
    title: "Person",
    isMain: true,
    of: ({ name, userId }) => (
      <div className="named">
        <span>{name}</span>
        <span>
          <Id id={userId} label="user" />
        </span>
      </div>
    )
  },
  {
    title: "Role",
    of: ({ name, role, userId }) => (
      <RoleSelect
        label={`Role of ${name}`}
        role={role}
        roles={Object.keys(roleWords) as ReadonlyArray<Role>}
        onChange={(next) => change((list) => withPerson(list, { userId, role: next }))}
      />
    )
  },
  {
    title: "",
    align: "end",
    of: ({ name, userId }) => (
      <Button
        size="small"
        look="danger"
        aria-label={`Remove ${name}`}
        onClick={() => change((list) => without(list, userId))}
      >
        Remove
      </Button>
    )
  }
]

/** The entries. What the organization gives beside them is said above. */
export default function MembersScreen(): ReactNode {
  const { id } = useProjectHere()
  const { changing, query } = useMembers(id)
  return (
    <SettingsScreen
      title="Members"
      lead="Owners of the organization are admins here, and its other members are members, unless a role of their own says otherwise."
    >
      {changing.error === null ? null : <Problem of={changing.error} />}
      <Answered query={query}>
        {(members) => (
          <Card bare title="Roles on this Project">
            {members.length === 0 ? (
              <Empty icon="user" title="Nobody has a role of their own">
                <p>Add somebody who is not in the organization, or who is to do more or less here than there.</p>
              </Empty>
            ) : (
              <Table
                caption="Members"
                columns={columns(changing.mutate)}
                rows={members}
                keyOf={({ userId }) => userId}
              />
            )}
          </Card>
        )}
      </Answered>
      <AddMember
        isBusy={changing.isPending}
        add={(userId, role) => changing.mutate((list) => withPerson(list, { userId, role }))}
      />
    </SettingsScreen>
  )
}
