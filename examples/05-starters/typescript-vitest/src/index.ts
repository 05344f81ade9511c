import { AutoRouter, error } from 'itty-router'
import { miles, Query } from './distance'

const router = AutoRouter()

router.get('/', () => ({ try: '/miles?km=5' }))
router.get('/miles', ({ query }) => {
  const asked = Query.safeParse(query)
  return asked.success ? { miles: miles(asked.data.km) } : error(400, 'km is a number')
})

export default { ...router }
