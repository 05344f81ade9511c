import { Hono } from 'hono'
import { logger } from 'hono/logger'
import { secureHeaders } from 'hono/secure-headers'
import { Layout } from './layout'

const app = new Hono()

app.use(secureHeaders())
app.use(logger())

app.get('/', (c) => {
  return c.html(
    <Layout title="Hono and JSX">
      <h1>Hello {c.req.query('name') ?? 'Hono'}!</h1>
    </Layout>
  )
})

app.get('/api/time', (c) => {
  return c.json({ zone: 'UTC', year: new Date(0).getUTCFullYear() })
})

export default app
