one
2
three
