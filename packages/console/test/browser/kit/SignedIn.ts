/** A page of a real server, signed in by hand, that takes pictures of itself. */
import type { Browser } from "playwright-core"
import type { ConsolePage, Look } from "./ConsolePage.ts"
import { picture, signInAt } from "./SignIn.ts"

/** A page that is signed in, and how to take a picture of it. */
export interface SignedInPage extends ConsolePage {
  readonly picture: (name: string) => Promise<void>
}

/** Opens a path of the server on this port as whoever has the token. `expected` as of `openPage`. */
export const signedIn = async (
  browser: Browser,
  port: number,
  token: string,
  path: string,
  look: Look = {},
  expected?: RegExp
): Promise<SignedInPage> => {
  const opened = await signInAt(browser, { port }, path, {
    look,
    secret: token,
    ...(expected === undefined ? {} : { expected })
  })
  return { ...opened, picture: (name) => picture(opened, name) }
}
