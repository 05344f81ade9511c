a:
    b: 1
