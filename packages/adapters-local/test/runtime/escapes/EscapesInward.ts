/** Towards what belongs to other apps, through what an app is given. */
import { type Escape, of, opened } from "./Escape.ts"

export const bindings: ReadonlyArray<Escape> = [
  of(
    "looks for more in its environment",
    "const names = []; for (let o = env; o && o !== Object.prototype; o = Object.getPrototypeOf(o)) names.push(...Reflect.ownKeys(o).map(String)); return names.sort()",
    /^\["ASSETS","DATA"\]$/
  ),
  of(
    "looks for more in the imported environment",
    "const { env: e } = await import('cloudflare:workers'); return Reflect.ownKeys(e).map(String).sort()",
    /^\["ASSETS","DATA"\]$/
  ),
  of("loads a Worker of its own", "return env.LOADER.get('x', () => ({}))"),
  of("asks the server by its binding", "return (await env.SUPERVISOR.fetch('http://supervisor/data')).text()"),
  of(
    "finds the host's entry points among its exports",
    "return Object.keys(ctx.exports ?? {}).concat(typeof ctx.exports?.Control, typeof ctx.exports?.Data, typeof ctx.exports?.Assets)",
    /^\[("default",)?"undefined","undefined","undefined"\]$/
  ),
  of("finds something in its properties", "return ctx.props ?? {}", /^\{\}$/),
  of("reads the environment of the one who keeps DATA", "return await env.DATA.env", /^null$/),
  of("reads through it", "return await env.DATA.env.SUPERVISOR.fetch('http://supervisor/data')"),
  of("reads its context", "return await env.DATA.ctx", /^null$/),
  of("calls its constructor", "return await env.DATA.constructor('return 1')"),
  of("calls what every object has", "return await env.DATA.hasOwnProperty('env')", /^false$/),
  of("calls a method of the other binding", "return await env.ASSETS.get('secret')"),
  of(
    "fetches through DATA",
    "return await (await env.DATA.fetch('http://supervisor/data', { method: 'POST', body: '{}' })).text()"
  ),
  of("connects through DATA", opened("const s = env.DATA.connect(`127.0.0.1:${host.port}`)")),
  of("connects through ASSETS", opened("const s = env.ASSETS.connect(`127.0.0.1:${host.port}`)")),
  of("makes a binding of its own", "return new env.DATA.constructor({})", /^\{\}$/),
  of(
    "makes an entry point and reads its environment",
    "const { WorkerEntrypoint } = await import('cloudflare:workers'); class E extends WorkerEntrypoint { see() { return Object.keys(this.env) } } return new E(ctx, env).see()",
    /^\["ASSETS","DATA"\]$/
  ),
  of(
    "hands over an object that answers calls",
    "const { RpcTarget } = await import('cloudflare:workers'); class T extends RpcTarget { toString() { return 'secret' } get length() { return 1 } } return await env.DATA.get(new T())"
  ),
  of("hands over a function as a key", "return await env.DATA.get(() => 'secret')"),
  of(
    "hands over a function as options",
    "const f = () => 1; f.prefix = ''; return await env.DATA.list(f)",
    /^\{"keys":\[\],"complete":true\}$/
  ),
  of("hands over a binding", "return await env.DATA.put('k', env.DATA)"),
  of("keeps a binding as a value", "return structuredClone(env.DATA)", /^\{\}$/),
  of("calls by a symbol", "return await env.DATA[Symbol.for('nodejs.util.inspect.custom')]()"),
  of("doubles a binding", "return await env.DATA.dup()"),
  of(
    "writes to a binding",
    "env.DATA.get = () => 'mine'; const said = await env.DATA.get('secret'); delete env.DATA.get; return said",
    /^("mine"|null)$/
  )
]

export const data: ReadonlyArray<Escape> = [
  of("reads a neighbour's value by its key", "return await env.DATA.get('secret')", /^null$/),
  of(
    "names a neighbour as a second argument",
    "return await env.DATA.get('secret', { project: host.neighbourProject, channel: 'production' })",
    /^null$/
  ),
  of(
    "names a neighbour in the options",
    "return await env.DATA.list({ project: host.neighbourProject, channel: 'production', op: 'get', key: 'secret' })",
    /^\{"keys":\[\],"complete":true\}$/
  ),
  of(
    "names a neighbour in the key",
    "const keys = [`${host.neighbourProject}/production/secret`, `../${host.neighbourProject}/production/secret`, 'production\\u0000secret', `'; select * from app_data; --`]; return await Promise.all(keys.map((k) => env.DATA.get(k).catch(() => null)))",
    /^\[null,null,null,null\]$/
  ),
  of(
    "lists by a pattern",
    "return (await Promise.all(['%', '_', '*', '', '../'].map((prefix) => env.DATA.list({ prefix })))).flatMap((one) => one.keys)",
    /^\[\]$/
  ),
  of(
    "pollutes a prototype by a key",
    "for (const key of ['__proto__', 'constructor', 'prototype', 'toString']) await env.DATA.get(key); return [await env.DATA.get('__proto__'), ({}).polluted]",
    /^\[null,null\]$/
  ),
  of(
    "pollutes a prototype by options",
    `return [await env.DATA.list(JSON.parse('{"__proto__":{"limit":1,"project":"x"},"constructor":{"prototype":{"op":"get"}}}')), ({}).op]`,
    /^\[\{"keys":\[\],"complete":true\},null\]$/
  ),
  of(
    "hands over what looks like text",
    "return await env.DATA.get({ length: 6, toString: () => 'secret', [Symbol.toPrimitive]: () => 'secret' })"
  ),
  of("hands over text as an object", "return await env.DATA.get(new String('secret'))"),
  of("lists without a bound", "return await env.DATA.list({ limit: Infinity })"),
  of("lists with a bound that is no number", "return await env.DATA.list({ limit: '1000' })"),
  of(
    "changes its mind between look and use",
    "let n = 0; return await env.DATA.list({ get prefix() { return n++ === 0 ? '' : 7 } })",
    /^\{"keys":\[\],"complete":true\}$/
  )
]

const asset = (title: string, call: string) =>
  of(
    title,
    `const r = await ${call}; return [r.status, (await r.text()).slice(0, 200)]`,
    /^\[(404|405|400|403|301|307|308),"(?!.*secret of)/
  )

export const assets: ReadonlyArray<Escape> = [
  asset("asks ASSETS for a neighbour's file", "env.ASSETS.fetch(`http://${host.neighbour}/secret.txt`)"),
  asset(
    "names the neighbour in the Host header",
    "env.ASSETS.fetch('http://x/secret.txt', { headers: { host: host.neighbour, 'x-forwarded-host': host.neighbour } })"
  ),
  asset("asks ASSETS for its bundle", "env.ASSETS.fetch('http://x/bundle.json')"),
  asset("asks ASSETS for its source", "env.ASSETS.fetch('http://x/src/index.js')"),
  asset("asks ASSETS above its folder", "env.ASSETS.fetch('http://x/../../../bundle.json')"),
  asset("asks ASSETS above its folder, encoded", "env.ASSETS.fetch('http://x/%2e%2e%2f%2e%2e%2fbundle.json')"),
  asset("asks ASSETS above its folder, encoded twice", "env.ASSETS.fetch('http://x/%252e%252e%252fbundle.json')"),
  asset("asks ASSETS with a backslash and a NUL", "env.ASSETS.fetch('http://x/..%5c..%5cbundle.json%00.txt')"),
  asset(
    "makes a data call of an asset call",
    `env.ASSETS.fetch("http://supervisor/data", { method: "POST", headers: { "x-pawl-operation": "data" }, body: JSON.stringify({ op: "list" }) })`
  ),
  asset(
    "makes a data call of an asset call by GET",
    `env.ASSETS.fetch("http://supervisor/data", { headers: { "X-Pawl-Operation": "data" } })`
  ),
  asset(
    "forges the asset's URL",
    "env.ASSETS.fetch('http://x/', { headers: { 'x-pawl-asset-url': `http://${host.neighbour}/secret.txt` } })"
  ),
  asset("names an object of the store", "env.ASSETS.fetch(`http://x/apps/${host.neighbourProject}/secret.txt`)")
]

export const codeGeneration: ReadonlyArray<Escape> = [
  of("evaluates text", "return eval('1 + 1')"),
  of("evaluates text indirectly", "return (0, eval)('1 + 1')"),
  of("makes a function of text", "return new Function('return 1')()"),
  of("makes an async function of text", "return await (async () => {}).constructor('return 1')()"),
  of("makes a generator of text", "return (function* () {}).constructor('yield 1')().next().value"),
  of(
    "sets a timer with text",
    "return await new Promise((resolve) => { globalThis.done = resolve; setTimeout('done(1)', 0) })"
  ),
  of("compiles WebAssembly", "return String(await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])))"),
  of(
    "makes a WebAssembly module",
    "return String(new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])))"
  ),
  of("imports a data URL", "return await import('data:text/javascript,export default 1')"),
  of(
    "imports a blob",
    "return await import(URL.createObjectURL(new Blob(['export default 1'], { type: 'text/javascript' })))"
  ),
  of(
    "turns the runtime's flags on",
    "const v8 = await import('node:v8'); v8.setFlagsFromString('--allow-natives-syntax'); return 'set'"
  )
]
