/** What `first.js` asked while the code of the page was on its way. */

declare global {
  interface Window {
    /** Answers by their addresses, all of them to GET. */
    readonly pawlAsked?: Record<string, Promise<Response>>
  }
}

/** Takes the answer to a question that was asked early; undefined for any other, and the second time. */
export const takeEarly = (method: string, address: string): Promise<Response> | undefined => {
  // Where there is no page, as in a test of the client, nothing was asked.
  const asked = globalThis.window?.pawlAsked
  const answer = method === "GET" ? asked?.[address] : undefined
  if (asked !== undefined) delete asked[address]
  return answer
}
