const a = f(1, 2, 3)
