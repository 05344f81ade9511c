/** What went wrong, in the server's words, with what to tell whoever runs it. The rest of the page lives on. */
import type { ReactNode } from "react"
import { asRefusal } from "../api/Refusal.ts"
import { Button } from "./Button.tsx"
import { Icon } from "./Icon.tsx"
import { Id } from "./Id.tsx"

/** `of` is whatever was thrown. With `retry` it may be tried again. */
export const Problem = ({ of, retry }: { readonly of: unknown; readonly retry?: () => void }): ReactNode => {
  const { detail, requestId, title } = asRefusal(of)
  return (
    <div className="problem" role="alert">
      <Icon name="warn" />
      <div>
        <strong>{title}</strong>
        <p>{detail}</p>
        {retry === undefined && requestId === null ? null : (
          <div className="problem-foot">
            {retry === undefined ? null : (
              <Button size="small" icon="run" onClick={retry}>
                Try again
              </Button>
            )}
            {requestId === null ? null : (
              <span>
                Request <Id id={requestId} label="request" />
              </span>
            )}
          </div>
        )}
      </div>
    </div>
  )
}
