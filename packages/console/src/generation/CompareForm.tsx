/** Two numbers, and the way to what is between them. */
import { type ReactNode, useState } from "react"
import { useLocation } from "wouter"
import { useProjectHere } from "../project/Here.ts"
import { Button } from "../ui/Button.tsx"
import { TextField } from "../ui/Field.tsx"
import { generationIn } from "./Window.ts"

/** Begins with the head and the one before it. */
export const CompareForm = ({
  from = null,
  head,
  to = null
}: {
  readonly head: number
  readonly from?: number | null
  readonly to?: number | null
}): ReactNode => {
  const { label } = useProjectHere()
  const [, go] = useLocation()
  const [typed, setTyped] = useState({ from: String(from ?? Math.max(0, head - 1)), to: String(to ?? head) })
  const [isAsked, setAsked] = useState(false)
  const given = { from: generationIn(typed.from, head), to: generationIn(typed.to, head) }
  const wrong = (number: number | null) => (isAsked && number === null ? `Give a number from 0 to ${head}.` : null)
  const submit = () => {
    setAsked(true)
    if (given.from !== null && given.to !== null)
      go(`/p/${label}/generations/compare?from=${given.from}&to=${given.to}`)
  }
  return (
    <form
      className="generation-form"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <TextField
        label="Compare"
        inputMode="numeric"
        autoComplete="off"
        value={typed.from}
        wrong={wrong(given.from)}
        onChange={({ target }) => setTyped({ ...typed, from: target.value })}
      />
      <TextField
        label="with"
        inputMode="numeric"
        autoComplete="off"
        value={typed.to}
        wrong={wrong(given.to)}
        onChange={({ target }) => setTyped({ ...typed, to: target.value })}
      />
      <Button type="submit">Compare</Button>
    </form>
  )
}
