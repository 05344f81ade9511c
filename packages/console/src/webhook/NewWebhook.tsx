/** The dialog that makes a webhook, and shows its secret this once. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { api } from "../api/Client.ts"
import { asRefusal } from "../api/Refusal.ts"
import { announce } from "../shell/Announcements.ts"
import { Button } from "../ui/Button.tsx"
import { Choices } from "../ui/Choices.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { SelectField, TextField } from "../ui/Field.tsx"
import { Problem } from "../ui/Problem.tsx"
import { type EventGroup, groupWords, typesOf } from "./EventGroups.ts"
import { SigningSecret } from "./SigningSecret.tsx"
import { webhooksKey } from "./WebhookQuery.ts"

interface Given {
  readonly url: string
  readonly groups: ReadonlyArray<EventGroup> | null
  readonly format: "events" | "slack"
}

const useMaking = (projectId: string) => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ format, groups, url }: Given) =>
      api.webhooks.create({
        params: { id: projectId },
        payload:
          format === "slack" ? { url, format } : { url, ...(groups === null ? {} : { eventTypes: typesOf(groups) }) }
      }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: webhooksKey(projectId) })
      announce("The webhook is made")
    }
  })
}

/** Who reads it, and what it is told of. */
const ToldFields = ({
  change,
  given,
  isNone
}: {
  readonly given: Given
  readonly isNone: boolean
  readonly change: (some: Partial<Given>) => void
}) => (
  <>
    <SelectField
      label="Who reads it"
      hint={
        given.format === "slack"
          ? "An incoming webhook of Slack: what waits for a person, and what went wrong."
          : undefined
      }
      value={given.format}
      onChange={({ target }) => change({ format: target.value === "slack" ? "slack" : "events" })}
    >
      <option value="events">a program: the events, signed</option>
      <option value="slack">people, in Slack</option>
    </SelectField>
    {given.format === "slack" ? null : (
      <SelectField
        label="It is told of"
        value={given.groups === null ? "all" : "some"}
        onChange={({ target }) =>
          change({ groups: target.value === "all" ? null : ["approvals", "promotions", "releases"] })
        }
      >
        <option value="all">all events</option>
        <option value="some">some of them</option>
      </SelectField>
    )}
    {given.groups === null || given.format === "slack" ? null : (
      <Choices
        label="Events"
        hint={isNone ? "Choose at least one." : undefined}
        of={groupWords}
        chosen={given.groups}
        onChange={(groups) => change({ groups })}
      />
    )}
  </>
)

/** It is told of what happens from now on. */
export const NewWebhook = ({ onClose, projectId }: { readonly projectId: string; readonly onClose: () => void }) => {
  const [given, setGiven] = useState<Given>({ url: "", groups: null, format: "events" })
  const [isAsked, setAsked] = useState(false)
  const making = useMaking(projectId)
  if (making.data !== undefined)
    return <SigningSecret title="Your new webhook" secret={making.data.secret} onClose={onClose} />
  const refusal = making.error === null ? null : asRefusal(making.error)
  const isOfUrl = refusal?.facts["field"] === "url"
  const isNone = given.format === "events" && given.groups?.length === 0
  const submit = () => {
    setAsked(true)
    if (given.url.trim() !== "" && !isNone && !making.isPending) making.mutate({ ...given, url: given.url.trim() })
  }
  return (
    <Dialog
      title="New webhook"
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={making.isPending}>
            Make it
          </Button>
        </>
      }
    >
      {refusal === null || isOfUrl ? null : <Problem of={refusal} />}
      <TextField
        label="Address"
        type="url"
        autoComplete="off"
        placeholder="https://"
        value={given.url}
        hint="https, on the public internet."
        wrong={isOfUrl ? (refusal?.detail ?? null) : isAsked && given.url.trim() === "" ? "Give its address." : null}
        onChange={({ target }) => setGiven({ ...given, url: target.value })}
      />
      <ToldFields given={given} change={(some) => setGiven({ ...given, ...some })} isNone={isAsked && isNone} />
    </Dialog>
  )
}
