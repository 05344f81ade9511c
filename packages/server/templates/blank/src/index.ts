const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>A new app</title>
    <link rel="stylesheet" href="/style.css">
  </head>
  <body>
    <main>
      <h1>A new app</h1>
      <p>It is live. Everything from here on is a change.</p>
    </main>
  </body>
</html>
`

export default {
  async fetch(request: Request): Promise<Response> {
    if (request.method !== "GET" && request.method !== "HEAD")
      return new Response("Method not allowed\n", { status: 405, headers: { allow: "GET, HEAD" } })
    if (new URL(request.url).pathname !== "/") return new Response("Not found\n", { status: 404 })
    return new Response(page, { headers: { "content-type": "text/html; charset=utf-8" } })
  }
}
