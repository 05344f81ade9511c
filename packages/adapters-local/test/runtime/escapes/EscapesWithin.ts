/** What an app does to its own isolate, to its answers and at its start. */
import { type Escape, of } from "./Escape.ts"

/** Each in an app of its own: what it does to its own globals lasts. After it, the app is asked twice more. */
export const tamperings: ReadonlyArray<Escape> = [
  of(
    "patches Response and Headers",
    "for (const c of [Response, Headers, Request]) for (const n of Object.getOwnPropertyNames(c.prototype)) { const d = Object.getOwnPropertyDescriptor(c.prototype, n); if (typeof d.value === 'function' && n !== 'constructor') { const old = d.value; c.prototype[n] = function (...args) { seen.push(n, ...args.map(String)); return old.apply(this, args) } } } return 'patched'"
  ),
  of(
    "patches promises",
    "const then = Promise.prototype.then; Promise.prototype.then = function (a, b) { return then.call(this, (v) => { seen.push(Object.prototype.toString.call(v), v?.mark, v?.code); return a ? a(v) : v }, b) }; return 'patched'"
  ),
  of(
    "puts traps on Object.prototype",
    "for (const n of ['mark', 'code', 'modules', 'env', 'globalOutbound', 'op', 'key', 'value', 'headers']) Object.defineProperty(Object.prototype, n, { configurable: true, get() { return undefined }, set(v) { seen.push(n, String(v)); Object.defineProperty(this, n, { value: v, writable: true, configurable: true, enumerable: true }) } }); return 'patched'"
  ),
  of(
    "patches JSON, text and bytes",
    "for (const [o, n] of [[JSON, 'parse'], [JSON, 'stringify'], [TextDecoder.prototype, 'decode'], [TextEncoder.prototype, 'encode'], [String.prototype, 'slice'], [Array.prototype, 'push']]) { const old = o[n]; o[n] = function (...args) { if (o !== Array.prototype) seen[seen.length] = String(args[0]); return old.apply(this, args) } } return 'patched'"
  ),
  of(
    "catches the socket behind its bindings and speaks to it itself",
    "const caught = []; for (let o = Object.getPrototypeOf(env.ASSETS); o && o !== Object.prototype; o = Object.getPrototypeOf(o)) { const old = o.fetch; if (old) try { o.fetch = function (...args) { caught.push(this); return old.apply(this, args) } } catch {} } await env.DATA.get('x'); for (const socket of caught.slice(0, 1)) for (const body of ['', '[', 'null', '[]', '7', '{\"op\":\"drop\"}', JSON.stringify({ op: 'get', key: 'secret', project: host.neighbourProject, channel: 'production', store: { project: host.neighbourProject } }), JSON.stringify({ op: 'get', key: { a: 1 } }), JSON.stringify({ op: 'list', prefix: 7, limit: 1e99 })]) seen.push(await (await socket.fetch('http://supervisor/data', { method: 'POST', body })).text().catch(String)); return 'patched'"
  ),
  of(
    "freezes what is shared",
    "for (const o of [Object.prototype, Array.prototype, Function.prototype, Promise.prototype, Response.prototype, Headers.prototype, globalThis.Response, globalThis.Promise]) Object.freeze(o); return 'patched'"
  ),
  of(
    "takes its bindings apart",
    "env.DATA[Symbol.dispose]?.(); env.ASSETS[Symbol.dispose]?.(); try { delete env.DATA; env.DATA = null } catch {} return 'patched'"
  )
]

/** What an app answers with; the visitor must get an answer of a kind that `holds`, and the next one an honest one. */
export const answers: ReadonlyArray<Escape> = [
  of(
    "claims that it threw",
    `return new Response("mine", { headers: { "x-pawl-outcome": "0:threw" } })`,
    /^200 mine \|$/
  ),
  of(
    "claims that the server refused",
    `return new Response("mine", { headers: { "x-pawl-refused": "1", "x-pawl-operation": "data" } })`,
    /^200 mine \|$/
  ),
  of("switches protocols without a socket", "return { status: 101, headers: new Headers() }", /^AppThrew/),
  of(
    "switches protocols with a socket",
    "return new Response(null, { status: 101, webSocket: Object.values(new WebSocketPair())[0] })",
    /^(AppThrew|501|101)/
  ),
  of("answers an informational status", "return new Response(null, { status: 103 })", /^AppThrew/),
  of("answers a status that is none", "return new Response('x', { status: 999999 })", /^AppThrew/),
  of(
    "splits a header into two",
    `return new Response("x", { headers: { "x-a": "1\\r\\nset-cookie: a=b" } })`,
    /^AppThrew/
  ),
  of(
    "splits the status line",
    `return new Response("x", { statusText: "OK\\r\\nset-cookie: a=b" })`,
    /^AppThrew|^200 x \|$/
  ),
  of(
    "says a length that is too short",
    `return new Response("HTTP/1.1 200 OK\\r\\ncontent-length: 5\\r\\n\\r\\nnext!", { headers: { "content-length": "4" } })`,
    /^AppThrew|^200 HTTP/
  ),
  of(
    "says a length that is too long",
    `return new Response("abc", { headers: { "content-length": "400" } })`,
    /^AppThrew|^200 abc/
  ),
  of(
    "says that its body comes in chunks",
    `return new Response("5\\r\\nhello\\r\\n0\\r\\n\\r\\n", { headers: { "transfer-encoding": "chunked", connection: "upgrade", upgrade: "h2c" } })`,
    /^200 5\r\nhello[^|]*\|$/
  ),
  of(
    "answers more headers than anyone takes",
    "const h = new Headers(); for (let n = 0; n < 2000; n++) h.append('x-' + n, 'v'.repeat(100)); return new Response('x', { headers: h })",
    /^AppThrew/
  ),
  of(
    "answers something else than an answer",
    "return { then(resolve) { resolve({ headers: {}, body: 'x', status: 200 }) } }",
    /^AppThrew/
  ),
  of("answers nothing", "return undefined", /^AppThrew/),
  of(
    "throws something that cannot be shown",
    "throw { toString() { throw 1 }, get message() { throw 2 }, [Symbol.toPrimitive]: null }",
    /^AppThrew/
  ),
  of("throws with a text as long as it likes", "throw new Error('x'.repeat(5_000_000))", /^AppThrew/),
  of("answers an error of the network", "return Response.error()", /^AppThrew/)
]

/** Whole modules that must not even start. */
export const starts: ReadonlyArray<Escape> = [
  of(
    "imports from the network at its start",
    `import "http://127.0.0.1/x.js"; export default { fetch: () => new Response("up") }`
  ),
  of(
    "imports the runtime's inner modules at its start",
    `import "workerd:unsafe"; export default { fetch: () => new Response("up") }`
  ),
  of(
    "imports a file of the machine at its start",
    `import "/etc/passwd"; export default { fetch: () => new Response("up") }`
  )
]
