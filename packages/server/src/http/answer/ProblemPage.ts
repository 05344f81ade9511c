/** A problem for a person whose browser asked for a page: the same status, in words. */
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Problem } from "../../api/Problem.ts"
import { prefers } from "../request/AcceptHeader.ts"

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${String(character.codePointAt(0))};`)

const page = ({ detail, title }: Problem): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<h1>${escaped(title)}</h1>
<p>${escaped(detail)}</p>
<p><a href="/">Go to the beginning</a></p>
</html>
`

/** Answers a browser with a page and everybody else with the problem; `setting` is done to the page. */
export const pageOfProblem =
  (setting: (page: HttpServerResponse.HttpServerResponse) => HttpServerResponse.HttpServerResponse) =>
  (
    problem: Problem
  ): Effect.Effect<HttpServerResponse.HttpServerResponse, Problem, HttpServerRequest.HttpServerRequest> =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
      prefers(headers["accept"], "text/html", "application/problem+json")
        ? Effect.succeed(
            setting(
              HttpServerResponse.text(page(problem), {
                status: problem.status,
                contentType: "text/html; charset=utf-8"
              })
            )
          )
        : Effect.fail(problem)
    )
