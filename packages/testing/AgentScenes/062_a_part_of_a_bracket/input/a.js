f(a, (b))
