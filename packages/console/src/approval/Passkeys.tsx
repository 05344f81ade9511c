/** My passkeys: which there are, enrolling one, and removing one. Stands on the screen of the account. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { api } from "../api/Client.ts"
import { useAnswer } from "../api/Queries.ts"
import { asRefusal } from "../api/Refusal.ts"
import type { Answer } from "../api/Wire.ts"
import { announce } from "../shell/Announcements.ts"
import { Answered } from "../ui/Answered.tsx"
import { Button } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Id } from "../ui/Id.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Problem } from "../ui/Problem.tsx"
import { Tag } from "../ui/Tag.tsx"
import { Time } from "../ui/Time.tsx"
import { enrol } from "./Enrolment.ts"
import "./approval.css"

type Passkey = Answer<"approvers", "list">["items"][number]

const name = ["approvers"]

/** What the words of a refusal leave open. */
const next: Readonly<Record<string, string>> = {
  endorsement_required:
    "Only an owner's passkey can endorse it. Ask an owner of the installation's organization to enrol it for you: pawl approve --enroll --for.",
  last_endorser: "Enrol another one first, and keep one in a safe place.",
  insufficient_role: "The first passkey is that of an owner of the installation's organization.",
  insufficient_scope: "Sign in with a token that has the scope “admin”."
}

const Refused = ({ of }: { readonly of: unknown }): ReactNode => {
  if (of === null) return null
  const more = next[asRefusal(of).code]
  return (
    <>
      <Problem of={of} />
      {more === undefined ? null : <p>{more}</p>}
    </>
  )
}

const Removal = ({ of, onClose }: { readonly of: Passkey; readonly onClose: () => void }): ReactNode => {
  const client = useQueryClient()
  const removing = useMutation({
    mutationFn: () => api.approvers.remove({ params: { id: of.credential } }),
    onSuccess: () => {
      announce("The passkey is removed")
      onClose()
    },
    onSettled: () => void client.invalidateQueries({ queryKey: name })
  })
  return (
    <Dialog
      title="Remove this passkey?"
      onClose={onClose}
      onSubmit={() => {
        if (!removing.isPending) removing.mutate()
      }}
      actions={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button type="submit" look="danger" busy={removing.isPending}>
            {removing.isPending ? "Removing…" : "Remove"}
          </Button>
        </>
      }
    >
      <p>What it signed counts no longer for Candidates that are not promoted yet. It cannot be enrolled again.</p>
      <Refused of={removing.error} />
    </Dialog>
  )
}

const Row = ({ of, remove }: { readonly of: Passkey; readonly remove: () => void }): ReactNode => (
  <li>
    <span className="passkey-what">
      <Id id={of.credential} label="passkey" />
      <span>of {of.rpId}</span>
      {of.owner === true ? <Tag>may endorse others</Tag> : null}
      {of.removedAt === null ? null : <Tag tone="warn">removed</Tag>}
    </span>
    <Time at={of.createdAt} />
    {of.removedAt === null ? (
      <Button size="small" look="danger" onClick={remove}>
        Remove
      </Button>
    ) : null}
  </li>
)

/** The caller's own. An owner endorses a further one with a passkey that is there: the browser asks twice. */
export const Passkeys = (): ReactNode => {
  const client = useQueryClient()
  const [leaving, setLeaving] = useState<Passkey | null>(null)
  const mine = useAnswer(name, async (options) => {
    const [{ user }, { items }] = await Promise.all([
      api.account.me({}, options),
      api.approvers.list({ query: { limit: 100 } }, options)
    ])
    return { user, passkeys: items.filter((each) => each.user === user.id) }
  })
  const enrolling = useMutation({
    mutationFn: enrol,
    onSuccess: () => announce("The passkey is enrolled"),
    onSettled: () => void client.invalidateQueries({ queryKey: name })
  })
  const known = mine.data?.passkeys.filter(({ removedAt }) => removedAt === null) ?? []
  const enrolNow =
    mine.data === undefined ? null : (
      <Button
        size="small"
        icon="plus"
        busy={enrolling.isPending}
        onClick={() => enrolling.mutate({ user: mine.data.user, known: known.map(({ credential }) => credential) })}
      >
        {enrolling.isPending ? "Waiting for the passkey…" : "Enrol a passkey"}
      </Button>
    )
  return (
    <Card title="Passkeys" actions={enrolNow}>
      <Answered query={mine} lines={3}>
        {({ passkeys }) => (
          <div className="passkeys">
            {passkeys.length === 0 ? (
              <Empty icon="key" title="You have no passkey">
                <p>Where a Policy asks for it, an approval counts only when your passkey has signed it.</p>
              </Empty>
            ) : (
              <ul role="list">
                {passkeys.map((each) => (
                  <Row key={each.credential} of={each} remove={() => setLeaving(each)} />
                ))}
              </ul>
            )}
            {known.length === 1 ? (
              <Notice tone="warn" icon="key">
                Enrol a second one, and keep it in a safe place: the only one of an owner cannot be removed.
              </Notice>
            ) : null}
            <Refused of={enrolling.error} />
          </div>
        )}
      </Answered>
      {leaving === null ? null : <Removal of={leaving} onClose={() => setLeaving(null)} />}
    </Card>
  )
}
