/** Who belongs to an organization; its owners change that here. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { api } from "../api/Client.ts"
import { useAnswer } from "../api/Queries.ts"
import { announce } from "../shell/Announcements.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Confirm } from "../ui/Confirm.tsx"
import { Id } from "../ui/Id.tsx"
import { Problem } from "../ui/Problem.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import {
  type OrganizationMember,
  organizationKey,
  type OrganizationStep,
  useOrganizationChange
} from "./OrganizationPeople.ts"
import { withPerson, without } from "./People.ts"
import { RoleSelect } from "./RoleSelect.tsx"

const roles = ["owner", "member"] as const

const Disabling = ({ onClose, person }: { readonly person: OrganizationMember; readonly onClose: () => void }) => {
  const client = useQueryClient()
  const disabling = useMutation({
    mutationFn: () => api.users.disable({ params: { id: person.userId } }),
    onSuccess: () => {
      announce(`${person.name} is disabled`)
      onClose()
      return client.invalidateQueries({ queryKey: ["organizations"] })
    }
  })
  return (
    <Confirm
      title={`Disable ${person.name}?`}
      act="Disable them"
      name={person.name}
      isBusy={disabling.isPending}
      error={disabling.error}
      onClose={onClose}
      onConfirm={() => disabling.mutate()}
    >
      <p>
        Every token, session and stream of theirs ends with the next request, and they have left every organization.
        What they did stays in the records. This cannot be taken back.
      </p>
    </Confirm>
  )
}

const Removing = ({
  id,
  onClose,
  person
}: {
  readonly id: string
  readonly person: OrganizationMember
  readonly onClose: () => void
}) => {
  const changing = useOrganizationChange(id)
  return (
    <Confirm
      title={`Remove ${person.name}?`}
      act="Remove them"
      isBusy={changing.isPending}
      error={changing.error}
      onClose={onClose}
      onConfirm={() => changing.mutate((list) => without(list, person.userId), { onSuccess: onClose })}
    >
      <p>Nothing that they hold in its Projects counts from the next request on. They stay a user.</p>
    </Confirm>
  )
}

interface Acts {
  readonly change: (step: OrganizationStep) => void
  readonly ask: (act: "remove" | "disable", person: OrganizationMember) => void
}

const personColumn: Column<OrganizationMember> = {
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
}

const read: ReadonlyArray<Column<OrganizationMember>> = [personColumn, { title: "Role", of: ({ role }) => role }]

const changed = ({ ask, change }: Acts): ReadonlyArray<Column<OrganizationMember>> => [
  personColumn,
  {
    title: "Role",
    of: ({ name, role, userId }) => (
      <RoleSelect
        label={`Role of ${name}`}
        role={role}
        roles={roles}
        onChange={(next) => change((list) => withPerson(list, { userId, role: next }))}
      />
    )
  },
  {
    title: "",
    align: "end",
    of: (each) => (
      <span className="row row-end">
        <Button size="small" aria-label={`Remove ${each.name}`} onClick={() => ask("remove", each)}>
          Remove
        </Button>
        <Button size="small" look="danger" aria-label={`Disable ${each.name}`} onClick={() => ask("disable", each)}>
          Disable
        </Button>
      </span>
    )
  }
]

/** `isOwner` says whether the caller may change them. */
export const OrganizationMembers = ({ id, isOwner }: { readonly id: string; readonly isOwner: boolean }): ReactNode => {
  const query = useAnswer(
    organizationKey(id),
    async (options) => (await api.organizations.members({ params: { id } }, options)).items
  )
  const changing = useOrganizationChange(id)
  const [asked, setAsked] = useState<{
    readonly act: "remove" | "disable"
    readonly person: OrganizationMember
  } | null>(null)
  const close = () => setAsked(null)
  return (
    <>
      {changing.error === null ? null : <Problem of={changing.error} />}
      <Answered query={query}>
        {(members) => (
          <Card bare title="Members">
            <Table
              caption="Members of the organization"
              columns={
                isOwner ? changed({ change: changing.mutate, ask: (act, person) => setAsked({ act, person }) }) : read
              }
              rows={members}
              keyOf={({ userId }) => userId}
            />
          </Card>
        )}
      </Answered>
      {asked?.act === "disable" ? <Disabling person={asked.person} onClose={close} /> : null}
      {asked?.act === "remove" ? <Removing id={id} person={asked.person} onClose={close} /> : null}
    </>
  )
}
