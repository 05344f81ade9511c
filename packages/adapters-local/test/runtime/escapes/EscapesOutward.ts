/** Towards the network, the machine's files and what is around an app. */
import { type Escape, of, opened } from "./Escape.ts"

const evented = (make: string, good: string) =>
  `return await new Promise((resolve, reject) => { ${make}; s.on("error", reject); s.on("${good}", () => resolve("reached")) })`

export const network: ReadonlyArray<Escape> = [
  of("fetches a port of the machine", "return (await fetch(`http://127.0.0.1:${host.port}/`)).status"),
  of("fetches it over TLS", "return (await fetch(`https://127.0.0.1:${host.port}/`)).status"),
  of("fetches it by name", "return (await fetch(`http://localhost:${host.port}/`)).status"),
  of("fetches it by IPv6", "return (await fetch(`http://[::1]:${host.port}/`)).status"),
  of("fetches it by IPv4 in IPv6", "return (await fetch(`http://[::ffff:127.0.0.1]:${host.port}/`)).status"),
  of("fetches it by one number", "return (await fetch(`http://2130706433:${host.port}/`)).status"),
  of(
    "fetches where clouds keep credentials",
    `return (await fetch("http://169.254.169.254/latest/meta-data/")).status`
  ),
  of("fetches a public site", `return (await fetch("https://example.com/")).status`),
  of("fetches another app by its host", "return (await fetch(`http://${host.neighbour}/secret.txt`)).text()"),
  of("fetches itself from outside", "return (await fetch(request.url)).status"),
  of("fetches a file", "return (await fetch(`file://${host.secretFile}`)).text()"),
  of("fetches the server's socket", "return (await fetch(`unix:${host.supervisorSocket}`)).text()"),
  of(
    "opens a WebSocket",
    "const s = new WebSocket(`ws://127.0.0.1:${host.port}/`); return await new Promise((resolve, reject) => { s.addEventListener('open', () => resolve('open')); s.addEventListener('error', reject); s.addEventListener('close', reject) })"
  ),
  of(
    "opens a WebSocket by fetch",
    `return (await fetch(\`http://127.0.0.1:\${host.port}/\`, { headers: { upgrade: "websocket" } })).status`
  ),
  of(
    "opens an EventSource",
    "const s = new EventSource(`http://127.0.0.1:${host.port}/`); return await new Promise((resolve, reject) => { s.onopen = () => resolve('open'); s.onerror = () => { s.close(); reject(new Error('no')) } })"
  ),
  of(
    "connects a socket",
    opened("const { connect } = await import('cloudflare:sockets'); const s = connect(`127.0.0.1:${host.port}`)")
  ),
  of(
    "connects a socket over TLS",
    opened(
      "const { connect } = await import('cloudflare:sockets'); const s = connect({ hostname: '127.0.0.1', port: host.port }, { secureTransport: 'on' })"
    )
  ),
  of(
    "connects a socket to a name",
    opened("const { connect } = await import('cloudflare:sockets'); const s = connect('example.com:443')")
  ),
  of(
    "connects a socket to the server's socket",
    opened("const { connect } = await import('cloudflare:sockets'); const s = connect(`unix:${host.appSocket}`)")
  ),
  of(
    "connects by node:net",
    evented("const s = net.connect(host.port, '127.0.0.1')", "connect").replace(
      "return",
      "const net = await import('node:net'); return"
    )
  ),
  of(
    "connects to the server's socket by node:net",
    evented("const s = net.connect({ path: host.supervisorSocket })", "connect").replace(
      "return",
      "const net = await import('node:net'); return"
    )
  ),
  of(
    "connects by node:tls",
    evented("const s = tls.connect(host.port, '127.0.0.1')", "secureConnect").replace(
      "return",
      "const tls = await import('node:tls'); return"
    )
  ),
  of(
    "asks by node:http",
    evented("const s = http.get(`http://127.0.0.1:${host.port}/`)", "response").replace(
      "return",
      "const http = await import('node:http'); return"
    )
  ),
  of(
    "asks the server's socket by node:http",
    evented("const s = http.get({ socketPath: host.appSocket, path: '/' })", "response").replace(
      "return",
      "const http = await import('node:http'); return"
    )
  ),
  of(
    "asks by node:https",
    evented("const s = http.get(`https://127.0.0.1:${host.port}/`)", "response").replace(
      "return",
      "const http = await import('node:https'); return"
    )
  ),
  of(
    "asks by node:http2",
    "const { connect } = await import('node:http2'); const s = connect(`http://127.0.0.1:${host.port}`); return await new Promise((resolve, reject) => { s.on('connect', () => resolve('open')); s.on('error', reject) })"
  ),
  of(
    "sends a datagram",
    "const { createSocket } = await import('node:dgram'); return await new Promise((resolve, reject) => createSocket('udp4').send('x', host.port, '127.0.0.1', (e) => e ? reject(e) : resolve('sent')))"
  ),
  of("asks a name server", "const dns = await import('node:dns'); return await dns.promises.resolve4('example.com')"),
  of(
    "looks a name up",
    "const dns = await import('node:dns'); return await new Promise((resolve, reject) => dns.lookup('example.com', (e, a) => e ? reject(e) : resolve(a)))"
  ),
  of(
    "listens by node:net",
    "const net = await import('node:net'); return await new Promise((resolve, reject) => net.createServer(() => 0).on('error', reject).listen(host.port + 1, () => resolve('listens')))",
    /^"listens"$/
  ),
  of(
    "sends a beacon",
    "return navigator.sendBeacon(`http://127.0.0.1:${host.port}/`, 'x') === false ? Promise.reject('no') : 'sent'",
    /^"sent"$/
  ),
  of(
    "keeps something in the shared cache",
    "await caches.default.put(`http://127.0.0.1:${host.port}/`, new Response('x', { headers: { 'cache-control': 'max-age=60' } })); return (await caches.default.match(`http://127.0.0.1:${host.port}/`)).text()"
  ),
  of("imports a module from the network", "return await import(`http://127.0.0.1:${host.port}/x.js`)"),
  of("talks peer to peer", "return new RTCPeerConnection()")
]

export const files: ReadonlyArray<Escape> = [
  of(
    "reads a file of the machine",
    "const fs = await import('node:fs'); return fs.readFileSync(host.secretFile, 'utf8')"
  ),
  of("reads /etc/passwd", "const fs = await import('node:fs'); return fs.readFileSync('/etc/passwd', 'utf8')"),
  of(
    "reads its process's environment",
    "const fs = await import('node:fs'); return fs.readFileSync('/proc/self/environ', 'utf8')"
  ),
  of(
    "lists the root of the machine",
    "const fs = await import('node:fs'); return fs.readdirSync('/').sort().join()",
    /^"(bundle|dev|tmp|,)*"$/
  ),
  of("finds the server's sockets", "const fs = await import('node:fs'); return fs.readdirSync('/run')"),
  of(
    "finds what the machine has under the names of its own folders",
    "const fs = await import('node:fs'); return [fs.existsSync('/tmp/' + host.secretFile.split('/').at(-1)), fs.readdirSync('/tmp').length, fs.existsSync(host.supervisorSocket)]",
    /^\[false,0,false\]$/
  ),
  of(
    "writes a file of the machine",
    "const fs = await import('node:fs'); fs.writeFileSync(host.secretFile, 'gone'); return 'written'"
  ),
  of(
    "reads through a link",
    "const fs = await import('node:fs'); fs.symlinkSync(host.secretFile, '/tmp/link'); return fs.readFileSync('/tmp/link', 'utf8')"
  ),
  of(
    "reads through the parent of a parent",
    "const fs = await import('node:fs'); return fs.readFileSync('/bundle/../../../../..' + host.secretFile, 'utf8')"
  ),
  of(
    "reads it as a handle",
    "const root = await navigator.storage.getDirectory(); return (await (await root.getFileHandle('..' + host.secretFile)).getFile()).text()"
  ),
  of("starts a program", "const { execSync } = await import('node:child_process'); return execSync('id').toString()"),
  of(
    "starts a program later",
    "const { spawn } = await import('node:child_process'); return await new Promise((resolve, reject) => spawn('id').on('error', reject).on('exit', resolve))"
  ),
  of(
    "starts a thread",
    "const { Worker } = await import('node:worker_threads'); return new Worker('1', { eval: true }).threadId"
  ),
  of("forks", "const cluster = await import('node:cluster'); return cluster.default.fork().id"),
  of("runs code in another context", "const vm = await import('node:vm'); return vm.runInNewContext('1 + 1')"),
  of(
    "requires a file of the machine",
    "const { createRequire } = await import('node:module'); return createRequire('/')(host.secretFile)"
  ),
  of("asks for Node's own parts", "return Object.keys(process.binding('fs')).length"),
  of("loads a shared library", "return process.dlopen({ exports: {} }, '/lib/x86_64-linux-gnu/libc.so.6')"),
  of("ends its process by a signal", "process.kill(1, 'SIGKILL'); return 'sent'"),
  of(
    "opens a debugger",
    "const i = await import('node:inspector'); i.open(host.port); return i.url()",
    /^(null|)$|undefined/
  ),
  of(
    "reads a file as a database",
    "const { DatabaseSync } = await import('node:sqlite'); return new DatabaseSync(host.secretFile).prepare('select 1').all()"
  ),
  of("imports a file of the machine", "return await import('file://' + host.secretFile)"),
  of("imports above its bundle", "return await import('../../../../..' + host.secretFile)"),
  of("imports the host worker", "return await import('/host.js')"),
  of("imports the runtime's inner modules", "return await import('workerd:unsafe')")
]

export const surroundings: ReadonlyArray<Escape> = [
  of("reads variables of the machine", "return Object.keys(process.env).sort()", /^\["ASSETS","DATA"\]$|^\[\]$/),
  of(
    "learns where it runs",
    "return [process.execPath, process.argv, process.cwd(), process.title].flat().map(String)",
    /^(?!.*(pawl|work\/|\/home|\/root|host\/))/
  ),
  of(
    "learns the machine's name and network",
    "const os = await import('node:os'); return [os.hostname(), Object.keys(os.networkInterfaces()), os.userInfo?.().username]",
    /^\["localhost"?,\[\]/
  ),
  of(
    "finds the server's bindings among the globals",
    "const names = []; for (let o = globalThis; o; o = Object.getPrototypeOf(o)) names.push(...Reflect.ownKeys(o).map(String)); return names.filter((n) => /^(LOADER|store|Control)$|supervisor|pawl/i.test(n))",
    /^\[\]$/
  ),
  of(
    "learns a path from import.meta",
    "return [Object.keys(import.meta), String(import.meta.url)]",
    /^(?!.*(\/host|\/work|\/tmp|\/root|pawl))/
  ),
  of(
    "learns a path from a stack",
    "return [new Error('x').stack, await env.DATA.get(1).catch((e) => e.stack), await env.DATA.put('k'.repeat(600), '').catch((e) => e.stack + JSON.stringify(e, Object.getOwnPropertyNames(e)))]",
    /^(?!.*(host\.js|\/work\/|\/tmp|\/root|node_modules|\.sock))/
  ),
  of(
    "learns who asks from the host's private headers",
    "return [...request.headers].filter(([n]) => /pawl|cf-/.test(n))",
    /^\[\]$/
  )
]
