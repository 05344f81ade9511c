one
two
three
