/** Who is signed in sees the console; who is not is asked to sign in, and comes to where they wanted to go. */
import { useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useDeferredValue, useEffect, useState } from "react"
import { keys } from "../api/Keys.ts"
import { Refusal } from "../api/Refusal.ts"
import { session } from "../api/Session.ts"
import { useSignedIn } from "../account/Me.ts"
import { SignInScreen } from "../signin/SignInScreen.tsx"
import { Problem } from "../ui/Problem.tsx"
import { Skeleton } from "../ui/Skeleton.tsx"
import { BarOutline } from "./Bar.tsx"
import { LiveRegion } from "./LiveRegion.tsx"
import { Shell } from "./Shell.tsx"

const Inside = ({ code: given }: { readonly code: string | null }): ReactNode => {
  const client = useQueryClient()
  const [code, setCode] = useState(given)
  const { data, error, refetch } = useSignedIn({ enabled: code === null })
  // The first screen is drawn in pieces: a slow machine answers hands in between.
  const shown = useDeferredValue(data)
  // What other tabs of the browser do counts here: they have one cookie.
  useEffect(() => {
    const end = new AbortController()
    session.watchOthers(() => void client.invalidateQueries({ queryKey: keys.session }), end.signal)
    return () => end.abort()
  }, [client])
  const enter = () => {
    setCode(null)
    void client.invalidateQueries({ queryKey: keys.session })
  }
  // Asking once more takes the refusal away until it is answered: what was typed to sign in by must outlive that.
  const isRefused = error instanceof Refusal && error.status === 401
  const [isOut, setIsOut] = useState(false)
  if (isRefused && !isOut) setIsOut(true)
  if (isOut && !isRefused && data !== undefined) setIsOut(false)
  if (code !== null || isRefused || (isOut && data === undefined))
    return <SignInScreen code={code} onSignedIn={enter} />
  if (shown !== undefined) return <Shell signedIn={shown} />
  return (
    <>
      {session.wasSignedIn() ? <BarOutline /> : null}
      <main className="main">
        {error === null ? <Skeleton /> : <Problem of={error} retry={() => void refetch()} />}
      </main>
    </>
  )
}

/** `code` is that of a printed link, when the page was opened by one. */
export const App = ({ code }: { readonly code: string | null }): ReactNode => (
  <>
    <Inside code={code} />
    <LiveRegion />
  </>
)
