/** The dialog that changes where a webhook goes and what it is told of. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { api } from "../api/Client.ts"
import { asRefusal } from "../api/Refusal.ts"
import { announce } from "../shell/Announcements.ts"
import { Button } from "../ui/Button.tsx"
import { Choices } from "../ui/Choices.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { SelectField, TextField } from "../ui/Field.tsx"
import { Problem } from "../ui/Problem.tsx"
import { type EventGroup, groupsOf, groupWords, typesOf } from "./EventGroups.ts"
import { type Webhook, webhooksKey } from "./WebhookQuery.ts"

/** What it is told of from now on: `kept` leaves it as it is. */
type Told = "kept" | "all" | "some"

/** Types that no group names are kept where nobody chooses anew. */
export const ChangeWebhook = ({
  onClose,
  projectId,
  webhook
}: {
  readonly webhook: Webhook
  readonly projectId: string
  readonly onClose: () => void
}): ReactNode => {
  const client = useQueryClient()
  const [url, setUrl] = useState(webhook.url)
  const [told, setTold] = useState<Told>("kept")
  const [groups, setGroups] = useState<ReadonlyArray<EventGroup>>(groupsOf(webhook.eventTypes))
  const changing = useMutation({
    mutationFn: () =>
      api.webhooks.change({
        params: { id: webhook.id },
        payload: {
          ...(url.trim() === webhook.url ? {} : { url: url.trim() }),
          ...(told === "kept" ? {} : { eventTypes: told === "all" ? null : typesOf(groups) })
        }
      }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: webhooksKey(projectId) })
      announce("The webhook is changed")
      onClose()
    }
  })
  const refusal = changing.error === null ? null : asRefusal(changing.error)
  return (
    <Dialog
      title="Change this webhook"
      onClose={onClose}
      onSubmit={() => {
        if (!changing.isPending) changing.mutate()
      }}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={changing.isPending}>
            Change it
          </Button>
        </>
      }
    >
      {refusal === null ? null : <Problem of={refusal} />}
      <TextField
        label="Address"
        type="url"
        autoComplete="off"
        value={url}
        hint="https, on the public internet. Its secret stays."
        onChange={({ target }) => setUrl(target.value)}
      />
      {webhook.format === "slack" ? null : (
        <SelectField
          label="It is told of"
          value={told}
          onChange={({ target }) => setTold(target.value === "all" || target.value === "some" ? target.value : "kept")}
        >
          <option value="kept">what it is told of now</option>
          <option value="all">all events</option>
          <option value="some">some of them</option>
        </SelectField>
      )}
      {told === "some" ? <Choices label="Events" of={groupWords} chosen={groups} onChange={setGroups} /> : null}
    </Dialog>
  )
}
