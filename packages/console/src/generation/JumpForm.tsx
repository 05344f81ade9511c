/** A number, and the way to its row. */
import { type ReactNode, useState } from "react"
import { Button } from "../ui/Button.tsx"
import { TextField } from "../ui/Field.tsx"
import { generationIn } from "./Window.ts"

/** `/` leads here. */
export const JumpForm = ({
  head,
  jump
}: {
  readonly head: number
  readonly jump: (generation: number) => void
}): ReactNode => {
  const [typed, setTyped] = useState("")
  const [wrong, setWrong] = useState<string | null>(null)
  const go = () => {
    const generation = generationIn(typed, head)
    setWrong(generation === null ? `Give a number from 0 to ${head}.` : null)
    if (generation !== null) jump(generation)
  }
  return (
    <form
      className="generation-form"
      onSubmit={(event) => {
        event.preventDefault()
        go()
      }}
    >
      <TextField
        label="Generation"
        data-search
        inputMode="numeric"
        autoComplete="off"
        placeholder={`0 to ${head}`}
        value={typed}
        wrong={wrong}
        onChange={({ target }) => setTyped(target.value)}
      />
      <Button type="submit">Go</Button>
    </form>
  )
}
