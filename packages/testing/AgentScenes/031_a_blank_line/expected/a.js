one

two
three
