/** The dialog that issues a token, and shows it this once. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { api } from "../api/Client.ts"
import { announce } from "../shell/Announcements.ts"
import { Button } from "../ui/Button.tsx"
import { Choices } from "../ui/Choices.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { SelectField, TextField } from "../ui/Field.tsx"
import { Problem } from "../ui/Problem.tsx"
import { SecretOnce } from "../ui/SecretOnce.tsx"
import { useMe } from "./Me.ts"
import { type Scope, scopes, scopeWords } from "./ScopeWords.ts"
import { endOf, type Life, lives, tokensKey } from "./TokenState.ts"

interface Given {
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  readonly life: Life
}

const Made = ({ onClose, token }: { readonly token: string; readonly onClose: () => void }): ReactNode => (
  <Dialog
    title="Your new token"
    onClose={onClose}
    actions={
      <Button look="primary" onClick={onClose}>
        I have kept it
      </Button>
    }
  >
    <SecretOnce label="Token" secret={token} />
  </Dialog>
)

const ScopeLine = ({ scope }: { readonly scope: Scope }): ReactNode => (
  <>
    <strong>{scope}</strong>: {scopeWords[scope]}
  </>
)

const issue = ({ life, name, scopes }: Given) => {
  const expiresAt = endOf(life, Date.now())
  return api.account.issueToken({ payload: { name, scopes, ...(expiresAt === undefined ? {} : { expiresAt }) } })
}

/** What this session may not do, its tokens may not either: the server says so. */
export const NewToken = ({ onClose }: { readonly onClose: () => void }): ReactNode => {
  const client = useQueryClient()
  const held = useMe().data?.token.scopes ?? []
  const [given, setGiven] = useState<Given>({ name: "", scopes: ["read", "write"], life: "90" })
  const [isAsked, setAsked] = useState(false)
  const issuing = useMutation({
    mutationFn: issue,
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: tokensKey })
      announce(`Token ${given.name} is issued`)
    }
  })
  if (issuing.data !== undefined) return <Made token={issuing.data.token} onClose={onClose} />
  const submit = () => {
    setAsked(true)
    if (given.name.trim() !== "" && given.scopes.length > 0 && !issuing.isPending) issuing.mutate(given)
  }
  const offered = scopes.filter((scope) => held.includes(scope))
  return (
    <Dialog
      title="New token"
      onClose={onClose}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={issuing.isPending}>
            Issue it
          </Button>
        </>
      }
    >
      {issuing.error === null ? null : <Problem of={issuing.error} />}
      <TextField
        label="Name"
        autoComplete="off"
        value={given.name}
        hint="Where it is used: the name of a machine or of a job."
        wrong={isAsked && given.name.trim() === "" ? "Give it a name." : null}
        onChange={({ target }) => setGiven({ ...given, name: target.value })}
      />
      <Choices
        label="What it may do"
        hint={isAsked && given.scopes.length === 0 ? "Choose at least one." : "Within what your roles allow."}
        of={offered.map((scope) => [scope, <ScopeLine key={scope} scope={scope} />])}
        chosen={given.scopes}
        onChange={(chosen) => setGiven({ ...given, scopes: chosen })}
      />
      <SelectField
        label="Ends"
        value={given.life}
        hint="Never later than the token by which you signed in."
        onChange={({ target }) => setGiven({ ...given, life: target.value as Life })}
      >
        {Object.entries(lives).map(([life, words]) => (
          <option key={life} value={life}>
            {words}
          </option>
        ))}
      </SelectField>
    </Dialog>
  )
}
