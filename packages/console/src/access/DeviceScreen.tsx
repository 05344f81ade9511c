/** `/device?code=XXXX-XXXX`: a command line asks to act for me, and I say whether it may. */
import { useMutation } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { useSearch } from "wouter"
import { type Me, useMe } from "../account/Me.ts"
import { scopeWords } from "../account/ScopeWords.ts"
import { api } from "../api/Client.ts"
import { asRefusal } from "../api/Refusal.ts"
import { announce } from "../shell/Announcements.ts"
import { Screen } from "../shell/Screen.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Button, LinkButton } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { TextField } from "../ui/Field.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Problem } from "../ui/Problem.tsx"
import { Time } from "../ui/Time.tsx"
import { asUserCode } from "./UserCode.ts"
import "../settings/settings.css"

/** What the device would get, or has got. */
const Grant = ({ token, user }: Me): ReactNode => (
  <>
    <p>
      It acts as <strong>{user.name}</strong>
      {token.expiresAt === null ? (
        ", until you revoke its token"
      ) : (
        <>
          , until its token ends <Time at={token.expiresAt} />
        </>
      )}
      . Within what your roles allow, it may:
    </p>
    <ul>
      {token.scopes.map((scope) => (
        <li key={scope}>{scopeWords[scope]}</li>
      ))}
    </ul>
  </>
)

const Answer = ({ allowed, me, name }: { readonly name: string; readonly allowed: boolean; readonly me: Me }) =>
  allowed ? (
    <Card bare>
      <Empty icon="check" title={`${name} is let in`}>
        <p>Go back to it: it fetches its token now, and says so. You can close this page.</p>
        <Grant {...me} />
        <LinkButton to="/settings">See your tokens</LinkButton>
      </Empty>
    </Card>
  ) : (
    <Card bare>
      <Empty icon="stop" title={`${name} is refused`}>
        <p>It got nothing. If you did not start it, nothing more is to be done.</p>
        <LinkButton to="/">Go to the Inbox</LinkButton>
      </Empty>
    </Card>
  )

const Question = ({ me, onAnswer }: { readonly me: Me; readonly onAnswer: Answering }): ReactNode => {
  const given = asUserCode(new URLSearchParams(useSearch()).get("code") ?? "")
  const [code, setCode] = useState(given)
  const [wrong, setWrong] = useState<string | null>(null)
  const confirming = useMutation({
    mutationFn: (allow: boolean) => api.deviceAnswers.confirm({ payload: { userCode: code, allow } }),
    onSuccess: (answer) => {
      announce(answer.allowed ? `${answer.name} is let in` : `${answer.name} is refused`)
      onAnswer(answer)
    }
  })
  const answer = (allow: boolean) => {
    const isWhole = asUserCode(code).length === "XXXX-XXXX".length
    setWrong(isWhole ? null : "Type the eight letters that it shows.")
    if (isWhole) confirming.mutate(allow)
  }
  return (
    <Card>
      <form
        className="stack narrow"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          answer(true)
        }}
      >
        {confirming.error === null ? null : <Problem of={asRefusal(confirming.error)} />}
        <Notice tone="warn" icon="warn">
          Only if you started this yourself, and it shows this very code. Who sent you here by a message may want to act
          as you.
        </Notice>
        <div className="device-code">
          <TextField
            label="Code"
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            value={code}
            wrong={wrong}
            hint="As the command line shows it."
            onChange={({ target }) => setCode(asUserCode(target.value))}
          />
        </div>
        <div>
          <Grant {...me} />
        </div>
        <div className="row">
          <Button type="submit" look="primary" busy={confirming.isPending}>
            Allow
          </Button>
          <Button look="danger" busy={confirming.isPending} onClick={() => answer(false)}>
            Deny
          </Button>
        </div>
      </form>
    </Card>
  )
}

interface Said {
  readonly name: string
  readonly allowed: boolean
}
type Answering = (answer: Said) => void

/** Who is not signed in signs in first, and comes back here. */
export default function DeviceScreen(): ReactNode {
  const [answer, setAnswer] = useState<Said | null>(null)
  const me = useMe()
  return (
    <Screen title="Let a device in" lead="A command line asks to act for you.">
      <Answered query={me}>
        {(known) =>
          answer === null ? <Question me={known} onAnswer={setAnswer} /> : <Answer {...answer} me={known} />
        }
      </Answered>
    </Screen>
  )
}
