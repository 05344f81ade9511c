/** The way in: by a printed link, a token, or an identity provider where the server has one. */
import { type ReactNode, type SubmitEvent, useCallback, useEffect, useRef, useState } from "react"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import { Refusal } from "../api/Refusal.ts"
import { type Credential, providerAddress, session, type WayIn } from "../api/Session.ts"
import icon from "../icon.svg"
import { Button } from "../ui/Button.tsx"
import { TextField } from "../ui/Field.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Problem } from "../ui/Problem.tsx"
import { Skeleton } from "../ui/Skeleton.tsx"
import "./signin.css"

const notKept = (): Refusal =>
  new Refusal({
    status: 401,
    code: "cookie_not_kept",
    title: "The browser did not keep the session",
    detail: "It keeps one only over https, or at localhost. Open the console by such an address, and sign in there.",
    requestId: null,
    facts: {}
  })

/** The cookie is there only when the server sees it again. */
const signIn = async (credential: Credential): Promise<void> => {
  await session.signIn(credential)
  await session.current().catch((thrown: unknown) => {
    throw thrown instanceof Refusal && thrown.status === 401 ? notKept() : thrown
  })
}

type State = { readonly is: "asking" } | { readonly is: "signing" } | { readonly is: "refused"; readonly by: unknown }

const TokenForm = ({
  isBusy,
  submit
}: {
  readonly isBusy: boolean
  readonly submit: (credential: Credential) => void
}): ReactNode => {
  const [token, setToken] = useState("")
  const [wrong, setWrong] = useState<string | null>(null)
  const send = (event: SubmitEvent) => {
    event.preventDefault()
    if (token.trim() === "") return setWrong("Paste a token first.")
    setWrong(null)
    submit({ token: token.trim() })
  }
  return (
    <form className="signin-form" onSubmit={send} noValidate>
      <TextField
        label="API token"
        type="password"
        autoComplete="off"
        spellCheck={false}
        value={token}
        wrong={wrong}
        hint="It begins with pawl_. It is sent once, and not kept in the browser."
        onChange={({ target }) => setToken(target.value)}
      />
      <Button type="submit" look="primary" busy={isBusy}>
        Sign in
      </Button>
    </form>
  )
}

/** All at once, when it is known which there are: nothing moves away from under a hand. A token is always one. */
const Ways = ({
  isBusy,
  methods,
  submit
}: {
  readonly isBusy: boolean
  readonly methods: WayIn["methods"]
  readonly submit: (credential: Credential) => void
}): ReactNode => (
  <>
    {methods.includes("oidc") ? (
      <>
        <a className="button" data-look="primary" href={providerAddress(location.pathname + location.search)}>
          Continue with your identity provider
        </a>
        <p className="signin-or">or</p>
      </>
    ) : null}
    <TokenForm isBusy={isBusy} submit={submit} />
    {methods.includes("link") ? (
      <p className="signin-more">
        No token? A link signs in too: <code>pawl serve</code> prints one for its owner where it starts, and so does the
        deployment to Cloudflare. <code>pawl serve</code> keeps the owner’s token in the file <code>owner-token</code>{" "}
        of its data folder.
      </p>
    ) : null}
  </>
)

/** With a code it signs in by that at once. */
export const SignInScreen = ({
  code,
  onSignedIn
}: {
  readonly code: string | null
  readonly onSignedIn: () => void
}): ReactNode => {
  const wayIn = useAnswer(keys.wayIn, session.wayIn)
  const [state, setState] = useState<State>(code === null ? { is: "asking" } : { is: "signing" })
  const submit = useCallback(
    async (credential: Credential) => {
      setState({ is: "signing" })
      try {
        await signIn(credential)
        onSignedIn()
      } catch (by) {
        // A link that was used before changes nothing for who is signed in.
        const isIn = "code" in credential && (await session.current().catch(() => null)) !== null
        if (isIn) onSignedIn()
        else setState({ is: "refused", by })
      }
    },
    [onSignedIn]
  )
  const used = useRef<string | null>(null)
  useEffect(() => {
    // It counts once: it is sent once, however often this is drawn.
    if (code === null || used.current === code) return
    used.current = code
    void submit({ code })
  }, [code, submit])
  return (
    <main className="signin">
      <title>Sign in · Pawl</title>
      <div className="signin-card">
        <img src={icon} alt="" width="44" height="44" />
        <h1>Sign in to Pawl</h1>
        {isSecureContext ? null : (
          <Notice tone="bad" icon="warn">
            This address is not secure, so the browser will keep no session. Use https, or localhost.
          </Notice>
        )}
        {state.is === "refused" ? <Problem of={state.by} /> : null}
        {wayIn.isFetched ? (
          <Ways
            methods={wayIn.data?.methods ?? []}
            isBusy={state.is === "signing"}
            submit={(each) => void submit(each)}
          />
        ) : (
          <Skeleton lines={3} />
        )}
      </div>
    </main>
  )
}
